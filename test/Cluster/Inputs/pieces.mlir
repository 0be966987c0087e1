// A grid that tasks load and store in parts: blocks of both dimensions, columns,
// and scattered runs.
rdir.parameter @rows : i64 = 37
rdir.parameter @columns : i64 = 41
rdir.parameter @how : i64 = 0
rdir.root @grid [@rows, @columns] {x : f64, y : vector<3xi32>}
rdir.partition @blocks of @grid [3, 2] disjoint complete by blocks
rdir.partition @stripes of @grid [1, 5] disjoint complete by blocks
rdir.partition @scattered of @grid [4] disjoint complete by coloring(@scatter)

rdir.graph @first {
  %x0 = rdir.region @blocks {x}
  %x1 = rdir.region @blocks {x}
  rdir.task @load over [3, 2] discards(%x0) writes(%x1)
  %x2 = rdir.region @grid {x}
  rdir.close reads(%x1) writes(%x2)
  %s0 = rdir.region @stripes {x}
  rdir.open reads(%x2) writes(%s0)
  %s1 = rdir.region @stripes {x}
  rdir.task @change over [1, 5] reads(%s0) writes(%s1)
  %y0 = rdir.region @stripes {y}
  %y1 = rdir.region @stripes {y}
  rdir.task @derive over [1, 5] reads(%s1) discards(%y0) writes(%y1)
  %x3 = rdir.region @grid {x}
  rdir.close reads(%s1) writes(%x3)
  %c0 = rdir.region @scattered {x}
  rdir.open reads(%x3) writes(%c0)
  %y2 = rdir.region @grid {y}
  rdir.close reads(%y1) writes(%y2)
  %d0 = rdir.region @scattered {y}
  rdir.open reads(%y2) writes(%d0)
  rdir.task @store over [4] reads(%c0, %d0) with(@how)
  rdir.host @storeHead
}

rdir.graph @second {
  %x0 = rdir.region @stripes {x}
  %x1 = rdir.region @stripes {x}
  rdir.task @again over [1, 5] discards(%x0) writes(%x1)
  %x2 = rdir.region @grid {x}
  rdir.close reads(%x1) writes(%x2)
  rdir.host @show reads(%x2)
}
