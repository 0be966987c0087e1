// What names regions in place of versions is accepted again after it was
// printed, also in the generic form and as bytecode.
// RUN: sluice-opt %s > %t.mlir && FileCheck %s < %t.mlir
// RUN: sluice-opt %t.mlir | diff %t.mlir -
// RUN: sluice-opt %s --emit-bytecode | sluice-opt | diff %t.mlir -
// RUN: sluice-opt %s --mlir-print-op-generic | sluice-opt > %t.generic.mlir
// RUN: FileCheck --check-prefix=GENERIC %s < %t.generic.mlir
// RUN: sluice-opt %t.generic.mlir --mlir-print-op-generic | sluice-opt | diff %t.generic.mlir -
// RUN: sluice-opt %s --rdir-explicit > %t.explicit.mlir
// RUN: sluice-opt %t.mlir --rdir-explicit | diff %t.explicit.mlir -
// RUN: sluice-opt %t.explicit.mlir | diff %t.explicit.mlir -
// RUN: sluice-opt %t.explicit.mlir --emit-bytecode | sluice-opt | diff %t.explicit.mlir -
// RUN: sluice-opt %t.explicit.mlir --rdir-explicit --rdir-check | diff %t.explicit.mlir -
// RUN: FileCheck --check-prefix=EXPLICIT %s < %t.explicit.mlir

rdir.parameter @n : i64 = 8
rdir.variable @sum : f64 = 0.0
rdir.variable @going : i32 = 1
rdir.root @a [@n, 64] {x : f64, y : f64, "two words" : i64}
rdir.partition @p of @a [@n, 4] disjoint complete by blocks
rdir.partition @q of @a [4, 4] disjoint complete by blocks

rdir.graph @main {
  // CHECK: rdir.task @f over [@n, 4] writes(@p) with(@n, 3 : i64)
  rdir.task @f over [@n, 4] writes(@p) with(@n, 3 : i64)
  // CHECK: rdir.task @g reads(@a {x, "two words"}, @q[1, 2] {y}) reduces<"+">(@sum)
  // EXPLICIT: rdir.task @g reads(%{{[^,]*}}, %{{[^,]*}} port 0, %{{[^,]*}}) continues(%sum_0) reduces<"+">(%sum_1)
  %g = rdir.task @g reads(@a {x, "two words"}) reads(@q[1, 2] {y}) reduces<"+">(@sum)
  rdir.loop %k in @n {
    // GENERIC: rdir.task @r over [@n - %k, 2] writes(@p[%k + i, 3 * j - 1] {x}) with(%k)
    // CHECK: rdir.task @r over [@n - %k, 2] writes(@p[%k + i, 3 * j - 1] {x}) with(%k)
    rdir.task @r over [@n - %k, 2] writes(@p[%k + i, -1 + 3 * j] {x}) with(%k)
    // CHECK: rdir.loop %l in 2 * @n - %k + 4
    rdir.loop %l in 2 * @n + 4 - %k {
      // CHECK: rdir.task @s over [-%k + 3] reads(@p[-2 * i + 9, -%k + 7] {x})
      // EXPLICIT: rdir.task @s over [-%k + 3]
      rdir.task @s over [-%k + 3] reads(@p[-i * 2 + 9, -%k + 7] {x})
      // CHECK: rdir.task @s writes(@p[%l + %k mod @n, %k mod 4] {y})
      // EXPLICIT: rdir.task @s over [1] reads(%[[V:.*]] by [%l + %k mod @n, %k mod 4]) writes(%{{.*}} by [%l + %k mod @n, %k mod 4])
      rdir.task @s writes(@p[%l + %k mod @n, %k mod 4] {y})
    }
  }
  // CHECK: rdir.loop 4 while @going {
  // EXPLICIT: rdir.loop 4 while @going reads({{.*}}) writes({{.*}}) {
  rdir.loop 4 while @going {
    rdir.task @t reads(@sum) writes(@going)
  }
  // CHECK: rdir.loop if @going {
  // CHECK: rdir.task @f over [@n, 4] writes(@p)
  // CHECK: } else {
  // CHECK: rdir.loop unless @going {
  // CHECK: rdir.task @t
  // EXPLICIT: rdir.loop 1 reads({{.*}}) writes({{.*}}) {
  // EXPLICIT: rdir.loop if @going reads({{.*}}) writes({{.*}}) {
  // EXPLICIT: rdir.loop unless @going reads({{.*}}) writes({{.*}}) {
  rdir.loop if @going {
    rdir.task @f over [@n, 4] writes(@p) with(@n, 3 : i64)
  } else {
    rdir.loop unless @going {
      rdir.task @t reads(@sum) writes(@going)
    }
  }
  // GENERIC: rdir.host @u after(%{{.*}}) reads(@a, @sum)
  // CHECK: rdir.host @u after(%g) reads(@a, @sum)
  rdir.host @u reads(@a, @sum) after(%g)
}
