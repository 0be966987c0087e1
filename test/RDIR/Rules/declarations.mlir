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
