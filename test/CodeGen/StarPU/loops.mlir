// Loops by count, by a variable and by both, nested; a host statement inside;
// a must-epoch; more tasks than are kept ahead at a time.
// REQUIRES: starpu
// RUN: %starpu %s %S/Inputs/loops.cpp | FileCheck %s
// RUN: %starpu %s %S/Inputs/loops.cpp -- --steps=1500 --n=40
// RUN: %starpu %s %S/Inputs/loops.cpp -- --steps=0

// CHECK: round 3
// CHECK: going 0 rounds 7
// CHECK: starpu: the same as Sluice

rdir.parameter @n : i64 = 96
rdir.parameter @steps : i64 = 10
rdir.variable @going : i32 = 1
rdir.variable @rounds : i64 = 0
rdir.root @ring [@n] {now : i64, next : i64}
rdir.partition @parts of @ring [6] disjoint complete by blocks
rdir.partition @wide of @ring [6] aliased complete by halo(@parts, [1])

rdir.graph @main {
  %r0 = rdir.region @parts
  %r1 = rdir.region @parts
  rdir.task @start over [6] discards(%r0) writes(%r1)
  %ring0 = rdir.region @ring
  rdir.close reads(%r1) writes(%ring0)
  %ring1 = rdir.region @ring
  %going0 = rdir.scalar @going initial
  %going1 = rdir.scalar @going
  %rounds0 = rdir.scalar @rounds initial
  %rounds1 = rdir.scalar @rounds
  rdir.loop 100 while @going reads(%ring0, %going0, %rounds0) writes(%ring1, %going1, %rounds1) {
    %s0 = rdir.region @ring
    %s1 = rdir.region @ring
    rdir.loop @steps reads(%s0) writes(%s1) {
      %now = rdir.region @ring {now}
      %next = rdir.region @ring {next}
      %wide = rdir.region @wide {now}
      rdir.open reads(%now) writes(%wide)
      %next0 = rdir.region @parts {next}
      rdir.open reads(%next) writes(%next0)
      %next1 = rdir.region @parts {next}
      rdir.task @step over [6] reads(%wide) discards(%next0) writes(%next1) with(@n)
      %now1 = rdir.region @ring {now}
      rdir.close reads(%wide) writes(%now1)
      %now2 = rdir.region @parts {now}
      rdir.open reads(%now1) writes(%now2)
      %now3 = rdir.region @parts {now}
      rdir.copy over [6] reads(%next1) discards(%now2) writes(%now3)
    }
    %c0 = rdir.scalar @rounds
    %c1 = rdir.scalar @rounds
    rdir.host @count reads(%s1, %c0) writes(%c1)
    %g0 = rdir.scalar @going
    %g1 = rdir.scalar @going
    rdir.task @decide reads(%c1) discards(%g0) writes(%g1)
  }
  rdir.host @print reads(%ring2, %going1, %rounds1)
  %ring2 = rdir.region @ring
  %parts1 = rdir.region @parts
  rdir.open reads(%ring1) writes(%parts1)
  %parts2 = rdir.region @parts
  rdir.must_epoch reads(%parts1) writes(%parts2) {
    %p0 = rdir.region @parts {now}
    %p1 = rdir.region @parts {now}
    rdir.task @bump over [6] reads(%p0) writes(%p1)
    %q0 = rdir.region @parts {next}
    %q1 = rdir.region @parts {next}
    rdir.task @bump over [6] reads(%q0) writes(%q1)
  }
  rdir.close reads(%parts2) writes(%ring2)
}
