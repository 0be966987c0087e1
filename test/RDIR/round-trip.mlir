// Every operation and form is accepted again after it was printed, also in the
// generic form and as bytecode.
// RUN: sluice-opt %s > %t.mlir && FileCheck %s < %t.mlir
// RUN: sluice-opt %t.mlir | diff %t.mlir -
// RUN: sluice-opt %s --emit-bytecode | sluice-opt | diff %t.mlir -
// RUN: sluice-opt %s --mlir-print-op-generic | sluice-opt > %t.generic.mlir
// RUN: sluice-opt %t.generic.mlir --mlir-print-op-generic | sluice-opt | diff %t.generic.mlir -

// CHECK: rdir.parameter @n : i64 = 1024
rdir.parameter @n : i64 = 1024
// CHECK: rdir.parameter @pieces : i64 = 4
rdir.parameter @pieces : i64 = 4
rdir.reduction @closest : f64 identity 1.0e30 fold @closest_fold
rdir.variable @alpha : f64 = 0.0
rdir.variable @flag : i32 = 1
// CHECK: rdir.root @nodes [@n] {voltage : f64, charge : f64, piece : i32, near : vector<4xf64>}
rdir.root @nodes [@n] {voltage : f64, charge : f64, piece : i32, near : vector<4xf64>}
// CHECK: rdir.root @wires [@n] {in : i64, current : f32}
rdir.root @wires [@n] {in : i64, current : f32}
// CHECK: rdir.root @grid [1024, 1024] {old : f64, new : f64}
rdir.root @grid [1024, 1024] {old : f64, new : f64}
// CHECK: rdir.partition @blocks of @grid [4, 4] disjoint complete by blocks
rdir.partition @blocks of @grid [4, 4] disjoint complete by blocks
// CHECK: rdir.partition @halos of @grid [4, 4] aliased complete by halo(@blocks, [1, 1])
rdir.partition @halos of @grid [4, 4] aliased complete by halo(@blocks, [1, 1])
// CHECK: rdir.partition @cross of @grid [4, 4] aliased complete by halo(@blocks, [1, 1], axes)
rdir.partition @cross of @grid [4, 4] aliased complete by halo(@blocks, [1, 1], axes)
// CHECK: rdir.partition @owned of @nodes [@pieces] disjoint incomplete by coloring(@owned_nodes)
rdir.partition @owned of @nodes [@pieces] disjoint incomplete by coloring(@owned_nodes)
// CHECK: rdir.partition @byPiece of @nodes [@pieces] disjoint complete by field("piece")
rdir.partition @byPiece of @nodes [@pieces] disjoint complete by field("piece")
// CHECK: rdir.partition @wirePieces of @wires [@pieces] disjoint complete by preimage("in", @byPiece)
rdir.partition @wirePieces of @wires [@pieces] disjoint complete by preimage("in", @byPiece)
// CHECK: rdir.partition @reached of @nodes [@pieces] aliased incomplete by image(@wirePieces, "in")
rdir.partition @reached of @nodes [@pieces] aliased incomplete by image(@wirePieces, "in")
// CHECK: rdir.partition @ghost of @nodes [@pieces] aliased incomplete by difference(@reached, @byPiece)
rdir.partition @ghost of @nodes [@pieces] aliased incomplete by difference(@reached, @byPiece)
// CHECK: rdir.partition @quads of @blocks[0, 1] [2, 2] disjoint complete by blocks
rdir.partition @quads of @blocks[0, 1] [2, 2] disjoint complete by blocks
// CHECK: rdir.partition @P of @nodes [4] disjoint complete
rdir.partition @P of @nodes [4] disjoint complete
// CHECK: rdir.constraint subregion @blocks[0, 0] of @halos[0, 0]
rdir.constraint subregion @blocks[0, 0] of @halos[0, 0]
// CHECK: rdir.constraint disjoint @P[0], @P[3]
rdir.constraint disjoint @P[0], @P[3]
rdir.graph @empty {}
rdir.graph @main {
  %v0 = rdir.region @nodes {voltage} initial
  %v1 = rdir.region @nodes {voltage} edges(write from %t9, read to %t1 port 3)
  %a0 = rdir.scalar @alpha initial
  %s0 = rdir.scalar @alpha
  %s1 = rdir.scalar @alpha
  %t1 = rdir.task @update reads(%v0, %a0) writes(%v1) with(@n, 3.0 : f64)
  %h0 = rdir.region @halos
  %q0 = rdir.region @blocks {old}
  %b1 = rdir.region @blocks
  %b2 = rdir.region @blocks[2, 3]
  %t2 = rdir.task @sweep over [4, 4] reads(%h0, %q0 by affine_map<(i, j) -> (i, j + 1)>) writes(%b1)
  %t3 = rdir.task @dot over [@pieces] reads(%x whole, %x by @f) continues(%s0) reduces<"+">(%s1)
  %x = rdir.region @byPiece
  %t4 = rdir.task @f reads(%v0 port 1, %h0 port 0) writes(%v1 port 1) coherence([exclusive, atomic]) after(%t1, %t2)
  %o = rdir.open reads(%v0) writes(%b1)
  %c = rdir.close reads(%b1) writes(%v1)
  %k = rdir.copy reads(%v0) discards(%v1) writes(%v1)
  %fl = rdir.fill 0.0 : f64 over [4, 4] discards(%q0) writes(%q0)
  %p = rdir.host @print reads(%v0)
  %l = rdir.loop 100 while @flag reads(%b1) writes(%b2) {
    %v0 = rdir.region @nodes {voltage} initial
  }
  %l2 = rdir.loop @n {
  }
  %l3 = rdir.loop while @flag attributes {a = 3} {
  }
  %m = rdir.must_epoch reads(%b1) writes(%b2) { }
  %t9 = rdir.task edges(read to %b1, read from %b1) reads(%l)
  rdir.task @g
  rdir.task
}
