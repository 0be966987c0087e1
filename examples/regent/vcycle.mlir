// A multigrid V-cycle for a Poisson equation on three grids, each half as fine
// as the one before. The blocks of one color cover the same part of the domain
// on all grids, so restriction and prolongation stay within a color and its
// halo.

rdir.parameter @fine_cells : i64 = 4096
rdir.parameter @mid_cells : i64 = 2048
rdir.parameter @coarse_cells : i64 = 1024
rdir.parameter @cycles : i64 = 10
rdir.root @fine [@fine_cells] {x : f64, y : f64, b : f64, r : f64}
rdir.root @mid [@mid_cells] {x : f64, y : f64, b : f64, r : f64}
rdir.root @coarse [@coarse_cells] {x : f64, y : f64, b : f64, r : f64}
rdir.partition @f of @fine [8] disjoint complete by blocks
rdir.partition @m of @mid [8] disjoint complete by blocks
rdir.partition @c of @coarse [8] disjoint complete by blocks
rdir.partition @fh of @fine [8] aliased complete by halo(@f, [1])
rdir.partition @mh of @mid [8] aliased complete by halo(@m, [1])
rdir.partition @ch of @coarse [8] aliased complete by halo(@c, [1])

rdir.graph @main {
  rdir.task @start over [8] writes(@f)
  rdir.loop @cycles {
    rdir.task @smooth over [8] reads(@fh {x}, @f {b}) writes(@f {y}) with(@fine_cells)
    rdir.task @smooth over [8] reads(@fh {y}, @f {b}) writes(@f {x}) with(@fine_cells)
    rdir.task @residual over [8] reads(@fh {x}, @f {b}) writes(@f {r}) with(@fine_cells)
    rdir.task @coarsen over [8] reads(@f {r}) writes(@m {b, x})
    rdir.task @smooth over [8] reads(@mh {x}, @m {b}) writes(@m {y}) with(@mid_cells)
    rdir.task @smooth over [8] reads(@mh {y}, @m {b}) writes(@m {x}) with(@mid_cells)
    rdir.task @residual over [8] reads(@mh {x}, @m {b}) writes(@m {r}) with(@mid_cells)
    rdir.task @coarsen over [8] reads(@m {r}) writes(@c {b, x})
    rdir.loop 20 {
      rdir.task @smooth over [8] reads(@ch {x}, @c {b}) writes(@c {y}) with(@coarse_cells)
      rdir.task @smooth over [8] reads(@ch {y}, @c {b}) writes(@c {x}) with(@coarse_cells)
    }
    rdir.task @prolong over [8] reads(@c {x}) writes(@m {x})
    rdir.task @smooth over [8] reads(@mh {x}, @m {b}) writes(@m {y}) with(@mid_cells)
    rdir.task @smooth over [8] reads(@mh {y}, @m {b}) writes(@m {x}) with(@mid_cells)
    rdir.task @prolong over [8] reads(@m {x}) writes(@f {x})
    rdir.task @smooth over [8] reads(@fh {x}, @f {b}) writes(@f {y}) with(@fine_cells)
    rdir.task @smooth over [8] reads(@fh {y}, @f {b}) writes(@f {x}) with(@fine_cells)
  }
  rdir.host @compare reads(@fine {x}) with(@cycles)
}
