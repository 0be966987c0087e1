// A star-shaped stencil, after the Parallel Research Kernels: each step adds
// the weighted neighbours of the input to the output, then changes the input.

rdir.parameter @n : i64 = 400
rdir.parameter @steps : i64 = 10
rdir.root @grid [@n, @n] {input : f64, output : f64}
rdir.partition @tiles of @grid [4, 4] disjoint complete by blocks
rdir.partition @halos of @grid [4, 4] aliased complete by halo(@tiles, [2, 2], axes)

rdir.graph @main {
  rdir.task @start over [4, 4] writes(@tiles)
  rdir.loop @steps {
    rdir.task @stencil over [4, 4] reads(@halos {input}) writes(@tiles {output}) with(@n)
    rdir.task @increment over [4, 4] writes(@tiles {input})
  }
  rdir.host @compare reads(@grid) with(@n, @steps)
}
