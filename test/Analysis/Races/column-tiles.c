// Tiles of columns: a row ends where the last tile does, which is said of the
// column as a whole.
// DEFINE: %{check} = sluice check %s
// DEFINE: %{proven} = FileCheck %s --check-prefix=PROVEN
// DEFINE: %{other} = FileCheck %s --check-prefix=OTHER
// PROVEN-NOT: {{remark|error}}
// PROVEN: proven free of races
// OTHER-NOT: proven free of races
// OTHER: {{remark|error}}:
//
// RUN: %{check} 2>&1 | %{proven}
// RUN: %{check} -DEND=m 2>&1 | %{other}
// RUN: not %{check} "-DNEXT=7 * x + 8" 2>&1 | %{other}
// RUN: not %{check} "-DSTART=7 * x - (x > 0)" 2>&1 | %{other}
// RUN: %{check} "-DPITCH=(n - 1)" 2>&1 | %{other}
// RUN: %{check} "-DPITCH=m" 2>&1 | %{other}
// RUN: %{check} "-DPITCH=(n + 1)" 2>&1 | %{proven}
// RUN: not %{check} "-DCOLUMN=j / 2" 2>&1 | %{other}

#include <hpvm.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#ifndef START
#define START 7 * x
#endif
#ifndef NEXT
#define NEXT 7 * x + 7
#endif
#ifndef END
#define END n
#endif
#ifndef PITCH
#define PITCH n
#endif
#ifndef COLUMN
#define COLUMN j
#endif

void tile(int *a, size_t aBytes, long n, long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  for (long i = 0; i < m; i++)
    for (long j = START; j < MIN(NEXT, END); j++)
      a[i * PITCH + COLUMN] = 1;
}

void root(int *a, size_t aBytes, long n, long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *node = __hpvm__createNodeND(1, tile, (n + 6) / 7);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
