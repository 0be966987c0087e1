module {
  rdir.parameter @num_cells : i64 = 3000
  rdir.parameter @num_faces : i64 = 9000
  rdir.parameter @pieces : i64 = 8
  rdir.parameter @steps : i64 = 20
  rdir.variable @step : f64 = 0.000000e+00
  rdir.root @cells [@num_cells] {density : f64, energy : f64, mass_in : f64, energy_in : f64, volume : f64}
  rdir.root @faces [@num_faces] {left : i64, right : i64, area : f64, flow : f64}
  rdir.partition @owned of @cells [@pieces] disjoint complete by blocks
  rdir.partition @sides of @faces [@pieces] disjoint complete by preimage("left", @owned)
  rdir.partition @rights of @cells [@pieces] aliased incomplete by image(@sides, "right")
  rdir.partition @touched of @cells [@pieces] aliased complete by union(@owned, @rights)
  rdir.graph @build {
    %cells_0 = rdir.region @cells initial
    %0 = rdir.task @makeCells reads(%cells_0) writes(%cells_1)
    %cells_1 = rdir.region @cells
    %faces_0 = rdir.region @faces initial
    %1 = rdir.task @makeFaces reads(%faces_0) writes(%faces_1) with(@num_cells)
    %faces_1 = rdir.region @faces
  }
  rdir.graph @advance {
    %cells_0 = rdir.region @cells {volume} initial
    %faces_0 = rdir.region @faces {left, right, area} initial
    %step_0 = rdir.scalar @step initial
    %cells_1 = rdir.region @cells {density, energy, mass_in, energy_in} initial
    %faces_1 = rdir.region @faces {flow} initial
    %0 = rdir.loop @steps reads(%step_0, %cells_0, %cells_1, %faces_0, %faces_1) writes(%step_1, %cells_2, %faces_2) {
      %step_0_0 = rdir.scalar @step
      %2 = rdir.fill 1.000000e+30 : f64 discards(%step_0_0) writes(%step_1_1)
      %step_1_1 = rdir.scalar @step
      %cells_0_2 = rdir.region @cells {density, energy}
      %3 = rdir.open reads(%cells_0_2) writes(%owned_0)
      %owned_0 = rdir.region @owned {density, energy}
      %cells_1_3 = rdir.region @cells {volume}
      %4 = rdir.open reads(%cells_1_3) writes(%owned_1)
      %owned_1 = rdir.region @owned {volume}
      %step_2 = rdir.scalar @step
      %5 = rdir.task @limit over [@pieces] reads(%owned_0, %owned_1 port 0) continues(%step_1_1) reduces<"min">(%step_2)
      %faces_0_4 = rdir.region @faces {left, right}
      %6 = rdir.open reads(%faces_0_4) writes(%sides_0)
      %sides_0 = rdir.region @sides {left, right}
      %faces_1_5 = rdir.region @faces {area}
      %7 = rdir.open reads(%faces_1_5) writes(%sides_1)
      %sides_1 = rdir.region @sides {area}
      %8 = rdir.close reads(%cells_0_2, %owned_0) writes(%cells_2_6)
      %cells_2_6 = rdir.region @cells {density, energy}
      %9 = rdir.open reads(%cells_2_6) writes(%touched_0)
      %touched_0 = rdir.region @touched {density, energy}
      %faces_2_7 = rdir.region @faces {flow}
      %10 = rdir.open reads(%faces_2_7) writes(%sides_2)
      %sides_2 = rdir.region @sides {flow}
      %11 = rdir.task @flux over [@pieces] reads(%sides_0, %sides_1 port 0, %touched_0, %step_2, %sides_2) writes(%sides_3)
      %sides_3 = rdir.region @sides {flow}
      %cells_3 = rdir.region @cells {mass_in, energy_in}
      %12 = rdir.open reads(%cells_3) writes(%owned_2)
      %owned_2 = rdir.region @owned {mass_in, energy_in}
      %13 = rdir.fill 0.000000e+00 : f64 discards(%owned_2) writes(%owned_3)
      %owned_3 = rdir.region @owned {mass_in, energy_in}
      %14 = rdir.close reads(%cells_3, %owned_3) writes(%cells_4)
      %cells_4 = rdir.region @cells {mass_in, energy_in}
      %15 = rdir.open reads(%cells_4) writes(%touched_1)
      %touched_1 = rdir.region @touched {mass_in, energy_in}
      %touched_2 = rdir.region @touched {mass_in, energy_in}
      %16 = rdir.task @collect over [@pieces] reads(%sides_0, %sides_3 port 0) continues(%touched_1) reduces<"+">(%touched_2)
      %17 = rdir.close reads(%cells_4, %touched_2) writes(%cells_5)
      %cells_5 = rdir.region @cells {mass_in, energy_in}
      %18 = rdir.open reads(%cells_5) writes(%owned_4)
      %owned_4 = rdir.region @owned {mass_in, energy_in}
      %19 = rdir.close reads(%cells_2_6, %touched_0) writes(%cells_6)
      %cells_6 = rdir.region @cells {density, energy}
      %20 = rdir.open reads(%cells_6) writes(%owned_5)
      %owned_5 = rdir.region @owned {density, energy}
      %21 = rdir.task @update over [@pieces] reads(%owned_4, %owned_1 port 0, %owned_5) writes(%owned_6)
      %owned_6 = rdir.region @owned {density, energy}
    }
    %step_1 = rdir.scalar @step
    %cells_2 = rdir.region @cells {density, energy, mass_in, energy_in}
    %faces_2 = rdir.region @faces {flow}
    %1 = rdir.host @compare reads(%cells_2, %cells_0 port 0, %faces_0, %faces_2 port 1) with(@steps)
  }
}
