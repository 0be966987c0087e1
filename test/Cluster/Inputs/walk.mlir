// Numbers in blocks, each of which becomes the mean of itself and those around
// it, again and again.
rdir.parameter @steps : i64 = 50
rdir.parameter @dies : i64 = 0
rdir.variable @count : i64 = 0
rdir.root @line [1000] {x : f64, y : f64}
rdir.partition @blocks of @line [7] disjoint complete by blocks
rdir.partition @halos of @line [7] aliased complete by halo(@blocks, [1])

rdir.graph @build {
  %b0 = rdir.region @blocks {x}
  %b1 = rdir.region @blocks {x}
  rdir.task @start over [7] discards(%b0) writes(%b1)
}

rdir.graph @main {
  %x0 = rdir.region @line {x} initial
  %y0 = rdir.region @line {y} initial
  %count0 = rdir.scalar @count initial
  %x1 = rdir.region @line {x}
  %y1 = rdir.region @line {y}
  %count1 = rdir.scalar @count
  rdir.loop @steps reads(%x0, %y0, %count0) writes(%x1, %y1, %count1) {
    %x = rdir.region @line {x}
    %h = rdir.region @halos {x}
    rdir.open reads(%x) writes(%h)
    %y = rdir.region @line {y}
    %n0 = rdir.region @blocks {y}
    rdir.open reads(%y) writes(%n0)
    %n1 = rdir.region @blocks {y}
    %c0 = rdir.scalar @count
    rdir.task @mean over [7] reads(%h, %c0) discards(%n0) writes(%n1) with(@dies)
    %x2 = rdir.region @line {x}
    rdir.close reads(%h) writes(%x2)
    %o0 = rdir.region @blocks {x}
    rdir.open reads(%x2) writes(%o0)
    %o1 = rdir.region @blocks {x}
    rdir.copy over [7] reads(%n1) discards(%o0) writes(%o1)
    %x3 = rdir.region @line {x}
    rdir.close reads(%o1) writes(%x3)
    %y3 = rdir.region @line {y}
    rdir.close reads(%n1) writes(%y3)
    %c1 = rdir.scalar @count
    rdir.task @add reads(%c0) writes(%c1)
  }
  rdir.host @show reads(%x1, %count1)
}
