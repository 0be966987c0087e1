// Projections, affine and by functions; copies and fills, whole and launched;
// arrays in elements; a subregion as an argument.
// REQUIRES: starpu
// RUN: %starpu %s %S/Inputs/launches.cpp | FileCheck %s
// RUN: %starpu %s %S/Inputs/launches.cpp -- --n=5003

// CHECK: sums
// CHECK: starpu: the same as Sluice

rdir.parameter @n : i64 = 64
rdir.variable @size : i64 = 0
rdir.variable @again : i64 = 1
rdir.root @a [@n] {x : i64, v : vector<3xi32>}
rdir.root @b [@n] {x : i64, v : vector<3xi32>}
rdir.partition @as of @a [8] disjoint complete by blocks
rdir.partition @bs of @b [8] disjoint complete by blocks

rdir.graph @main {
  %ax0 = rdir.region @as {x}
  %av0 = rdir.region @as {v}
  %ax = rdir.region @as {x}
  %av = rdir.region @as {v}
  rdir.task @start over [8] discards(%ax0, %av0) writes(%ax, %av)
  %bx0 = rdir.region @bs {x}
  %bx1 = rdir.region @bs {x}
  rdir.fill -3 : i64 over [8] discards(%bx0) writes(%bx1)
  %bv0 = rdir.region @b {v}
  %bv1 = rdir.region @b {v}
  rdir.fill 11 : i32 discards(%bv0) writes(%bv1)

  // Each point reads the block behind its own, the last one the first.
  %bx2 = rdir.region @bs {x}
  rdir.task @shift over [8] reads(%ax by @following, %bx1) writes(%bx2)
  // Every other block, from the last one.
  %bx3 = rdir.region @bs {x}
  rdir.task @turn over [4] reads(%ax by affine_map<(i) -> (i + 4)>, %bx2 by affine_map<(i) -> (7 - 2 * i)>) writes(%bx3 by affine_map<(i) -> (7 - 2 * i)>)

  // The arrays of a go to b as a whole, b's numbers to a block by block.
  %avAll = rdir.region @a {v}
  rdir.close reads(%av) writes(%avAll)
  %bv2 = rdir.region @b {v}
  rdir.copy reads(%avAll) discards(%bv1) writes(%bv2)
  %ax2 = rdir.region @as {x}
  rdir.copy over [8] reads(%bx3) discards(%ax) writes(%ax2)
  // One block of a, and a variable from another.
  %one = rdir.region @as[5] {x}
  rdir.open reads(%ax2) writes(%one)
  %one1 = rdir.region @as[5] {x}
  rdir.task @negate reads(%one) writes(%one1)
  %axAll = rdir.region @a {x}
  rdir.close reads(%ax2, %one1) writes(%axAll)
  %size0 = rdir.scalar @size
  %size1 = rdir.scalar @size
  rdir.fill 42 : i64 discards(%size0) writes(%size1)
  %again0 = rdir.scalar @again initial
  %again1 = rdir.scalar @again
  rdir.copy reads(%size1) discards(%again0) writes(%again1)
  %bAll = rdir.region @b {x}
  rdir.close reads(%bx3) writes(%bAll)
  rdir.host @print reads(%axAll, %bAll, %bv2, %again1)
}
