// What the compiler's passes do to one node, and whether its instances have
// become vectors.

// RUN: %sluice build %s -march=x86-64-v3 -o %t --print-before=sluice-vectorize-lanes --print-after=sluice-narrow-carried,sluice-vectorize-lanes --node=columns 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: IR Dump After sluice-narrow-carried on sluice.root/columns.range.item
// PRINT: IR Dump Before sluice-vectorize-lanes on sluice.root/columns ***
// PRINT-NOT: {{load <[0-9]+ x float>}}
// PRINT: IR Dump After sluice-vectorize-lanes on sluice.root/columns ***
// PRINT: {{load <[0-9]+ x float>}}
// PRINT-NOT: on sluice.root/calls

// RUN: %sluice build %s -march=x86-64-v3 -o %t --print-changed --node=root/columns 2>&1 | FileCheck %s --check-prefix=CHANGED
// CHANGED: IR Dump After {{.*}} on sluice.root/columns
// CHANGED-NOT: on sluice.root/calls

// RUN: %sluice build %s -march=x86-64-v3 -o %t --node=lines --print-after=all 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warning: no node is called 'lines'; nothing is printed
// NONE-NOT: Dump

// Why a leaf is not a vector, at its lines.
// RUN: %sluice build %s -march=x86-64-v3 -o %t -Rpass=sluice -Rpass-missed=sluice -Rpass-analysis=sluice 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: passes.c:[[@LINE+39]]:{{[0-9]+}}: remark: {{[0-9]+}} instances run as lanes of a vector
// REMARK-DAG: passes.c:[[@LINE+50]]:{{[0-9]+}}: remark: instances do not run as lanes of a vector: the function 'slow' has no form for vectors
// REMARK-DAG: passes.c:[[@LINE+50]]:{{[0-9]+}}: remark: the function 'slow' has no form for vectors

// RUN: %sluice build %s -march=x86-64-v3 -o %t -Rpass=sluice-vectorize-lanes --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "message": {{.*}}instances run as lanes of a vector

// A program in the cache is compiled again for those who look.
// RUN: %sluice run %s | FileCheck %s --check-prefix=OUT
// RUN: %sluice run %s --stats > %t.out 2> %t.stats
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s --check-prefix=STATS < %t.stats
// RUN: %sluice run %s --time-passes 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: %sluice run %s -mllvm -opt-disable=sluice-vectorize-lanes -Rpass=sluice 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: %sluice run %s 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: 27 64
// STATS: 1 sluice-vectorize-lanes {{ *}}- Loops over instances that become lanes
// TIME: Pass execution timing report
// TIME: VectorizeLanes
// TIME: 27 64
// WITHOUT-NOT: lanes of a vector
// WITHOUT: 27 64

// RUN: not %sluice build %s -o %t --print-after=sluice-jam-loop 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not %sluice build %s -o %t --node=columns 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not %sluice build %s -o %t -mllvm -no-such-option 2>&1 | FileCheck %s --check-prefix=LLVM
// UNKNOWN: error: --print-after: unknown pass 'sluice-jam-loop'; did you mean 'sluice-jam-loops'?
// ALONE: error: --node needs --print-after, --print-before or --print-changed
// LLVM: error: LLVM: Unknown command line argument '-no-such-option'

#include "hpvm.h"

#include <stdio.h>

void columns(float *In, size_t InBytes, float *Out, size_t OutBytes, long N) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, In, 1, Out);
  long X = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float Sum = 0;
  for (long K = 0; K < N - (X == 0); ++K)
    Sum += In[K * 64 + X];
  Out[X] = Sum;
}

__attribute__((noinline)) float slow(float X) { return X + 1; }

void calls(float *In, size_t InBytes, float *Out, size_t OutBytes, long N) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, In, 1, Out);
  long X = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float Sum = 0;
  for (long K = 0; K < N; ++K)
    Sum += slow(In[K * 64 + X]);
  Out[X] = Sum;
}

void root(float *In, size_t InBytes, float *A, size_t ABytes, float *B,
          size_t BBytes, long N) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, In, 2, A, B);
  void *Columns = __hpvm__createNodeND(1, columns, (size_t)64);
  void *Calls = __hpvm__createNodeND(1, calls, (size_t)64);
  __hpvm__bindIn(Columns, 0, 0, 0);
  __hpvm__bindIn(Columns, 1, 1, 0);
  __hpvm__bindIn(Columns, 2, 2, 0);
  __hpvm__bindIn(Columns, 3, 3, 0);
  __hpvm__bindIn(Columns, 6, 4, 0);
  __hpvm__bindIn(Calls, 0, 0, 0);
  __hpvm__bindIn(Calls, 1, 1, 0);
  __hpvm__bindIn(Calls, 4, 2, 0);
  __hpvm__bindIn(Calls, 5, 3, 0);
  __hpvm__bindIn(Calls, 6, 4, 0);
}

struct __attribute__((packed)) Arguments {
  float *In;
  size_t InBytes;
  float *A;
  size_t ABytes;
  float *B;
  size_t BBytes;
  long N;
};

static float In[9 * 64], A[64], B[64];

int main(void) {
  for (int I = 0; I < 9 * 64; ++I)
    In[I] = I / 64 == 0 ? 0 : I % 64 == 5 ? 3.375f : 1;
  struct Arguments Arguments = {In, sizeof In, A, sizeof A, B, sizeof B, 9};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &Arguments));
  __hpvm__cleanup();
  printf("%g %g\n", A[5], B[5] + 28);
}
