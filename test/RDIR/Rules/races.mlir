// RUN: sluice-opt %s -rdir-check-races --split-input-file --verify-diagnostics

// D1: one writer of a version, or reducers with one operator.
rdir.root @a [8] {x : f64}
rdir.graph @writers {
  %a0 = rdir.region @a initial
  // expected-note @+1 {{'%t1' writes '%a1' here}}
  %t1 = rdir.task reads(%a0) writes(%a1)
  // expected-note @+1 {{'%t2' writes '%a1' here}}
  %t2 = rdir.task reads(%a0) writes(%a1)
  // expected-error @+1 {{'%a1', a version of 'a', has 2 Write edges; a version has one Write, or Reduces with one operator: let each writer make a version of its own [D1]}}
  %a1 = rdir.region @a
}

// -----
// A launch is one writer, whatever the number of its projections; two tasks and
// one projection twice are not.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete by blocks
rdir.graph @projections {
  %p0 = rdir.region @p initial
  rdir.task over [2] reads(%p0, %p0 by [i + 2]) writes(%p1, %p1 by [i + 2])
  %p1 = rdir.region @p
  // expected-note @+1 {{writes '%p2' here}}
  rdir.task over [2] reads(%p1) writes(%p2, %p2)
  // expected-error @+1 {{'%p2', a version of 'p', has 2 Write edges}}
  %p2 = rdir.region @p
  // expected-note @+1 {{writes '%p3' here}}
  rdir.task over [2] reads(%p2) writes(%p3)
  // expected-note @+1 {{writes '%p3' here}}
  rdir.task over [2] reads(%p2 by [i + 2]) writes(%p3 by [i + 2])
  // expected-error @+1 {{'%p3', a version of 'p', has 2 Write edges}}
  %p3 = rdir.region @p
}

// -----
rdir.root @a [8] {x : f64}
rdir.graph @operators {
  %a0 = rdir.region @a initial
  // expected-note @+1 {{'%t1' reduces into '%a1' here}}
  %t1 = rdir.task continues(%a0) reduces<"+">(%a1)
  // expected-note @+1 {{'%t2' reduces into '%a1' here}}
  %t2 = rdir.task continues(%a0) reduces<"*">(%a1)
  // expected-error @+1 {{'%a1', a version of 'a', is reduced into with different operators; a version has one Write, or Reduces with one operator: let each writer make a version of its own [D1]}}
  %a1 = rdir.region @a
}

// -----
rdir.root @a [8] {x : f64}
rdir.graph @both {
  %a0 = rdir.region @a initial
  // expected-note @+1 {{'%t1' reduces into '%a1' here}}
  %t1 = rdir.task continues(%a0) reduces<"+">(%a1)
  // expected-note @+1 {{'%t2' writes '%a1' here}}
  %t2 = rdir.task discards(%a0) writes(%a1)
  // expected-error @+1 {{'%a1', a version of 'a', is both written and reduced into; a version has one Write, or Reduces with one operator: let each writer make a version of its own [D1]}}
  %a1 = rdir.region @a
}

// -----
// Reducers with one operator commute.
rdir.root @a [8] {x : f64}
rdir.graph @commute {
  %a0 = rdir.region @a initial
  %t1 = rdir.task continues(%a0) reduces<"+">(%a1)
  %t2 = rdir.task continues(%a0) reduces<"+">(%a1)
  %a1 = rdir.region @a
}

// -----
// D2: versions of what may alias are in order.
rdir.root @a [8] {x : f64}
rdir.graph @unordered {
  %a0 = rdir.region @a initial
  %t1 = rdir.task reads(%a0) writes(%a1)
  // expected-note @+1 {{the other version is here}}
  %a1 = rdir.region @a
  // expected-note @+1 {{'%t2' makes '%a2'; let it start from '%a1', or from a version that an open or close makes of it}}
  %t2 = rdir.task reads(%a0) writes(%a2)
  // expected-error @+1 {{'%a1' and '%a2', versions of 'a' that may share elements, are not ordered: there is no path between them [D2]}}
  %a2 = rdir.region @a
}

