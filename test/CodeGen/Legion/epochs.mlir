// Epochs whose members have results, one of them a launch; all colors at once
// of a partition that does not cover its root; host statements that return and
// reduce; kinds of coherence.
// RUN: %legion --cpus 4 %s %S/Inputs/epochs.cpp | FileCheck %s
// CHECK: legion: the {{same as Sluice|syntax is right, by our declarations}}

rdir.parameter @n : i64 = 40
rdir.variable @total : i64 = 1
rdir.variable @answer : i32 = 0
rdir.variable @seen : i64 = 5
rdir.reduction @mixed : i64 identity 0 fold @mix
rdir.root @data [@n] {a : i64, b : i64, c : i64}
rdir.partition @parts of @data [3] disjoint complete by blocks
rdir.partition @some of @data [3] disjoint incomplete by coloring(@every_fourth)

rdir.graph @main {
  %a0 = rdir.region @data {a}
  %a1 = rdir.region @data {a}
  %c0 = rdir.region @data {c}
  %c1 = rdir.region @data {c}
  rdir.task @start discards(%a0, %c0) writes(%a1, %c1) coherence([exclusive, relaxed])
  %pa1 = rdir.region @parts {a}
  rdir.open reads(%a1) writes(%pa1)
  %pc1 = rdir.region @parts {c}
  rdir.open reads(%c1) writes(%pc1)
  %pa2 = rdir.region @parts {a}
  %pc2 = rdir.region @parts {c}
  %total0 = rdir.scalar @total initial
  %total1 = rdir.scalar @total
  %answer0 = rdir.scalar @answer
  %answer1 = rdir.scalar @answer
  rdir.must_epoch reads(%pa1, %pc1, %total0) discards(%answer0) writes(%pa2, %pc2, %total1, %answer1) {
    %q0 = rdir.region @parts {a}
    %q1 = rdir.region @parts {a}
    %s0 = rdir.scalar @total
    %s1 = rdir.scalar @total
    rdir.task @change over [3] reads(%q0) writes(%q1) continues(%s0) reduces<"+">(%s1)
    %m0 = rdir.region @parts[1] {c}
    %m1 = rdir.region @parts[1] {c}
    %r0 = rdir.scalar @answer
    %r1 = rdir.scalar @answer
    rdir.task @answerTo reads(%m0) discards(%r0) writes(%m1, %r1)
  }
  %a2 = rdir.region @data {a}
  rdir.close reads(%pa2) writes(%a2)
  %some0 = rdir.region @some {a}
  rdir.open reads(%a2) writes(%some0)
  %some1 = rdir.region @some {a}
  rdir.task @negate reads(%some0) writes(%some1) coherence([atomic])
  %a3 = rdir.region @data {a}
  rdir.close reads(%a2, %some1) writes(%a3)
  %c2 = rdir.region @data {c}
  rdir.close reads(%pc2) writes(%c2)
  %c3 = rdir.region @data {c}
  rdir.host @stir continues(%c2) reduces<@mixed>(%c3)
  %seen0 = rdir.scalar @seen initial
  %seen1 = rdir.scalar @seen
  rdir.host @see reads(%a3) continues(%seen0) reduces<"max">(%seen1)
  rdir.host @print reads(%a3, %c3, %total1, %answer1, %seen1)
}
