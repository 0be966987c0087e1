// Launches over some colors: what they leave comes from before, or from nowhere.
// RUN: sluice-opt %s --rdir-check --split-input-file --verify-diagnostics

rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete by blocks

// What is left has no value, and is read.
rdir.graph @left {
  // expected-remark @+1 {{'@see' reads '%p1', a version of 'p', of which '@some' writes some colors, and nobody the others; mark '%p0' 'initial' if it has a value before the graph [D3]}}
  %p0 = rdir.region @p
  %p1 = rdir.region @p
  rdir.task @some over [3] discards(%p0) writes(%p1)
  // expected-note @+1 {{it is read here}}
  rdir.task @see over [4] reads(%p1)
}
// Two launches that leave one color, read as a whole.
rdir.graph @leftByTwo {
  // expected-remark @+1 {{'@see' reads '%p2', a version of 'p', of which '@more' writes some colors}}
  %p0 = rdir.region @p
  %p1 = rdir.region @p
  %p2 = rdir.region @p
  rdir.task @some over [2] discards(%p0) writes(%p1)
  rdir.task @more over [1] discards(%p1 by affine_map<(i) -> (i + 2)>) writes(%p2 by affine_map<(i) -> (i + 2)>)
  // expected-note @+1 {{it is read here}}
  rdir.task @see reads(%p2)
}
// One launch with two projections that leave one color.
rdir.graph @leftByProjections {
  // expected-remark @+1 {{'@see' reads '%p1', a version of 'p', of which '@some' writes some colors}}
  %p0 = rdir.region @p
  %p1 = rdir.region @p
  rdir.task @some over [1] discards(%p0, %p0 by affine_map<(i) -> (i + 2)>)
    writes(%p1, %p1 by affine_map<(i) -> (i + 2)>)
  // expected-note @+1 {{it is read here}}
  rdir.task @see reads(%p1)
}
rdir.graph @writtenByProjections {
  %p0 = rdir.region @p
  %p1 = rdir.region @p
  rdir.task @some over [2] discards(%p0, %p0 by affine_map<(i) -> (i + 2)>)
    writes(%p1, %p1 by affine_map<(i) -> (i + 2)>)
  rdir.task @see reads(%p1)
}
// An open reads what it opens.
rdir.graph @opened {
  // expected-remark @+1 {{'rdir.open' reads '%p1'}}
  %p0 = rdir.region @p
  %p1 = rdir.region @p
  rdir.task @some over [3] discards(%p0) writes(%p1)
  %c = rdir.region @p[3]
  // expected-note @+1 {{it is read here}}
  rdir.open reads(%p1) writes(%c)
  rdir.task @see reads(%c)
}

// All that is read was written.
rdir.graph @readWhatWasWritten {
  %p0 = rdir.region @p
  %p1 = rdir.region @p
  rdir.task @some over [3] discards(%p0) writes(%p1)
  rdir.task @see over [2] reads(%p1 by affine_map<(i) -> (i + 1)>)
  %c = rdir.region @p[2]
  rdir.open reads(%p1) writes(%c)
  rdir.task @look reads(%c)
}
rdir.graph @writeTheRest {
  %p0 = rdir.region @p
  %p1 = rdir.region @p
  %p2 = rdir.region @p
  rdir.task @some over [3] discards(%p0) writes(%p1)
  rdir.task @rest over [1] discards(%p1 by affine_map<(i) -> (i + 3)>) writes(%p2 by affine_map<(i) -> (i + 3)>)
  rdir.task @see over [4] reads(%p2)
}
rdir.graph @functionChooses {
  %p0 = rdir.region @p
  %p1 = rdir.region @p
  // expected-remark @+2 {{whether points of '@some' meet in colors of 'p' is checked when the program runs}}
  // expected-note @-2 {{the version is here}}
  rdir.task @some over [4] discards(%p0 by @f) writes(%p1 by @f)
  rdir.task @see over [4] reads(%p1)
}

// What is opened and then overwritten is read by nobody, but an open hands on
// values.
rdir.graph @openedOnly {
  // expected-remark @+1 {{'rdir.open' opens '%p1', a version of 'p', of which '@some' writes some colors, and nobody the others; nobody reads what it makes, but an open hands on values; mark '%p0' 'initial' if it has a value before the graph [D3]}}
  %p0 = rdir.region @p
  %p1 = rdir.region @p
  rdir.task @some over [3] discards(%p0) writes(%p1)
  %c = rdir.region @p[3]
  // expected-note @+1 {{it is opened here}}
  rdir.open reads(%p1) writes(%c)
  %d = rdir.region @p[3]
  rdir.task @make discards(%c) writes(%d)
  rdir.task @see reads(%d)
}

// A close takes from before what a launch did not write (rule D4).
rdir.graph @closed {
  %0 = rdir.region @p initial
  %1 = rdir.region @p
  rdir.task @f over [1] reads(%0) writes(%1)
  %c = rdir.region @p[0]
  rdir.open reads(%1) writes(%c)
  %2 = rdir.region @p
  rdir.close reads(%0, %c) writes(%2)
  rdir.task @g reads(%2)
}
rdir.graph @lost {
  // expected-note @+1 {{values are carried on from here}}
  %0 = rdir.region @p initial
  // expected-note @+1 {{the later version is here}}
  %1 = rdir.region @p
  rdir.task @f over [2] reads(%0) writes(%1)
  // expected-note @+1 {{values are carried on from here}}
  %c = rdir.region @p[0]
  rdir.open reads(%1) writes(%c)
  %2 = rdir.region @p
  // expected-error @+1 {{'rdir.close' makes '%2', a version of 'p', from '%0' and others, but '%1', a version of 'p', is later, and what '@f' wrote is lost}}
  rdir.close reads(%0, %c) writes(%2)
  rdir.task @g reads(%2)
}
// Two launches, of which one is left out.
rdir.graph @lostBefore {
  // expected-note @+1 {{values are carried on from here}}
  %0 = rdir.region @p initial
  // expected-note @+1 {{the later version is here}}
  %1 = rdir.region @p
  %2 = rdir.region @p
  rdir.task @f over [1] reads(%0 by affine_map<(i) -> (i + 1)>) writes(%1 by affine_map<(i) -> (i + 1)>)
  rdir.task @g over [1] reads(%1) writes(%2)
  // expected-note @+1 {{values are carried on from here}}
  %c = rdir.region @p[0]
  rdir.open reads(%2) writes(%c)
  %3 = rdir.region @p
  // expected-error @+1 {{but '%1', a version of 'p', is later, and what '@f' wrote is lost}}
  rdir.close reads(%0, %c) writes(%3)
  rdir.task @h reads(%3)
}

// -----
// A loop may read regions that alias and change one of them: it hands nothing
// on.
rdir.root @r [8] {x : f64}
rdir.root @s [8] {x : f64}
rdir.partition @p of @r [2] disjoint complete by blocks
rdir.graph @main {
  %a0 = rdir.region @r initial
  %p0 = rdir.region @p[0]
  rdir.open reads(%a0) writes(%p0)
  %s0 = rdir.region @s initial
  %l = rdir.loop 1 reads(%a0, %p0, %s0) writes(%p1, %s1) {
    %a = rdir.region @r
    %s = rdir.region @s
    %t = rdir.region @s
    rdir.task @look reads(%a, %s) writes(%t)
    %q = rdir.region @p[0]
    rdir.open reads(%a) writes(%q)
    %u = rdir.region @p[0]
    rdir.task @change reads(%q, %t) writes(%u)
  }
  %p1 = rdir.region @p[0]
  %s1 = rdir.region @s
}
