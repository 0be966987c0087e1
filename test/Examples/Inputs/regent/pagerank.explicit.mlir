module {
  rdir.parameter @pages : i64 = 4000
  rdir.parameter @links : i64 = 20000
  rdir.parameter @pieces : i64 = 8
  rdir.parameter @bound : f64 = 1.000000e-09
  rdir.variable @going : i32 = 1
  rdir.variable @change : f64 = 0.000000e+00
  rdir.root @page [@pages] {rank : f64, next : f64, degree : i64}
  rdir.root @link [@links] {from : i64, to : i64}
  rdir.partition @owned of @page [@pieces] disjoint complete by blocks
  rdir.partition @into of @link [@pieces] disjoint complete by preimage("to", @owned)
  rdir.partition @sources of @page [@pieces] aliased incomplete by image(@into, "from")
  rdir.graph @build {
    %link_0 = rdir.region @link initial
    %0 = rdir.task @makeLinks reads(%link_0) writes(%link_1) with(@pages)
    %link_1 = rdir.region @link
    %page_0 = rdir.region @page initial
    %1 = rdir.task @makePages reads(%link_1, %page_0) writes(%page_1)
    %page_1 = rdir.region @page
  }
  rdir.graph @iterate {
    %link_0 = rdir.region @link initial
    %page_0 = rdir.region @page {degree} initial
    %page_1 = rdir.region @page {rank} initial
    %page_2 = rdir.region @page {next} initial
    %change_0 = rdir.scalar @change initial
    %going_0 = rdir.scalar @going initial
    %0 = rdir.loop 200 while @going reads(%link_0, %page_0, %page_1, %page_2, %change_0, %going_0) writes(%page_3, %page_4, %change_1, %going_1) {
      %link_0_0 = rdir.region @link
      %2 = rdir.open reads(%link_0_0) writes(%into_0)
      %into_0 = rdir.region @into
      %page_0_1 = rdir.region @page {rank}
      %3 = rdir.open reads(%page_0_1) writes(%sources_0)
      %sources_0 = rdir.region @sources {rank}
      %page_1_2 = rdir.region @page {degree}
      %4 = rdir.open reads(%page_1_2) writes(%sources_1)
      %sources_1 = rdir.region @sources {degree}
      %page_2_3 = rdir.region @page {next}
      %5 = rdir.open reads(%page_2_3) writes(%owned_0)
      %owned_0 = rdir.region @owned {next}
      %6 = rdir.task @gather over [@pieces] reads(%into_0, %sources_0, %sources_1 port 1, %owned_0) writes(%owned_1) with(@pages)
      %owned_1 = rdir.region @owned {next}
      %change_0_4 = rdir.scalar @change
      %7 = rdir.fill 0.000000e+00 : f64 discards(%change_0_4) writes(%change_1_5)
      %change_1_5 = rdir.scalar @change
      %8 = rdir.close reads(%page_0_1, %sources_0) writes(%page_3_6)
      %page_3_6 = rdir.region @page {rank}
      %9 = rdir.open reads(%page_3_6) writes(%owned_2)
      %owned_2 = rdir.region @owned {rank}
      %change_2 = rdir.scalar @change
      %10 = rdir.task @advance over [@pieces] reads(%owned_1, %owned_2) continues(%change_1_5) writes(%owned_3) reduces<"max">(%change_2)
      %owned_3 = rdir.region @owned {rank}
      %going_0_7 = rdir.scalar @going
      %11 = rdir.task @decide reads(%change_2) discards(%going_0_7) writes(%going_1_8) with(@bound)
      %going_1_8 = rdir.scalar @going
    }
    %page_3 = rdir.region @page {rank}
    %page_4 = rdir.region @page {next}
    %change_1 = rdir.scalar @change
    %going_1 = rdir.scalar @going
    %1 = rdir.host @compare reads(%page_3, %link_0) with(@pages, @links, @bound)
  }
}
