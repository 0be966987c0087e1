// What an instance reads decides whether it updates, or where: it counts. That
// two instances may do so is an error where the host may have put anything into
// what they read, and there are more instances than places.
// DEFINE: %{check} = sluice check %s
// DEFINE: %{racy} = FileCheck %s --check-prefix=RACY
// DEFINE: %{open} = FileCheck %s --check-prefix=OPEN
// RACY: error: {{.*}}: for some contents of memory, instances {{.*}} meet; declare the reduction before the first update: 'sluice_reduce(c, cBytes, SLUICE_SUM)'
// OPEN-NOT: error
// OPEN: remark: cannot tell whether instances of 'work' meet in argument 'c' of 'root'
//
// RUN: not %{check} "-DCODE=if (v[x] > 5) c[0]--" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=if (v[x] == 1) c[0] += v[x]" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=c[v[x] & 15]++" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=c[(unsigned)v[x] %% 10]++" 2>&1 | %{racy}
// RUN: not %{check} "-DCODE=c[v[x] & 15]++" -DEXTENT=17 2>&1 | %{racy}
//
// A place of its own each, or one instance alone.
// RUN: %{check} "-DCODE=c[v[x] & 15]++" -DEXTENT=16 2>&1 | %{open}
// RUN: %{check} "-DCODE=c[v[x] & 15]++" "-DEXTENT=(n & 7)" 2>&1 | %{open}
// RUN: %{check} "-DCODE=c[v[x]]++" 2>&1 | FileCheck %s --check-prefix=TESTED
// TESTED: {{^}}free of races if no two of the entries that are read in 'v' are equal
// RUN: %{check} "-DCODE=if (x == v[0]) c[0]++" 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: {{^}}free of races if the entries that are read in 'v' send no two instances to the same memory
// In a launch for each colour, no two instances of one colour share a place.
// RUN: %{check} "-DCODE=if (v[x] == 1) { c[x]++; c[x + 1]++; }" 2>&1 | %{open}
// RUN: %{check} "-DCODE=if (v[x] == 1) c[v[n + x] & 15]++" 2>&1 | %{open}
// RUN: %{check} "-DCODE=if (x < 8) c[v[x] & 15]++" 2>&1 | %{open}
// Not all that is done with it is to count.
// RUN: %{check} "-DCODE=c[v[x] & 15] = 1" 2>&1 | %{open}
// RUN: %{check} "-DCODE=if (v[x] > 5) c[0] = 1" 2>&1 | %{open}
// What others write may have one value only.
// RUN: %{check} "-DCODE=if (v[x] > 5) c[0]--" -DWRITTEN 2>&1 | %{open}
// RUN: %{check} "-DCODE=c[v[x] & 15]++" -DWRITTEN 2>&1 | %{open}

#include <hpvm.h>

#ifndef EXTENT
#define EXTENT n
#endif
#define PARAMETERS int *v, size_t vBytes, int *c, size_t cBytes, long n

void work(PARAMETERS) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, v, c, 1, c);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  CODE;
  __hpvm__return(1, vBytes);
}

void before(int *v, size_t vBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, v, 1, v);
  v[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 9;
  __hpvm__return(1, vBytes);
}

void root(PARAMETERS) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, v, c, 2, v, c);
  void *node = __hpvm__createNodeND(1, work, EXTENT);
#ifdef WRITTEN
  void *first = __hpvm__createNodeND(1, before, n);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__edge(first, node, 1, 0, 1, 0);
#else
  __hpvm__bindIn(node, 1, 1, 0);
#endif
  __hpvm__bindIn(node, 0, 0, 0);
  for (int i = 2; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