// -----
rdir.root @a [8] {x : f64}
rdir.graph @ordered {
  %a0 = rdir.region @a initial
  %t1 = rdir.task reads(%a0) writes(%a1)
  %a1 = rdir.region @a
  %t2 = rdir.task reads(%a1) writes(%a2)
  %a2 = rdir.region @a
}

// -----
// D2: colors of an aliased partition share elements.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] aliased complete
rdir.graph @aliased {
  // expected-note @+1 {{the other version is here}}
  %a0 = rdir.region @p[0] initial
  // expected-error @+2 {{'%a0' and '%b0', versions of 'p[0]' and 'p[1]' that may share elements, are not ordered: there is no path between them [D2]}}
  // expected-note @+1 {{the other version is here}}
  %b0 = rdir.region @p[1] initial
  // expected-note @+1 {{'rdir.task' makes '%a1'; let it start from '%b0', or from a version that an open or close makes of it}}
  rdir.task reads(%a0) writes(%a1)
  // expected-note @+1 {{'rdir.task' makes '%b1'; let it start from '%a1', or from a version that an open or close makes of it}}
  rdir.task reads(%b0) writes(%b1)
  // expected-error @+2 {{'%b0' and '%a1', versions of 'p[1]' and 'p[0]' that may share elements, are not ordered: there is no path between them [D2]}}
  // expected-note @+1 {{the other version is here}}
  %a1 = rdir.region @p[0]
  // expected-error @+1 {{'%a1' and '%b1', versions of 'p[0]' and 'p[1]' that may share elements, are not ordered: there is no path between them [D2]}}
  %b1 = rdir.region @p[1]
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @disjoint {
  %a0 = rdir.region @p[0] initial
  %b0 = rdir.region @p[1] initial
  rdir.task reads(%a0) writes(%a1)
  rdir.task reads(%b0) writes(%b1)
  %a1 = rdir.region @p[0]
  %b1 = rdir.region @p[1]
}

// -----
// A constraint says what the partition does not.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] aliased complete
rdir.constraint disjoint @p[0], @p[1]
rdir.graph @constrained {
  %a0 = rdir.region @p[0] initial
  %b0 = rdir.region @p[1] initial
  rdir.task reads(%a0) writes(%a1)
  rdir.task reads(%b0) writes(%b1)
  %a1 = rdir.region @p[0]
  %b1 = rdir.region @p[1]
}

// -----
// Fields that differ never alias.
rdir.root @a [8] {x : f64, y : f64}
rdir.graph @fields {
  %a0 = rdir.region @a {x} initial
  %b0 = rdir.region @a {y} initial
  rdir.task reads(%a0) writes(%a1)
  rdir.task reads(%b0) writes(%b1)
  %a1 = rdir.region @a {x}
  %b1 = rdir.region @a {y}
}

// -----
// D3: what is read has a value; a remark.
rdir.root @a [8] {x : f64}
rdir.graph @source {
  // expected-remark @+1 {{'rdir.task' reads '%a0', a version of 'a', which nobody writes; mark it 'initial' if it has a value before the graph [D3]}}
  %a0 = rdir.region @a
  // expected-note @+1 {{it is read here}}
  rdir.task reads(%a0)
}

// -----
// D4: what a close carries on is the latest version.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @stale {
  %a0 = rdir.region @a initial
  %o = rdir.open reads(%a0) writes(%p0, %q0)
  // expected-note @+1 {{values are carried on from here}}
  %p0 = rdir.region @p[0]
  %q0 = rdir.region @p[1]
  %t = rdir.task reads(%p0) writes(%p1)
  // expected-note @+1 {{the later version is here}}
  %p1 = rdir.region @p[0]
  %s = rdir.task reads(%p1, %q0) writes(%q1)
  // expected-note @+1 {{values are carried on from here}}
  %q1 = rdir.region @p[1]
  // expected-error @+1 {{'%c' makes '%a1', a version of 'a', from '%p0' and others, but '%p1', a version of 'p[0]', is later, and what '%t' wrote is lost; let the close read '%p1' or a version that comes after it [D4]}}
  %c = rdir.close reads(%p0, %q1) writes(%a1)
  %a1 = rdir.region @a
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @latest {
  %a0 = rdir.region @a initial
  %o = rdir.open reads(%a0) writes(%p0, %q0)
  %p0 = rdir.region @p[0]
  %q0 = rdir.region @p[1]
  %t = rdir.task reads(%p0) writes(%p1)
  %p1 = rdir.region @p[0]
  %s = rdir.task reads(%p1, %q0) writes(%q1)
  %q1 = rdir.region @p[1]
  %c = rdir.close reads(%p1, %q1) writes(%a1)
  %a1 = rdir.region @a
}

// -----
// D4: so is what a reduction continues.
rdir.root @a [8] {x : f64}
rdir.graph @reduce {
  // expected-note @+1 {{values are carried on from here}}
  %a0 = rdir.region @a initial
  %t = rdir.task reads(%a0) writes(%a1)
  // expected-note @+1 {{the later version is here}}
  %a1 = rdir.region @a
  // expected-error @+1 {{'%r' makes '%a2', a version of 'a', from '%a0', but '%a1', a version of 'a', is later, and what '%t' wrote is lost; continue '%a1' or a version that comes after it [D4]}}
  %r = rdir.task continues(%a0) discards(%a1) reduces<"+">(%a2)
  %a2 = rdir.region @a
}

// -----
rdir.root @a [8] {x : f64}
rdir.graph @reduce {
  %a0 = rdir.region @a initial
  %t = rdir.task reads(%a0) writes(%a1)
  %a1 = rdir.region @a
  %r = rdir.task continues(%a1) reduces<"+">(%a2)
  %a2 = rdir.region @a
}

// -----
// A close that was forgotten: nothing can start from what it would make.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @forgottenClose {
  %p0 = rdir.region @p initial
  %t = rdir.task over [2] reads(%p0) writes(%p1)
  // expected-error @+1 {{'%a1' and '%p1', versions of 'a' and 'p' that may share elements, are not ordered: there is no path between them [D2]}}
  %p1 = rdir.region @p
  // expected-note @+2 {{it is read here}}
  // expected-note @+1 {{'%h' reads '%a1', which nobody writes; let an open, a close or a task make it, from '%p1' or what comes after that}}
  %h = rdir.host @show reads(%a1)
  // expected-remark @+2 {{'%h' reads '%a1', a version of 'a', which nobody writes; mark it 'initial' if it has a value before the graph [D3]}}
  // expected-note @+1 {{the other version is here}}
  %a1 = rdir.region @a
}

