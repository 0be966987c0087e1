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

// -----
// N2: a reader comes before the writer of a later version.
rdir.root @a [8] {x : f64}
rdir.root @b [8] {x : f64}
rdir.graph @reader {
  %a0 = rdir.region @a initial
  %b0 = rdir.region @b initial
  %m = rdir.must_epoch reads(%a0) discards(%b0) writes(%a1, %b1) {
    %a0 = rdir.region @a
    %b0 = rdir.region @b
    // expected-note @+1 {{'%t1' is here}}
    %t1 = rdir.task reads(%a0) discards(%b0) writes(%b1)
    // expected-error @+1 {{'%t2' comes after '%t1', but the tasks of a must-epoch run at the same time; take one of them out of '%m' [N2]}}
    %t2 = rdir.task reads(%a0) writes(%a1)
    %a1 = rdir.region @a
    %b1 = rdir.region @b
  }
  %a1 = rdir.region @a
  %b1 = rdir.region @b
}

// -----
// N3: a partial result of a reduction.
rdir.variable @s : f64 = 0.0
rdir.graph @partial {
  %s0 = rdir.scalar @s initial
  // expected-note @+1 {{'%l' is here}}
  %l = rdir.loop 3 continues(%s0) reduces<"+">(%s1) {
    %s0 = rdir.scalar @s
    %t = rdir.task continues(%s0) reduces<"+">(%s1)
    // expected-note @+1 {{the version is here}}
    %s1 = rdir.scalar @s
    // expected-error @+1 {{'%u' reads '%s1', a version of 's' with values from before the body of '%l', which does not read them; let '%l' name 's', or a region that contains it, in 'reads(...)' [N3]}}
    %u = rdir.task reads(%s1)
  }
  %s1 = rdir.scalar @s
}

// -----
// N3: a launch over some colors, of which all are read.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.graph @some {
  %a0 = rdir.region @a initial
  // expected-error @+2 {{the body of '%l' may leave elements as they were before it of 'a', which '%l' does not read; let the body overwrite all of them, or '%l' name 'a' in 'reads(...)' [N3]}}
  // expected-note @+1 {{'%l' is here}}
  %l = rdir.loop 3 discards(%a0) writes(%a1) {
    %p0 = rdir.region @p
    %t = rdir.task over [3] discards(%p0) writes(%p1)
    // expected-note @+1 {{the version is here}}
    %p1 = rdir.region @p
    // expected-error @+1 {{'%u' reads '%p1', a version of 'p' with values from before the body of '%l', which does not read them; let '%l' name 'p', or a region that contains it, in 'reads(...)' [N3]}}
    %u = rdir.task reads(%p1)
    %v = rdir.task over [3] reads(%p1)
  }
  // expected-note @+1 {{the version that it makes is here}}
  %a1 = rdir.region @a
}

// -----
// The other colors are written by another launch, and a loop that runs.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete
rdir.graph @rest {
  %a0 = rdir.region @a initial
  %l = rdir.loop 3 discards(%a0) writes(%a1) {
    %p0 = rdir.region @p
    %t = rdir.task over [2] discards(%p0) writes(%p1)
    %p1 = rdir.region @p
    rdir.open reads(%p1) writes(%x0)
    %x0 = rdir.region @p[3]
    rdir.loop 1 discards(%x0) writes(%x1) {
      %x0 = rdir.region @p[3]
      rdir.task discards(%x0) writes(%x1)
      %x1 = rdir.region @p[3]
    }
    %x1 = rdir.region @p[3]
    %p2 = rdir.region @p
    rdir.close reads(%p1, %x1) writes(%p2)
    %s = rdir.task over [1] discards(%p2 by affine_map<(i) -> (2)>) writes(%p3 by affine_map<(i) -> (2)>)
    %p3 = rdir.region @p
    %u = rdir.task reads(%p3)
  }
  %a1 = rdir.region @a
}

// -----
// N3: the inner loop may not run, and a reduction carries on.
rdir.parameter @n : i64 = 1
rdir.root @a [8] {x : f64}
rdir.root @b [8] {x : f64}
rdir.graph @inner {
  %a0 = rdir.region @a initial
  %b0 = rdir.region @b initial
  // expected-error @+2 {{the body of '%l' may leave elements as they were before it of 'a', which '%l' does not read; let the body overwrite all of them, or '%l' name 'a' in 'reads(...)' [N3]}}
  // expected-error @+1 {{the body of '%l' may leave elements as they were before it of 'b', which '%l' does not read; let the body overwrite all of them, or '%l' name 'b' in 'reads(...)' [N3]}}
  %l = rdir.loop 3 discards(%a0, %b0) writes(%a1, %b1) {
    %a0 = rdir.region @a
    rdir.loop @n discards(%a0) writes(%a1) {
      %a0 = rdir.region @a
      rdir.task discards(%a0) writes(%a1)
      %a1 = rdir.region @a
    }
    %a1 = rdir.region @a
    %b0 = rdir.region @b
    %b1 = rdir.region @b
    rdir.task continues(%b0) reduces<"+">(%b1)
  }
  // expected-note @+1 {{the version that it makes is here}}
  %a1 = rdir.region @a
  // expected-note @+1 {{the version that it makes is here}}
  %b1 = rdir.region @b
}

// -----
// Opens and closes of a body need no privilege.
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [2] disjoint complete
rdir.graph @opens {
  %a0 = rdir.region @a initial
  %l = rdir.loop 3 reads(%a0) {
    %a0 = rdir.region @a
    rdir.open reads(%a0) writes(%p0)
    %p0 = rdir.region @p
    rdir.task over [2] reads(%p0)
  }
  %m = rdir.loop 3 discards(%a0) writes(%a1) {
    %a0 = rdir.region @a
    rdir.open reads(%a0) writes(%p0)
    %p0 = rdir.region @p
    rdir.task over [2] discards(%p0) writes(%p1)
    %p1 = rdir.region @p
    rdir.close reads(%p1) writes(%a1)
    %a1 = rdir.region @a
    rdir.task reads(%a1)
  }
  %a1 = rdir.region @a
}
