// RUN: sluice-opt %s -rdir-check-launches --split-input-file --verify-diagnostics

// L1: the points of a launch do not interfere.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] aliased complete
rdir.graph @aliased {
  // expected-note @+1 {{one version is here}}
  %p0 = rdir.region @p initial
  // expected-error @+1 {{points (0) and (1) of '%t' interfere: the one reads 'p[0]', the other writes 'p[1]'; declare 'p' disjoint if its colors share no elements, or let iterations of a loop take the place of points [L1]}}
  %t = rdir.task over [4] reads(%p0) writes(%p1)
  // expected-note @+1 {{the other version is here}}
  %p1 = rdir.region @p
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.graph @disjoint {
  %p0 = rdir.region @p initial
  %t = rdir.task over [4] reads(%p0) writes(%p1)
  %p1 = rdir.region @p
}

// -----
// The map (x, y) -> (x + y, x + y) is not injective.
rdir.root @a [8, 8] {x : f64}
rdir.partition @p of @a [7, 7] disjoint complete
rdir.graph @singular {
  %p0 = rdir.region @p initial
  // expected-error @+1 {{points (0, 1) and (1, 0) of '%t' interfere: the one writes 'p[1, 1]', the other writes 'p[1, 1]'; give each point a color of its own [L1]}}
  %t = rdir.task over [4, 4]
    discards(%p0 by affine_map<(x, y) -> (x + y, x + y)>)
    writes(%p1 by affine_map<(x, y) -> (x + y, x + y)>)
  // expected-note @+1 {{one version is here}}
  %p1 = rdir.region @p
}

// -----
rdir.root @a [8, 8] {x : f64}
rdir.partition @p of @a [7, 7] disjoint complete
rdir.graph @regular {
  %p0 = rdir.region @p initial
  %t = rdir.task over [4, 4]
    discards(%p0 by affine_map<(x, y) -> (x + y, x)>)
    writes(%p1 by affine_map<(x, y) -> (x + y, x)>)
  %p1 = rdir.region @p
}

// -----
// Each point writes the whole root.
rdir.root @a [8] {x : f64}
rdir.graph @whole {
  // expected-note @+1 {{one version is here}}
  %a0 = rdir.region @a initial
  // expected-error @+1 {{points (0) and (1) of '%t' interfere: the one reads 'a', the other writes 'a'; give each point a color of its own [L1]}}
  %t = rdir.task over [4] reads(%a0) writes(%a1)
  // expected-note @+1 {{the other version is here}}
  %a1 = rdir.region @a
}

// -----
// What a function decides is checked when the program runs.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.graph @function {
  // expected-note @+1 {{the version is here}}
  %p0 = rdir.region @p initial
  // expected-remark @+1 {{whether points of '%t' meet in colors of 'p' is checked when the program runs: a function chooses the colors [L1]}}
  %t = rdir.task over [4] reads(%p0 by @choose) writes(%p1 by @choose)
  // expected-note @+1 {{the other version is here}}
  %p1 = rdir.region @p
}

// -----
// L2: projections stay within the colors.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.graph @outside {
  // expected-note @+1 {{the version is here}}
  %p0 = rdir.region @p initial
  // expected-error @+1 {{point (3) of '%t' reads 'p[4]', but the colors of 'p' are below (4) and not negative [L2]}}
  %t = rdir.task over [4] reads(%p0 by affine_map<(i) -> (i + 1)>)
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.graph @inside {
  %p0 = rdir.region @p initial
  %t = rdir.task over [3] reads(%p0 by affine_map<(i) -> (i + 1)>)
}

// -----
// L1: nor does one point change what it has as another argument.
rdir.root @a [8] {x : f64}
rdir.root @c [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.partition @q of @c [2] disjoint complete
rdir.graph @one_point {
  // expected-note @+1 {{one version is here}}
  %p0 = rdir.region @p initial
  %c0 = rdir.region @q initial
  // expected-error @+1 {{point (0) of '%t' reads 'p[0]', and writes 'p[0]' as another argument; let one argument have both, or other elements [L1]}}
  %t = rdir.task over [2] reads(%p0 by affine_map<(i) -> (i + i)>) discards(%p0) writes(%p1) discards(%c0) writes(%c1)
  // expected-note @+1 {{the other version is here}}
  %p1 = rdir.region @p
  %c1 = rdir.region @q
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.graph @one_argument {
  %p0 = rdir.region @p initial
  %t = rdir.task over [2] reads(%p0 by affine_map<(i) -> (i + i)>) writes(%p1 by affine_map<(i) -> (i + i)>)
  %p1 = rdir.region @p
}

// -----
// L1: of two dimensions, and with partial fields.
rdir.root @a [8, 8] {x : f64, y : f64}
rdir.partition @p of @a [4, 4] disjoint complete
rdir.graph @two {
  // expected-note @+1 {{one version is here}}
  %p0 = rdir.region @p initial
  %y0 = rdir.region @p {y} initial
  // expected-error @+1 {{point (2) of '%t' reads 'p[2, 2]', and writes 'p[2, 2]' as another argument; let one argument have both, or other elements [L1]}}
  %t = rdir.task over [3] reads(%p0 by affine_map<(i) -> (2, i)>) discards(%y0 by affine_map<(i) -> (i, i)>) writes(%y1 by affine_map<(i) -> (i, i)>)
  // expected-note @+1 {{the other version is here}}
  %y1 = rdir.region @p {y}
}

// -----
// L1: single colors are compared with those of the points.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.partition @r of @p[0] [2] aliased incomplete
rdir.graph @single {
  %a0 = rdir.region @a initial
  rdir.open reads(%a0) writes(%f, %p0)
  %f = rdir.region @r[1]
  %p0 = rdir.region @p
  %t = rdir.task over [3] reads(%f) discards(%p0) writes(%p1 by affine_map<(i) -> (i + 1)>)
  %p1 = rdir.region @p
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.partition @r of @p[2] [2] aliased incomplete
rdir.graph @single {
  %a0 = rdir.region @a initial
  rdir.open reads(%a0) writes(%f, %p0)
  // expected-note @+1 {{one version is here}}
  %f = rdir.region @r[1]
  %p0 = rdir.region @p
  // expected-error @+1 {{points (0) and (1) of '%t' interfere: the one reads 'r[1]', the other writes 'p[2]', which may share elements; use other fields or two tasks [L1]}}
  %t = rdir.task over [3] reads(%f) discards(%p0) writes(%p1 by affine_map<(i) -> (i + 1)>)
  // expected-note @+1 {{the other version is here}}
  %p1 = rdir.region @p
}

// -----
// What is told of a launch is told once, for all pairs of its arguments.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [8] disjoint complete by blocks
rdir.graph @once {
  rdir.loop %k in 3 {
    // expected-remark @+3 {{whether points of '@f' meet in colors of 'p' is checked when the program runs}}
    // expected-note @+2 {{the version is here}}
    // expected-note @+2 {{the other version is here}}
    rdir.task @f over [2] reads(@p[i + %k + 4 mod 8])
      writes(@p[i + %k mod 8], @p[i + %k + 2 mod 8])
  }
}
