// Within one item nothing races, but the same stage works for two items at the
// same time, and nobody knows what memory it loads the address of. In a graph
// without a stream there is one item.
// RUN: sluice check -DSTREAM=1 %s 2>&1 | FileCheck %s
// RUN: sluice check -DSTREAM=0 %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void work(long **rows, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, rows, 0);
  // CHECK: items-unknown.c:[[@LINE+1]]:{{[0-9]+}}: remark: cannot tell what memory 'work' touches here: through a pointer that is loaded from memory
  rows[0][0] = 1;
  __hpvm__return(1, bytes);
}
void root(long **rows, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, rows, 0);
  void *a = __hpvm__createNodeND(0, work);
  __hpvm__bindIn(a, 0, 0, STREAM);
  __hpvm__bindIn(a, 1, 1, STREAM);
  __hpvm__bindOut(a, 0, 0, STREAM);
}