// -----
// D4: a loop that may have no iteration carries on what it discards.
rdir.parameter @n : i64 = 1
rdir.root @a [8] {x : f64}
rdir.graph @loop {
  // expected-note @+1 {{values are carried on from here}}
  %a0 = rdir.region @a initial
  %t = rdir.task reads(%a0) writes(%a1)
  // expected-note @+1 {{the later version is here}}
  %a1 = rdir.region @a
  // expected-error @+1 {{'%l' makes '%a2', a version of 'a', from '%a0', but '%a1', a version of 'a', is later, and what '%t' wrote is lost; continue '%a1' or a version that comes after it [D4]}}
  %l = rdir.loop @n discards(%a0) writes(%a2) after(%t) edges(read from %a1) {
    %a0 = rdir.region @a
    rdir.task discards(%a0) writes(%a1)
    %a1 = rdir.region @a
  }
  %a2 = rdir.region @a
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.graph @loop {
  %p0 = rdir.region @p initial
  %t = rdir.task over [4] reads(%p0) writes(%p1)
  %p1 = rdir.region @p
  %b0 = rdir.scalar @b initial
  %u = rdir.task reads(%p1) discards(%b0) writes(%b1)
  %b1 = rdir.scalar @b
  // All colors are written, so that nothing is carried on.
  %s = rdir.task over [4] reads(%b1) discards(%p0) writes(%p2 by affine_map<(i) -> (3 - i)>) discards(%p0 by affine_map<(i) -> (3 - i)>)
  %p2 = rdir.region @p
}
rdir.variable @b : i64 = 0
