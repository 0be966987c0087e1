// Rows that instances find through a table: only the program knows that each
// has a row of its own. What it says is believed for the pointers it names.
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=TESTED
// RUN: sluice check -DSAID %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check -DSAID -DOTHER %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sluice check -DSAID -DLATE %s 2>&1 | FileCheck %s --check-prefix=TESTED
// RUN: not sluice check -DSAID -DRACY %s 2>&1 | FileCheck %s --check-prefix=RACY

// TESTED: {{^}}free of races if no two of the entries that are read in 'table' are equal, which each launch tests{{$}}
// PROVEN-NOT: error
// PROVEN: remark: the program says that instances of 'fill' never meet in argument 'rows' of 'root' ('sluice_assume_disjoint')
// PROVEN: {{^}}free of races if what the program says is so{{$}}
// Through another pointer the same memory is as unknown as before.
// OTHER: assume-disjoint.c:[[@LINE+22]]:{{[0-9]+}}: remark: cannot tell whether instances of 'fill' meet in argument 'rows' of 'root'
// RACY: error: 'fill' writes the same place of argument 'rows' of 'root' in several instances

#include <hpvm.h>

void fill(long *rows, size_t bytes, long *table, size_t tableBytes,
          long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, rows, table, 1, rows);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  long *row = rows + table[i] * width;
#if defined SAID && !defined LATE
  sluice_assume_disjoint(row, width * sizeof(long), row, width * sizeof(long));
#endif
  for (long x = 0; x < width; ++x)
    row[x] = i;
#ifdef LATE // Not every instance that has written says it.
  if (i > 2)
    sluice_assume_disjoint(row, width * sizeof(long), row,
                           width * sizeof(long));
#endif
#ifdef OTHER
  rows[table[0] + i * width] = 0;
#endif
#ifdef RACY
  rows[0] = 0;
#endif
}

void root(long *rows, size_t bytes, long *table, size_t tableBytes, long width,
          long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, rows, table, 1, rows);
  void *node = __hpvm__createNodeND(1, fill, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
