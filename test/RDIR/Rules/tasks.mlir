// RUN: sluice-opt %s -rdir-check-kinds --split-input-file --verify-diagnostics

// T1: what a task writes, it reads or discards.
rdir.root @a [8] {x : f64}
rdir.graph @writes {
  %a0 = rdir.region @a initial
  %t1 = rdir.task reads(%a0) writes(%a1)
  %a1 = rdir.region @a
  // expected-error @+1 {{'%t2' writes '%a2', a version of 'a', but neither reads nor discards a version of 'a' with the same fields; let it read the version before, or discard that if it writes all elements [T1]}}
  %t2 = rdir.task writes(%a2) after(%t1)
  // expected-note @+1 {{it is written here}}
  %a2 = rdir.region @a edges(discard to %t1)
}

// -----
rdir.root @a [8] {x : f64}
rdir.graph @discards {
  %a0 = rdir.region @a
  rdir.task discards(%a0) writes(%a1)
  %a1 = rdir.region @a
}

// -----
// T1: with the same fields.
rdir.root @a [8] {x : f64, y : f64}
rdir.graph @fields {
  %a0 = rdir.region @a initial
  // expected-note @-1 {{the other version is here}}
  // expected-error @+2 {{'rdir.task' writes '%a1', a version of 'a', but neither reads nor discards a version of 'a' with the same fields; let it read the version before, or discard that if it writes all elements [T1]}}
  // expected-error @+1 {{'rdir.task' writes '%a1', a version of 'a', and reads '%a0', a version of 'a', which may share elements; let it name one region that covers both [T2]}}
  rdir.task reads(%a0) writes(%a1)
  // expected-note @+2 {{one version is here}}
  // expected-note @+1 {{it is written here}}
  %a1 = rdir.region @a {x}
}

// -----
// T2: what a task reads does not alias, where it changes some of it.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] aliased complete
rdir.graph @readSet {
  %a0 = rdir.region @p[0] initial
  rdir.task reads(%a0) writes(%a1)
  // expected-note @+1 {{one version is here}}
  %a1 = rdir.region @p[0]
  rdir.open reads(%a) writes(%a0)
  %a = rdir.region @a initial
  rdir.close reads(%a1, %a) writes(%b)
  %b = rdir.region @a
  rdir.open reads(%b) writes(%b1)
  // expected-note @+1 {{the other version is here}}
  %b1 = rdir.region @p[1]
  // expected-error @+1 {{'rdir.task' reads '%a1', a version of 'p[0]', and '%b1', a version of 'p[1]', which may share elements, and changes one of them; let it read one region that covers both, or state 'rdir.constraint disjoint' if they share no elements [T2]}}
  rdir.task reads(%a1, %b1) writes(%c1)
  %c1 = rdir.region @p[1]
}

// -----
// T2: nor is a task handed what it overwrites or reduces into beside it.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] aliased complete
rdir.graph @discarded {
  // expected-note @+1 {{the other version is here}}
  %a0 = rdir.region @p[0] initial
  %b0 = rdir.region @p[1]
  // expected-error @+1 {{'%t1' writes '%b1', a version of 'p[1]', and reads '%a0', a version of 'p[0]', which may share elements; let it name one region that covers both, or state 'rdir.constraint disjoint' if they share no elements [T2]}}
  %t1 = rdir.task reads(%a0) discards(%b0) writes(%b1)
  // expected-note @+1 {{one version is here}}
  %b1 = rdir.region @p[1]
  // expected-error @+1 {{'%t2' reduces into '%b2', a version of 'p[1]', and reads '%a0', a version of 'p[0]', which may share elements; let it name one region that covers both, or state 'rdir.constraint disjoint' if they share no elements [T2]}}
  %t2 = rdir.task reads(%a0) continues(%b1) reduces<"+">(%b2)
  // expected-note @+1 {{one version is here}}
  %b2 = rdir.region @p[1]
  // expected-error @+1 {{'%k' writes '%b3', a version of 'p[1]', and reads '%a0', a version of 'p[0]', which may share elements; let it name one region that covers both, or state 'rdir.constraint disjoint' if they share no elements [T2]}}
  %k = rdir.copy reads(%a0) discards(%b2) writes(%b3)
  // expected-note @+1 {{one version is here}}
  %b3 = rdir.region @p[1]
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] aliased complete
rdir.graph @bothChanged {
  %a0 = rdir.region @p[0]
  %b0 = rdir.region @p[1]
  // expected-error @+1 {{'%t' writes '%b1', a version of 'p[1]', and writes '%a1', a version of 'p[0]', which may share elements; let it name one region that covers both, or state 'rdir.constraint disjoint' if they share no elements [T2]}}
  %t = rdir.task discards(%a0, %b0) writes(%a1, %b1)
  // expected-note @+1 {{the other version is here}}
  %a1 = rdir.region @p[0]
  // expected-note @+1 {{one version is here}}
  %b1 = rdir.region @p[1]
}

// -----
// One region is one argument, and what is only discarded is none.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] aliased complete
rdir.graph @oneArgument {
  %a0 = rdir.region @p[0] initial
  %t1 = rdir.task reads(%a0) discards(%a0) writes(%a1)
  %a1 = rdir.region @p[0]
  %t2 = rdir.task continues(%a1) reduces<"+">(%a2)
  %a2 = rdir.region @p[0]
  %t3 = rdir.task discards(%b0) reads(%a2) writes(%a3)
  %a3 = rdir.region @p[0]
  %b0 = rdir.region @p[1]
}

// -----
// Where it changes neither, that is remarked on.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] aliased complete
rdir.graph @onlyReads {
  %a = rdir.region @a initial
  %o1 = rdir.open reads(%a) writes(%a0, %a1)
  // expected-note @+1 {{the other version is here}}
  %a0 = rdir.region @p[0]
  // expected-note @+1 {{one version is here}}
  %a1 = rdir.region @p[1] edges(read to %k)
  // expected-remark @+1 {{'%k' reads '%a1', a version of 'p[1]', and '%a0', a version of 'p[0]', which may share elements; this is accepted since it changes neither [T2]}}
  %k = rdir.task reads(%a0)
}

// -----
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @apart {
  %a = rdir.region @a initial
  rdir.open reads(%a) writes(%a0, %a1)
  %a0 = rdir.region @p[0]
  %a1 = rdir.region @p[1]
  rdir.task reads(%a0, %a1) writes(%a2)
  %a2 = rdir.region @p[1]
}

// -----
// T3: a reduction starts from a version.
rdir.root @a [8] {x : f64}
rdir.graph @reduces {
  // expected-note @+1 {{this version comes before it}}
  %a0 = rdir.region @a initial
  // expected-error @+1 {{'%t1' reduces into '%a1', a version of 'a', but does not continue an earlier version of 'a'; '%a0', a version of 'a', comes before it: name the version it starts from with 'continues' [T3]}}
  %t1 = rdir.task reads(%a0) reduces<"+">(%a1)
  // expected-note @+1 {{it is reduced into here}}
  %a1 = rdir.region @a
}

// -----
rdir.root @a [8] {x : f64}
rdir.graph @continues {
  %a0 = rdir.region @a initial
  %t1 = rdir.task continues(%a0) reduces<"+">(%a1)
  %a1 = rdir.region @a
}
