// Vectors are as wide as pays on a processor, or as -mprefer-vector-width= says.

// RUN: %clang -ffp-contract=on -w -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
// RUN: sluice-codegen-test %t.ll -leaf=scale -levels=?800 -in='f32[800],f32[800]' -cpu=icelake-server -emit=optimized | FileCheck %s --check-prefix=WIDE
// RUN: sluice-codegen-test %t.ll -leaf=scale -levels=?800 -in='f32[800],f32[800]' -cpu=sapphirerapids -emit=optimized | FileCheck %s --check-prefix=WIDE
// RUN: sluice-codegen-test %t.ll -leaf=scale -levels=?800 -in='f32[800],f32[800]' -cpu=znver5 -emit=optimized | FileCheck %s --check-prefix=WIDE
// WIDE: define {{.*}}.range(
// WIDE: fmul <16 x float>

// Where they slow the clock, and where nothing more is known.
// RUN: sluice-codegen-test %t.ll -leaf=scale -levels=?800 -in='f32[800],f32[800]' -cpu=skylake-avx512 -emit=optimized | FileCheck %s --check-prefix=NARROW
// RUN: sluice-codegen-test %t.ll -leaf=scale -levels=?800 -in='f32[800],f32[800]' -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=NARROW
// NARROW: define {{.*}}.range(
// NARROW-NOT: <16 x float>
// NARROW: fmul <8 x float>
// NARROW-NOT: <16 x float>

// RUN: %clang -ffp-contract=on -w -O1 -mprefer-vector-width=256 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.256.raw.ll
// RUN: opt -passes=mem2reg -S %t.256.raw.ll -o %t.256.ll
// RUN: sluice-codegen-test %t.256.ll -leaf=scale -levels=?800 -in='f32[800],f32[800]' -cpu=icelake-server -emit=optimized | FileCheck %s --check-prefix=NARROW


#include "Inputs/leaf.h"

void scale(float *a, float *b) { b[X] = a[X] * 3; }
