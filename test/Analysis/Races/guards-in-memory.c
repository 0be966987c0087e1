// What memory holds is chosen where one of two accesses depends on it. Where
// both do, they meet for certain only if they do on every way that memory may
// send the instances: of a flag, one instance alone may have it.
//
// DEFINE: %{check} = sluice check %s
// DEFINE: %{racy} = FileCheck %s --check-prefix=RACY
// DEFINE: %{unknown} = FileCheck %s --check-prefix=UNKNOWN
// RACY: error: 'work' {{.*}}argument 'c' of 'root'
// UNKNOWN: remark: cannot tell whether instances of 'work' meet in argument 'c' of 'root': {{.*}}in memory
//
// RUN: not %{check} "-DCODE=if (v[x] > *c) *c = v[x]" 2>&1 | %{racy}
// RUN: not %{check} -DTYPE=double "-DCODE=if (v[x] > *c) *c = v[x]" 2>&1 | %{racy}
// RUN: not %{check} -DTYPE=float "-DCODE=if (v[x] < *c) *c = v[x]" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=if (v[x] == 5) *c = 1; v[n + x] = *c" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=if (v[x] <= 0) c[0] = 1; else c[0] = 2" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=if (v[x] > 0) c[0] = 1; else if (v[x] < -5) c[0] = 2; else c[0] = 3" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=if (v[x] > 0) c[x] = 1; c[x / 2] = 2" 2>&1 | %{racy}
//
// RUN: %{check} "-DCODE=if (v[x] == 1) c[0] = 1" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=if (v[x] != -1) c[0] = 1" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=if (v[x] <= 0) c[0] = 1; else v[n + x] = c[0]" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=if (v[x] <= 0) c[0] = 1; else c[1] = 2" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=for (int i = 0; i < v[x]; ++i) c[i] = 1" 2>&1 | %{unknown}

#include <hpvm.h>

#ifndef TYPE
#define TYPE int
#endif

void work(TYPE *v, size_t vBytes, TYPE *c, size_t cBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, v, c, 2, v, c);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  CODE;
}

void root(TYPE *v, size_t vBytes, TYPE *c, size_t cBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, v, c, 2, v, c);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
