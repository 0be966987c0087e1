// A file whose head is written before a loop, and its elements behind it.
rdir.parameter @steps : i64 = 20
rdir.parameter @dies : i64 = 0
rdir.variable @count : i64 = 0
rdir.root @line [64] {x : f64}
rdir.partition @blocks of @line [8] disjoint complete by blocks
rdir.graph @main {
  %b0 = rdir.region @blocks {x}
  %b1 = rdir.region @blocks {x}
  rdir.task @start over [8] discards(%b0) writes(%b1)
  rdir.host @storeHead
  %c0 = rdir.scalar @count initial
  %b2 = rdir.region @blocks {x}
  %c2 = rdir.scalar @count
  rdir.loop @steps reads(%b1, %c0) writes(%b2, %c2) {
    %i0 = rdir.region @blocks {x}
    %c = rdir.scalar @count
    %i1 = rdir.region @blocks {x}
    rdir.task @step over [8] reads(%i0, %c) writes(%i1) with(@dies)
    %c1 = rdir.scalar @count
    rdir.task @add reads(%c) writes(%c1)
  }
  rdir.task @store over [8] reads(%b2)
}
