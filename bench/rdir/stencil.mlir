// The rows "stencil" of `./dev bench rdir`: examples/regent/stencil.mlir in
// tiles of any number. The host statement @serve speaks with the driver: it
// answers for the steps before it and waits for the next order.

rdir.parameter @n : i64 = 320
rdir.parameter @rows : i64 = 4
rdir.parameter @columns : i64 = 1
rdir.parameter @steps : i64 = 100

rdir.variable @more : i32 = 1
rdir.root @grid [@n, @n] {input : f64, output : f64}
rdir.partition @tiles of @grid [@rows, @columns] disjoint complete by blocks
rdir.partition @halos of @grid [@rows, @columns] aliased complete by halo(@tiles, [2, 2], axes)

rdir.graph @main {
  rdir.loop while @more {
    rdir.host @serve writes(@grid, @more) with(@n, @steps)
    rdir.loop @steps {
      rdir.task @stencil over [@rows, @columns] reads(@halos {input}) writes(@tiles {output}) with(@n)
      rdir.task @increment over [@rows, @columns] writes(@tiles {input})
    }
  }
}
