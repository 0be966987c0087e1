// RUN: sluice-opt %s -rdir-check --split-input-file --verify-diagnostics

// P1: what is declared is so, as far as it can be seen.
rdir.root @a [8] {x : i64}
rdir.root @b [8] {x : i64}
rdir.partition @p of @a [4] disjoint complete by blocks
// expected-error @+1 {{'h' is declared disjoint, but its colors 0 and 1 both have element 1 [P1]}}
rdir.partition @h of @a [4] disjoint complete by halo(@p, [1])
// expected-error @+1 {{'k' is declared as a part of 'p[1]', but it has element 0, which 'p[1]' does not have [P1]}}
rdir.partition @k of @p[1] [4] aliased incomplete by halo(@p, [0])
// expected-error @+1 {{'d' is declared complete, but no color has element 0 [P1]}}
rdir.partition @d of @a [4] aliased complete by difference(@h, @p)
// expected-error @+1 {{'b' is declared a part of 'a', but they are of different roots, which share no element [P1]}}
rdir.constraint subregion @b of @a
// expected-error @+1 {{'p[0]' and 'h[1]' are declared disjoint, but element 1 is in both [P1]}}
rdir.constraint disjoint @p[0], @h[1]
// expected-error @+1 {{'p[0]' is declared a part of 'h[1]', but element 0 is only in the first [P1]}}
rdir.constraint subregion @p[0] of @h[1]
rdir.graph @main {
  %h = rdir.region @h[0] initial
  %k = rdir.region @k initial
  %d = rdir.region @d initial
}

// -----
// Of two dimensions.
rdir.root @a [4, 4] {x : i64}
rdir.partition @p of @a [2, 2] disjoint complete by blocks
// expected-error @+1 {{'h' is declared disjoint, but its colors (0, 0) and (0, 1) both have element (0, 1) [P1]}}
rdir.partition @h of @a [2, 2] disjoint complete by halo(@p, [1, 1], axes)
rdir.graph @main {
  %h = rdir.region @h initial
}

// -----
// What holds is no matter, nor what nobody uses.
rdir.parameter @n : i64 = 8
rdir.root @a [@n] {x : i64, color : i32}
rdir.root @c [16] {x : i64}
rdir.partition @p of @a [4] disjoint complete by blocks
rdir.partition @f of @a [4] disjoint incomplete by field("color")
rdir.partition @h of @a [4] aliased complete by halo(@p, [1])
rdir.partition @q of @c [4] disjoint complete by blocks
rdir.partition @r of @q[2] [2] disjoint complete by blocks
rdir.partition @s of @c [4] aliased complete by halo(@q, [2])
rdir.partition @t of @c [4] disjoint incomplete by difference(@s, @q)
rdir.constraint disjoint @r[0], @s[0]
rdir.constraint subregion @r[0] of @s[1]
rdir.constraint disjoint @a, @c
rdir.graph @main {
  %p = rdir.region @p initial
  %f = rdir.region @f[1] initial
  %h = rdir.region @h initial
  %r = rdir.region @r initial
  %s = rdir.region @s initial
}

// -----
// P2: of two tasks that must keep an order, one is exclusive.
rdir.root @a [8] {x : i64, y : i64}
rdir.graph @main {
  %a0 = rdir.region @a {x} initial
  // expected-note @+1 {{'%t1' is here}}
  %t1 = rdir.task reads(%a0) writes(%a1) coherence([simultaneous])
  %a1 = rdir.region @a {x}
  // expected-error @+1 {{'%t1' writes 'a' with coherence 'simultaneous', and '%t2' reads 'a' with coherence 'relaxed', so they may run at the same time; let one of the two be exclusive [P2]}}
  %t2 = rdir.task reads(%a1) coherence([relaxed])
}

// -----
// In bodies and other graphs as well; an atomic one does not help.
rdir.root @a [8] {x : i64}
rdir.partition @p of @a [4] disjoint complete by blocks
rdir.graph @first {
  %a0 = rdir.region @a initial
  %a1 = rdir.region @a
  // expected-note @+1 {{'%t1' is here}}
  %t1 = rdir.task reads(%a0) writes(%a1) coherence([atomic])
}
rdir.graph @second {
  %a0 = rdir.region @a initial
  %a1 = rdir.region @a
  %m = rdir.must_epoch reads(%a0) writes(%a1) {
    %p0 = rdir.region @p[1]
    %p1 = rdir.region @p[1]
    // expected-error @+1 {{'%t1' writes 'a' with coherence 'atomic', and '%t2' reads 'p[1]' with coherence 'simultaneous', so they may run at the same time; let one of the two be exclusive [P2]}}
    %t2 = rdir.task reads(%p0) writes(%p1) coherence([simultaneous])
  }
}

// -----
rdir.root @a [8] {x : i64}
rdir.graph @main {
  %a0 = rdir.region @a initial
  %a1 = rdir.region @a
  %l = rdir.loop 3 reads(%a0) writes(%a1) {
    %b0 = rdir.region @a
    %b1 = rdir.region @a
    // expected-error @+1 {{'%t' writes 'a' with coherence 'relaxed' in a loop, so its iterations may run at the same time; let it be exclusive [P2]}}
    %t = rdir.task reads(%b0) writes(%b1) coherence([relaxed])
  }
}

// -----
rdir.variable @v : i64 = 0
rdir.graph @main {
  %v0 = rdir.scalar @v initial
  %v1 = rdir.scalar @v
  // expected-error @+1 {{'%t' reduces into 'v' with coherence 'simultaneous', so its points may fold at the same time; let it be exclusive [P2]}}
  %t = rdir.task over [4] continues(%v0) reduces<"+">(%v1) coherence([simultaneous])
}

// -----
// Who only reads, touches other elements, or meets exclusive tasks only.
rdir.variable @v : i64 = 0
rdir.root @a [8] {x : i64, y : i64}
rdir.partition @p of @a [4] disjoint complete by blocks
rdir.graph @main {
  %x0 = rdir.region @a {x} initial
  %t1 = rdir.task reads(%x0) coherence([simultaneous])
  %t2 = rdir.task reads(%x0) coherence([relaxed])
  %t3 = rdir.task reads(%x0) writes(%x1)
  %x1 = rdir.region @a {x}
  %y0 = rdir.region @p {y} initial
  %y1 = rdir.region @p {y}
  %t4 = rdir.task over [4] reads(%y0) writes(%y1) coherence([simultaneous])
  %v0 = rdir.scalar @v initial
  %v1 = rdir.scalar @v
  %t5 = rdir.task over [4] continues(%v0) reduces<"+">(%v1) coherence([atomic])
  %t6 = rdir.task continues(%v0) reduces<"+">(%v1) coherence([atomic])
}

// -----
// Constraints use partitions, too.
rdir.root @a [8] {x : i64}
rdir.partition @p of @a [4] disjoint complete by blocks
// expected-error @+1 {{'h' is declared disjoint, but its colors 0 and 1 both have element 1 [P1]}}
rdir.partition @h of @a [4] disjoint complete by halo(@p, [1])
rdir.constraint subregion @p[0] of @h[0]
rdir.graph @main {
  %p = rdir.region @p[1] initial
}

// -----
// Of what no graph uses, nothing is said.
rdir.root @a [8] {x : i64}
rdir.root @b [8] {x : i64}
rdir.partition @p of @a [4] disjoint complete by blocks
rdir.partition @h of @a [4] disjoint complete by halo(@p, [1])
rdir.constraint subregion @p[0] of @h[0]
rdir.graph @main {
  %b = rdir.region @b initial
}
