// Reductions to regions: all points to one region (by groups), to regions of
// an aliased partition that meet, through two arguments of one task, in place
// where nobody meets, and with an operator of the program's own.
// REQUIRES: starpu
// RUN: %starpu --tolerance 1e-12 %s %S/Inputs/reductions.cpp | FileCheck %s
// RUN: %starpu --tolerance 1e-12 %s %S/Inputs/reductions.cpp -- --n=17 --points=3
// RUN: %starpu --tolerance 1e-12 %s %S/Inputs/reductions.cpp -- --points=40 --rounds=5

// CHECK: bins
// CHECK: starpu: the same as Sluice

rdir.parameter @n : i64 = 1000
rdir.parameter @points : i64 = 12
rdir.parameter @rounds : i64 = 3
rdir.reduction @mixed : i64 identity 0 fold @mix
rdir.root @data [@n] {value : i64, near : i64}
rdir.root @bins [16] {count : i64, sum : f64}
rdir.root @nodes [@n] {charge : f64, pair : vector<2xi64>}
rdir.partition @parts of @data [@points] disjoint complete by blocks
rdir.partition @own of @nodes [@points] disjoint complete by blocks
rdir.partition @reached of @nodes [@points] aliased incomplete by image(@parts, "near")

rdir.graph @setup {
  %d0 = rdir.region @parts
  %d1 = rdir.region @parts
  rdir.task @start over [@points] discards(%d0) writes(%d1) with(@n)
  %n0 = rdir.region @nodes
  %n1 = rdir.region @nodes
  rdir.task @startNodes discards(%n0) writes(%n1)
  %c0 = rdir.region @bins {count}
  %c1 = rdir.region @bins {count}
  rdir.fill 1 : i64 discards(%c0) writes(%c1)
  %s0 = rdir.region @bins {sum}
  %s1 = rdir.region @bins {sum}
  rdir.fill 0.5 : f64 discards(%s0) writes(%s1)
}
rdir.graph @main {
  %d = rdir.region @parts initial
  %bins0 = rdir.region @bins initial
  %bins1 = rdir.region @bins
  %nodes0 = rdir.region @nodes initial
  %nodes1 = rdir.region @nodes
  rdir.loop @rounds reads(%d, %bins0, %nodes0) writes(%bins1, %nodes1) {
    %e = rdir.region @parts
    %c0 = rdir.region @bins {count}
    %c1 = rdir.region @bins {count}
    rdir.task @histogram over [@points] reads(%e) continues(%c0) reduces<"+">(%c1)
    %s0 = rdir.region @bins {sum}
    %s1 = rdir.region @bins {sum}
    rdir.task @weigh over [@points] reads(%e) continues(%s0) reduces<"+">(%s1)

    // To the own block, and to what it reaches.
    %q0 = rdir.region @nodes {charge}
    %o0 = rdir.region @own {charge}
    rdir.open reads(%q0) writes(%o0)
    %o1 = rdir.region @own {charge}
    rdir.task @distribute over [@points] reads(%e) continues(%o0) reduces<"+">(%o1)
    %q1 = rdir.region @nodes {charge}
    rdir.close reads(%o1) writes(%q1)
    %r1 = rdir.region @reached {charge}
    rdir.open reads(%q1) writes(%r1)
    %r2 = rdir.region @reached {charge}
    rdir.task @spread over [@points] reads(%e) continues(%r1) reduces<"+">(%r2)
    %q2 = rdir.region @nodes {charge}
    rdir.close reads(%q1, %r2) writes(%q2)

    %p0 = rdir.region @nodes {pair}
    %pr0 = rdir.region @reached {pair}
    rdir.open reads(%p0) writes(%pr0)
    %pr1 = rdir.region @reached {pair}
    rdir.task @stir over [@points] reads(%e) continues(%pr0) reduces<@mixed>(%pr1)
    %p1 = rdir.region @nodes {pair}
    rdir.close reads(%p0, %pr1) writes(%p1)
  }
  rdir.host @printBins reads(%bins1)
  rdir.host @printNodes reads(%nodes1)
}
