// A page shows at each node what passes did to its leaf, if flags ask for it.

// RUN: %sluice graph %s -march=x86-64-v3 -Rpass=sluice -Rpass-missed=sluice -o %t.html 2>&1 | count 0
// RUN: FileCheck %s < %t.html
// CHECK:      "name":"root"{{[^}]*}}"remarks":[]
// CHECK-SAME: "name":"columns"{{[^}]*}}"remarks":["leaf-remarks.c:[[@LINE+27]]: instances run as vectors of up to 8 elements
// CHECK-SAME: "name":"calls"{{[^}]*}}"remarks":["leaf-remarks.c:{{[0-9]+}}: instances do not run as lanes of a vector: the function 'slow' has no form for vectors

// The remarks of a fused node belong to each of its parts.
// RUN: %sluice graph %S/../../Transforms/Inputs/chain.c -march=x86-64-v3 -Rpass=sluice -o %t.fused.html
// RUN: FileCheck %s --check-prefix=FUSED < %t.fused.html
// FUSED:      "name":"scale"{{[^}]*}}"remarks":["chain.c:{{[^"]*}} instances run as vectors
// FUSED-SAME: "name":"shift"{{[^}]*}}"remarks":["chain.c:{{[^"]*}} instances run as vectors
// FUSED-SAME: "name":"store"{{[^}]*}}"remarks":["chain.c:{{[^"]*}} instances run as vectors

// There are none without the flags, for passes of other names, and if the
// program races.
// RUN: %sluice graph %s -o %t.plain.html && FileCheck %s --check-prefix=NONE < %t.plain.html
// RUN: %sluice graph %s -Rpass=sluice-order-loads -o %t.other.html && FileCheck %s --check-prefix=NONE < %t.other.html
// RUN: not %sluice graph %s -DRACE -Rpass=sluice -o %t.race.html 2>/dev/null
// RUN: FileCheck %s --check-prefix=NONE < %t.race.html
// NONE:     "name":"columns"
// NONE-NOT: "remarks":["

#include "hpvm.h"

void columns(float *In, size_t InBytes, float *Out, size_t OutBytes, long N) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, In, 1, Out);
  long X = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float Sum = 0;
  for (long K = 0; K < N; ++K)
    Sum += In[K * 64 + X];
#ifdef RACE
  Out[0] = Sum;
#else
  Out[X] = Sum;
#endif
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

int main(void) {
  __hpvm__init();
  __hpvm__cleanup();
}
