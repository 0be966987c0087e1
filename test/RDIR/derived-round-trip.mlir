// Rules of partitions as text, and cross products with two brackets.
// RUN: sluice-opt --rdir-explicit %s | sluice-opt | FileCheck %s
// RUN: sluice-opt --rdir-explicit --emit-bytecode %s | sluice-opt | FileCheck %s

rdir.parameter @n : i64 = 4
rdir.root @r [64] {x : f64, first : i64, last : i32}
rdir.root @g [16, 16] {x : f64}
rdir.partition @p of @r [4] disjoint complete by blocks
rdir.partition @q of @r [2] disjoint complete by blocks
rdir.partition @t of @g [2, 2] disjoint complete by blocks
// CHECK: by cross(@p, @q)
rdir.partition @pq of @r [4, 2] disjoint complete by cross(@p, @q)
// CHECK: by blocks(@p)
rdir.partition @parts of @r [4, 3] disjoint complete by blocks(@p)
// CHECK: by halo(@p, [1], periodic)
rdir.partition @ring of @r [4] aliased complete by halo(@p, [1], periodic)
// CHECK: by halo(@t, [1, 1], axes, periodic [1])
rdir.partition @channel of @g [2, 2] aliased complete by halo(@t, [1, 1], periodic [1], axes)
// CHECK: by color([i div 8 mod @n])
rdir.partition @cyclic of @r [@n] disjoint complete by color([i div 8 mod @n])
// CHECK: by color([i + j mod 2])
rdir.partition @checkers of @g [2] disjoint complete by color([i + j mod 2])
// CHECK: by image(@t, [j, i])
rdir.partition @turned of @g [2, 2] disjoint complete by image(@t, [j, i])
// CHECK: by image(@p, [2 * i - 1])
rdir.partition @odd of @r [4] aliased incomplete by image(@p, [2 * i - 1])
// CHECK: by preimage([i div 2], @p)
rdir.partition @fine of @r [4] aliased incomplete by preimage([i div 2], @p)
// CHECK: by image(@p, "first" to "last")
rdir.partition @ranges of @r [4] aliased incomplete by image(@p, "first" to "last")
// CHECK: by image(@p, "first" to next)
rdir.partition @rows of @r [4] aliased incomplete by image(@p, "first" to next)
// CHECK: by preimage("first" to next, @q)
rdir.partition @into of @r [2] aliased incomplete by preimage("first" to next, @q)
// CHECK: by difference(@p, @ring whole)
rdir.partition @none of @r [4] aliased incomplete by difference(@p, @ring whole)
// CHECK: by intersection(@p, @pq[1, 0])
rdir.partition @some of @r [4] aliased incomplete by intersection(@p, @pq[1][0])
// CHECK: %{{.*}} = rdir.region @pq[3, 1] {x}
rdir.graph @main {
  rdir.task @f writes(@pq[3][1] {x})
  // CHECK: by [i, %k]
  rdir.loop %k in 2 {
    rdir.task @g over [4] writes(@pq[i][%k] {x})
  }
}
