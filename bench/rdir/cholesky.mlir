// The rows "cholesky" of `./dev bench rdir`: examples/regent/cholesky.mlir. The
// host statement @serve speaks with the driver.

rdir.parameter @n : i64 = 512
rdir.parameter @tiles : i64 = 8

rdir.variable @more : i32 = 1
rdir.root @matrix [@n, @n] {value : f64}
rdir.partition @a of @matrix [@tiles, @tiles] disjoint complete by blocks

rdir.graph @main {
  rdir.loop while @more {
    rdir.host @serve writes(@matrix, @more) with(@n)
    rdir.task @start over [@tiles, @tiles] writes(@a)
    rdir.loop %k in @tiles {
      rdir.task @factor writes(@a[%k, %k])
      rdir.task @solve over [@tiles - %k - 1] reads(@a[%k, %k]) writes(@a[i + %k + 1, %k])
      rdir.loop %j in @tiles - %k - 1 {
        rdir.task @update over [@tiles - %k - 1 - %j]
          reads(@a[i + %j + %k + 1, %k], @a[%j + %k + 1, %k])
          writes(@a[i + %j + %k + 1, %j + %k + 1])
      }
    }
  }
}
