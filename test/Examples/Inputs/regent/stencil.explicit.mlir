module {
  rdir.parameter @n : i64 = 400
  rdir.parameter @steps : i64 = 10
  rdir.root @grid [@n, @n] {input : f64, output : f64}
  rdir.partition @tiles of @grid [4, 4] disjoint complete by blocks
  rdir.partition @halos of @grid [4, 4] aliased complete by halo(@tiles, [2, 2], axes)
  rdir.graph @main {
    %grid_0 = rdir.region @grid initial
    %0 = rdir.open reads(%grid_0) writes(%tiles_0)
    %tiles_0 = rdir.region @tiles
    %1 = rdir.task @start over [4, 4] reads(%tiles_0) writes(%tiles_1)
    %tiles_1 = rdir.region @tiles
    %2 = rdir.close reads(%grid_0, %tiles_1) writes(%grid_1)
    %grid_1 = rdir.region @grid
    %3 = rdir.loop @steps reads(%grid_1) writes(%grid_2) {
      %grid_0_0 = rdir.region @grid {input}
      %5 = rdir.open reads(%grid_0_0) writes(%halos_0)
      %halos_0 = rdir.region @halos {input}
      %grid_1_1 = rdir.region @grid {output}
      %6 = rdir.open reads(%grid_1_1) writes(%tiles_0_2)
      %tiles_0_2 = rdir.region @tiles {output}
      %7 = rdir.task @stencil over [4, 4] reads(%halos_0, %tiles_0_2) writes(%tiles_1_3) with(@n)
      %tiles_1_3 = rdir.region @tiles {output}
      %8 = rdir.close reads(%grid_0_0, %halos_0) writes(%grid_2_4)
      %grid_2_4 = rdir.region @grid {input}
      %9 = rdir.open reads(%grid_2_4) writes(%tiles_2)
      %tiles_2 = rdir.region @tiles {input}
      %10 = rdir.task @increment over [4, 4] reads(%tiles_2) writes(%tiles_3)
      %tiles_3 = rdir.region @tiles {input}
    }
    %grid_2 = rdir.region @grid
    %4 = rdir.host @compare reads(%grid_2) with(@n, @steps)
  }
}
