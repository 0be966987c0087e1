// RUN: sluice-opt %s -rdir-check-nested --split-input-file --verify-diagnostics

// N1: a body touches only what its node names.
rdir.root @a [8] {x : f64, y : f64}
rdir.graph @reads {
  %a0 = rdir.region @a {x} initial
  // expected-note @+1 {{'%l' is here}}
  %l = rdir.loop 3 reads(%a0) writes(%a1) {
    %a0 = rdir.region @a {x}
    // expected-note @+1 {{the version is '%b0'}}
    %b0 = rdir.region @a {y}
    // expected-error @+1 {{'%t' reads 'y' of 'a' in the body of '%l', which has no edge to it; let '%l' name 'y' of 'a', or a region that contains it, in 'reads(...)' [N1]}}
    %t = rdir.task reads(%a0, %b0) writes(%a1)
    %a1 = rdir.region @a {x}
  }
  %a1 = rdir.region @a {x}
}

// -----
rdir.root @a [8] {x : f64, y : f64}
rdir.graph @reads {
  %a0 = rdir.region @a {x} initial
  %b0 = rdir.region @a {y} initial
  %l = rdir.loop 3 reads(%a0, %b0) writes(%a1) {
    %a0 = rdir.region @a {x}
    %b0 = rdir.region @a {y}
    %t = rdir.task reads(%a0, %b0) writes(%a1)
    %a1 = rdir.region @a {x}
  }
  %a1 = rdir.region @a {x}
}

// -----
// N1: writing needs more than reading.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @writes {
  %a0 = rdir.region @a initial
  // expected-note @+1 {{'%l' is here}}
  %l = rdir.loop 3 reads(%a0) {
    %p0 = rdir.region @p[0]
    // expected-error @+1 {{'%t' writes 'p[0]' in the body of '%l', which only has other edges to it; let '%l' name 'p[0]', or a region that contains it, in 'writes(...)' [N1]}}
    %t = rdir.task reads(%p0) writes(%p1)
    // expected-note @+1 {{the version is '%p1'}}
    %p1 = rdir.region @p[0]
  }
}

// -----
// A region names its parts.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @writes {
  %a0 = rdir.region @a initial
  %l = rdir.loop 3 reads(%a0) writes(%a1) {
    %p0 = rdir.region @p[0]
    %t = rdir.task reads(%p0) writes(%p1)
    %p1 = rdir.region @p[0]
  }
  %a1 = rdir.region @a
}

// -----
// N1: reductions.
rdir.root @a [8] {x : f64}
rdir.variable @s : f64 = 0.0
rdir.graph @reduces {
  %a0 = rdir.region @a initial
  %s0 = rdir.scalar @s initial
  // expected-note @+1 {{'%l' is here}}
  %l = rdir.must_epoch reads(%a0) continues(%s0) reduces<"+">(%s1) {
    %a0 = rdir.region @a
    %s0 = rdir.scalar @s
    // expected-error @+1 {{'%t' reduces to 's' in the body of '%l', which only has other edges to it; let '%l' name 's', or a region that contains it, in 'reduces(...)' [N1]}}
    %t = rdir.task reads(%a0) continues(%s0) reduces<"*">(%s1)
    // expected-note @+1 {{the version is '%s1'}}
    %s1 = rdir.scalar @s
  }
  %s1 = rdir.scalar @s
}

// -----
rdir.root @a [8] {x : f64}
rdir.variable @s : f64 = 0.0
rdir.graph @reduces {
  %a0 = rdir.region @a initial
  %s0 = rdir.scalar @s initial
  %l = rdir.must_epoch reads(%a0) continues(%s0) reduces<"+">(%s1) {
    %a0 = rdir.region @a
    %s0 = rdir.scalar @s
    %t = rdir.task reads(%a0) continues(%s0) reduces<"+">(%s1)
    %s1 = rdir.scalar @s
  }
  %s1 = rdir.scalar @s
}

// -----
// N1: a loop reads the variable that it tests.
rdir.root @a [8] {x : f64}
rdir.variable @going : i32 = 1
rdir.graph @condition {
  %g0 = rdir.scalar @going initial
  // expected-error @+1 {{'%l' tests 'going' before each iteration, but does not read it; let it name a version of it in 'reads(...)' [N1]}}
  %l = rdir.loop while @going discards(%g0) writes(%g1) {
    %g0 = rdir.scalar @going
    %t = rdir.task discards(%g0) writes(%g1)
    %g1 = rdir.scalar @going
  }
  %g1 = rdir.scalar @going
}

// -----
rdir.variable @going : i32 = 1
rdir.graph @condition {
  %g0 = rdir.scalar @going initial
  %l = rdir.loop while @going reads(%g0) writes(%g1) {
    %g0 = rdir.scalar @going
    %t = rdir.task discards(%g0) writes(%g1)
    %g1 = rdir.scalar @going
  }
  %g1 = rdir.scalar @going
}

// -----
// N2: the members of a must-epoch do not depend on each other.
rdir.root @a [8] {x : f64}
rdir.graph @members {
  %a0 = rdir.region @a initial
  %m = rdir.must_epoch reads(%a0) writes(%a1) {
    %a0 = rdir.region @a
    // expected-note @+1 {{'%t1' is here}}
    %t1 = rdir.task reads(%a0) writes(%a1)
    %a1 = rdir.region @a
    // expected-error @+2 {{'%t2' comes after '%t1', but the tasks of a must-epoch run at the same time; take one of them out of '%m' [N2]}}
    // expected-note @+1 {{'%t2' is here}}
    %t2 = rdir.task reads(%a1)
    // expected-error @+1 {{'%t3' comes after '%t2', but the tasks of a must-epoch run at the same time; take one of them out of '%m' [N2]}}
    %t3 = rdir.task after(%t2)
  }
  %a1 = rdir.region @a
}

// -----
// In a loop, they may.
rdir.root @a [8] {x : f64}
rdir.graph @loop {
  %a0 = rdir.region @a initial
  %m = rdir.loop 1 reads(%a0) writes(%a1) {
    %a0 = rdir.region @a
    %t1 = rdir.task reads(%a0) writes(%a1)
    %a1 = rdir.region @a
    %t2 = rdir.task reads(%a1)
    %t3 = rdir.task after(%t2)
  }
  %a1 = rdir.region @a
}
