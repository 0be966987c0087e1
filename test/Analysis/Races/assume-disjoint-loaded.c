// Pointers that are loaded from memory: what they point to is known only as far
// as the program says what it differs from, and for one node.
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check -DPART %s 2>&1 | FileCheck %s --check-prefix=PART
// RUN: sluice check -DOTHER %s 2>&1 | FileCheck %s --check-prefix=PART
// PROVEN-NOT: error
// PROVEN: {{^}}free of races if what the program says is so{{$}}
// PART: remark: cannot tell what memory 'fill' touches here: through a pointer that is loaded from memory

#include <hpvm.h>

void fill(long **rows, size_t bytes, long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, rows, 0);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  long *row = rows[i];
  sluice_assume_disjoint(row, width * sizeof(long), row, width * sizeof(long));
#ifndef PART // A row could lie in the table.
  sluice_assume_disjoint(row, width * sizeof(long), rows, bytes);
#endif
  for (long x = 0; x < width; ++x)
    row[x] = i;
}

void other(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  data[0] = 1;
}

void root(long **rows, size_t bytes, long width, long n, long *data,
          size_t dataBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, rows, data, 1, data);
  void *node = __hpvm__createNodeND(1, fill, n);
  for (int i = 0; i < 3; ++i)
    __hpvm__bindIn(node, i, i, 0);
#ifdef OTHER
  void *second = __hpvm__createNodeND(0, other);
  __hpvm__bindIn(second, 4, 0, 0);
  __hpvm__bindIn(second, 5, 1, 0);
#endif
}
