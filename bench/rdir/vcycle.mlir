// The rows "vcycle" of `./dev bench rdir`: examples/regent/vcycle.mlir in blocks
// of any number. The host statement @serve speaks with the driver.

rdir.parameter @fine_cells : i64 = 32768
rdir.parameter @mid_cells : i64 = 16384
rdir.parameter @coarse_cells : i64 = 8192
rdir.parameter @blocks : i64 = 4
rdir.parameter @cycles : i64 = 10

rdir.variable @more : i32 = 1
rdir.root @fine [@fine_cells] {x : f64, y : f64, b : f64, r : f64}
rdir.root @mid [@mid_cells] {x : f64, y : f64, b : f64, r : f64}
rdir.root @coarse [@coarse_cells] {x : f64, y : f64, b : f64, r : f64}
rdir.partition @f of @fine [@blocks] disjoint complete by blocks
rdir.partition @m of @mid [@blocks] disjoint complete by blocks
rdir.partition @c of @coarse [@blocks] disjoint complete by blocks
rdir.partition @fh of @fine [@blocks] aliased complete by halo(@f, [1])
rdir.partition @mh of @mid [@blocks] aliased complete by halo(@m, [1])
rdir.partition @ch of @coarse [@blocks] aliased complete by halo(@c, [1])

rdir.graph @main {
  rdir.loop while @more {
    rdir.host @serve writes(@fine, @mid, @coarse, @more) with(@cycles)
    rdir.loop @cycles {
      rdir.task @smooth over [@blocks] reads(@fh {x}, @f {b}) writes(@f {y}) with(@fine_cells)
      rdir.task @smooth over [@blocks] reads(@fh {y}, @f {b}) writes(@f {x}) with(@fine_cells)
      rdir.task @residual over [@blocks] reads(@fh {x}, @f {b}) writes(@f {r}) with(@fine_cells)
      rdir.task @coarsen over [@blocks] reads(@f {r}) writes(@m {b, x})
      rdir.task @smooth over [@blocks] reads(@mh {x}, @m {b}) writes(@m {y}) with(@mid_cells)
      rdir.task @smooth over [@blocks] reads(@mh {y}, @m {b}) writes(@m {x}) with(@mid_cells)
      rdir.task @residual over [@blocks] reads(@mh {x}, @m {b}) writes(@m {r}) with(@mid_cells)
      rdir.task @coarsen over [@blocks] reads(@m {r}) writes(@c {b, x})
      rdir.loop 20 {
        rdir.task @smooth over [@blocks] reads(@ch {x}, @c {b}) writes(@c {y}) with(@coarse_cells)
        rdir.task @smooth over [@blocks] reads(@ch {y}, @c {b}) writes(@c {x}) with(@coarse_cells)
      }
      rdir.task @prolong over [@blocks] reads(@c {x}) writes(@m {x})
      rdir.task @smooth over [@blocks] reads(@mh {x}, @m {b}) writes(@m {y}) with(@mid_cells)
      rdir.task @smooth over [@blocks] reads(@mh {y}, @m {b}) writes(@m {x}) with(@mid_cells)
      rdir.task @prolong over [@blocks] reads(@m {x}) writes(@f {x})
      rdir.task @smooth over [@blocks] reads(@fh {x}, @f {b}) writes(@f {y}) with(@fine_cells)
      rdir.task @smooth over [@blocks] reads(@fh {y}, @f {b}) writes(@f {x}) with(@fine_cells)
    }
  }
}
