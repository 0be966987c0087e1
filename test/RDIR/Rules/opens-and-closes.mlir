// RUN: sluice-opt %s -rdir-check-kinds --split-input-file --verify-diagnostics

// O1: an open reads one version.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @none {
  // expected-error @+1 {{the open '%o' reads 0 data nodes, expected 1 [O1]}}
  %o = rdir.open writes(%p0)
  %p0 = rdir.region @p[0]
}

// -----
// O2: it writes parts of that, at least one.
rdir.root @a [8] {x : f64}
rdir.graph @noParts {
  %a0 = rdir.region @a initial
  // expected-error @+1 {{the open '%o' writes no data node, expected at least 1 [O2]}}
  %o = rdir.open reads(%a0)
}

// -----
rdir.root @a [8] {x : f64}
rdir.graph @sameRegion {
  // expected-note @+1 {{it is read here}}
  %a0 = rdir.region @a initial
  // expected-error @+1 {{the open '%o' writes '%a1', a version of 'a', which is not a part of 'a', which it reads as '%a0' [O2]}}
  %o = rdir.open reads(%a0) writes(%a1)
  // expected-note @+1 {{it is written here}}
  %a1 = rdir.region @a
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @open {
  %a0 = rdir.region @a initial
  %o = rdir.open reads(%a0) writes(%p0, %p1)
  %p0 = rdir.region @p[0]
  %p1 = rdir.region @p[1]
}

// -----
// O3: it has no other edges.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @others {
  %a0 = rdir.region @a initial
  // expected-note @+1 {{the data node is here}}
  %b0 = rdir.region @p[1] initial
  // expected-error @+1 {{the open '%o' discards '%b0', a version of 'p[1]'; an open only reads and writes [O3]}}
  %o = rdir.open reads(%a0) writes(%p0) discards(%b0)
  %p0 = rdir.region @p[0]
}

// -----
// C1: a close writes one version.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @none {
  %p0 = rdir.region @p[0] initial
  // expected-error @+1 {{the close '%c' writes 0 data nodes, expected 1 [C1]}}
  %c = rdir.close reads(%p0)
}

// -----
// C2: it reads parts of that, none twice.
rdir.root @a [8] {x : f64}
rdir.root @b [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @others {
  %p0 = rdir.region @p[0] initial
  %p1 = rdir.region @p[1] initial
  // expected-note @+1 {{it is read here}}
  %b0 = rdir.region @b initial
  // expected-error @+1 {{the close '%c' reads '%b0', a version of 'b', which is not a part of 'a', which it writes as '%a1' [C2]}}
  %c = rdir.close reads(%p0, %p1, %b0) writes(%a1)
  // expected-note @+1 {{it is written here}}
  %a1 = rdir.region @a
}

// -----
// C3: they cover it.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @holes {
  %p0 = rdir.region @p[0] initial
  // expected-error @+1 {{what the close '%c' reads does not cover '%a1', a version of 'a'; let it read all colors of a complete partition, or the version of 'a' before [C3]}}
  %c = rdir.close reads(%p0) writes(%a1)
  // expected-note @+1 {{it is written here}}
  %a1 = rdir.region @a
}

// -----
// With what was there before, they do.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @base {
  %a0 = rdir.region @a initial
  %o = rdir.open reads(%a0) writes(%p0)
  %p0 = rdir.region @p[0]
  %c = rdir.close reads(%p0, %a0) writes(%a1)
  %a1 = rdir.region @a
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @all {
  %p0 = rdir.region @p[0] initial
  %p1 = rdir.region @p[1] initial
  %c = rdir.close reads(%p0, %p1) writes(%a1)
  %a1 = rdir.region @a
}

// -----
// C4: it has no other edges.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @reduces {
  %p0 = rdir.region @p initial
  // expected-error @+1 {{the close '%c' reduces into '%b1', a version of 'p[0]'; a close only reads and writes [C4]}}
  %c = rdir.close reads(%p0) writes(%a1) reduces<"+">(%b1)
  %a1 = rdir.region @a
  // expected-note @+1 {{the data node is here}}
  %b1 = rdir.region @p[0]
}
