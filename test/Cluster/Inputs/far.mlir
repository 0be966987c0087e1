// An array of 64 GiB, of which tasks use eight spots.
rdir.parameter @n : i64 = 8589934592
rdir.root @line [@n] {x : f64}
rdir.partition @spots of @line [8] disjoint incomplete by coloring(@spot)

rdir.graph @main {
  %x0 = rdir.region @spots {x}
  %x1 = rdir.region @spots {x}
  rdir.task @load over [8] discards(%x0) writes(%x1)
  %x2 = rdir.region @spots {x}
  rdir.task @twice over [8] reads(%x1) writes(%x2)
  rdir.task @store over [8] reads(%x2)
}
