// Variables: read, written, results of tasks, reduced by one operator and by
// two; parameters and constants as arguments; operators of the program's own.
// REQUIRES: starpu
// RUN: %starpu --tolerance 1e-12 %s %S/Inputs/scalars.cpp | FileCheck %s
// RUN: %starpu --tolerance 1e-12 %s %S/Inputs/scalars.cpp -- --n=1000 --scale=0.25 | FileCheck %s --check-prefix=MORE

// CHECK: total 4955 least 3 most 201 or 255
// CHECK-NEXT: near 0.5 weight 2475 twice 9910
// CHECK-NEXT: starpu: the same as Sluice
// MORE: total 499505

rdir.parameter @n : i64 = 100
rdir.parameter @scale : f64 = 0.5
rdir.reduction @closest : f64 identity 1.0e30 fold @closer
rdir.variable @total : i64 = 5
rdir.variable @least : i32 = 1000
rdir.variable @most : i64 = -1
rdir.variable @bits : i16 = 128
rdir.variable @near : f64 = 1.0e30
rdir.variable @weight : f64 = 0.0
rdir.variable @twice : i64 = 0
rdir.root @data [@n] {value : i64, weight : f64}
rdir.partition @parts of @data [7] disjoint complete by blocks

rdir.graph @setup {
  %d0 = rdir.region @parts
  %d1 = rdir.region @parts
  rdir.task @start over [7] discards(%d0) writes(%d1) with(@scale, 3 : i64)
}
rdir.graph @main {
  %d = rdir.region @parts initial
  %total0 = rdir.scalar @total initial
  %total1 = rdir.scalar @total
  rdir.task @sumOf over [7] reads(%d) continues(%total0) reduces<"+">(%total1)
  %least0 = rdir.scalar @least initial
  %least1 = rdir.scalar @least
  rdir.task @leastOf over [7] reads(%d) continues(%least0) reduces<"min">(%least1)
  %most0 = rdir.scalar @most initial
  %most1 = rdir.scalar @most
  rdir.task @sumOf over [7] reads(%d) continues(%most0) reduces<"max">(%most1)
  %most2 = rdir.scalar @most
  rdir.task @firstOf over [7] reads(%d) continues(%most1) reduces<"min">(%most2)
  %bits0 = rdir.scalar @bits initial
  %bits1 = rdir.scalar @bits
  rdir.task @bitsOf over [7] reads(%d) continues(%bits0) reduces<"or">(%bits1)
  %near0 = rdir.scalar @near initial
  %near1 = rdir.scalar @near
  rdir.task @nearOf over [7] reads(%d) continues(%near0) reduces<@closest>(%near1)
  %weight0 = rdir.scalar @weight initial
  %weight1 = rdir.scalar @weight
  rdir.task @weightOf over [7] reads(%d) continues(%weight0) reduces<"+">(%weight1)
  %twice0 = rdir.scalar @twice
  %twice1 = rdir.scalar @twice
  rdir.task @twiceOf reads(%total1) discards(%twice0) writes(%twice1)
  %most3 = rdir.scalar @most
  rdir.task @addTo reads(%most2) writes(%most3) with(198 : i64)
  rdir.host @print reads(%total1, %least1, %most3, %bits1, %near1, %weight1, %twice1)
}
