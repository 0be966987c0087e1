// A line of numbers in blocks, set by one task and shown on the host.
rdir.parameter @how : i64 = 0
rdir.root @line [16] {x : f64}
rdir.partition @blocks of @line [4] disjoint complete by blocks

rdir.graph @main {
  %blocks0 = rdir.region @blocks {x}
  %blocks1 = rdir.region @blocks {x}
  rdir.task @start over [4] discards(%blocks0) writes(%blocks1) with(@how)
  %line = rdir.region @line {x}
  rdir.close reads(%blocks1) writes(%line)
  rdir.host @show reads(%line)
}
