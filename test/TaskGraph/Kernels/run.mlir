// Kernels in every kind of file give the same. Statics have one copy, narrow
// integers keep their signs, flags count.
//
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/kernels.c .
// RUN: sed -e 's,FILE,kernels.c,' %s > c.mlir
// RUN: %sluice run c.mlir | FileCheck %s
// RUN: %clang -g -O2 -c kernels.c -o known.o
// RUN: sed -e 's,FILE,known.o,' %s > o.mlir && %sluice run o.mlir | FileCheck %s
// RUN: %clang -O2 -fPIC -c kernels.c -o unknown.o
// RUN: ar rc libkernels.a unknown.o
// RUN: sed -e 's,FILE,libkernels.a,' %s > a.mlir
// RUN: %sluice run a.mlir | FileCheck %s
// RUN: %clang -g -shared -fPIC kernels.c -o libshared.so
// RUN: sed -e 's,FILE,libshared.so,' %s > so.mlir && %sluice run so.mlir | FileCheck %s
// RUN: sed -e 's,FILE,-lshared,' %s > l.mlir
// RUN: %sluice run l.mlir -L%t -Wl,-rpath,%t | FileCheck %s
// RUN: %clang -g -O1 -emit-llvm -c kernels.c -o kernels.bc
// RUN: sed -e 's,FILE,kernels.bc,' %s > bc.mlir && %sluice run bc.mlir | FileCheck %s
// RUN: %clang -S -emit-llvm kernels.c -o kernels.ll
// RUN: sed -e 's,FILE,kernels.ll,' %s > ll.mlir && %sluice run ll.mlir | FileCheck %s
//
// A source on the command line, and flags of a source.
// RUN: sed -e '/kernel_source/d' %s > none.mlir
// RUN: %sluice run none.mlir kernels.c | FileCheck %s
// RUN: sed -e 's,"FILE","kernels.c" flags(["-DFACTOR=2"]),' %s > f.mlir
// RUN: %sluice run f.mlir | FileCheck --check-prefix=TWO %s
//
// CHECK: 11 -18 33 44 55 -66 sum 65462 calls 3
// TWO: 3 -2 9 12 15 -18 sum 65462 calls 3

dfg.dataset @A : f64 [3, 2] initial(dense<[[1.0, -2.0], [3.0, 4.0], [5.0, -6.0]]> : tensor<3x2xf64>)
dfg.dataset @B : f64 [3, 2] initial(dense<[[1.0, 2.0], [3.0, 4.0], [5.0, -6.0]]> : tensor<3x2xf64>)
dfg.scalar @a : si8 = -100
dfg.scalar @b : ui8 = 200
dfg.scalar @c : si16 = -175
dfg.scalar @d : ui16 = 65535
dfg.scalar @e : ui8 = 1
dfg.scalar @f : f32 = 1.5
dfg.scalar @sum : si64
dfg.kernel_source "FILE"
dfg.task_graph @kernels {
  %0 = dfg.task c "scale"(@A)
  %1 = dfg.task c "addTo"(@A, in @B)
  %2 = dfg.task c "narrow"(value @a, value @b, value @c, value @d, value @e, value @f, out @sum)
  %3 = dfg.task c "show"(in @A, value @sum) after(%1, %2)
}
