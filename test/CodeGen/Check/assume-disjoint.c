// What a leaf says of rows that it finds through a table is checked, also where
// no access shows that it is wrong. Without checks nothing is left of it.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DGROUPS %s 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED -DGROUPS %s 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: %sluice build --print=llvm -I %S/Inputs %s | FileCheck %s --check-prefix=ERASED
// CHECK: sluice: error: {{.*}}assume-disjoint.c:[[@LINE+17]]:{{[0-9]+}}: 'sluice_assume_disjoint' is wrong: instance 3 of parent 0 of node 'root/middle/fill' and instance 0 of parent 0 both name bytes 16 to 31 of argument 'rows' of graph 'root': give each instance memory of its own
// CHECK-NOT: error
// GROUPS: 'sluice_assume_disjoint' is wrong: instance 1 of parent 1 of node 'root/middle/fill' and instance 0 of parent 0 both name bytes 16 to 31 of argument 'rows' of graph 'root'
// FIXED-NOT: error
// FIXED: first 0
// ERASED: define {{.*}}@
// ERASED-NOT: hpvm.assume
// ERASED-NOT: sluice_assume
// ERASED-NOT: sluiceCheckDisjoint

#include "check.h"

void fill(int *rows, size_t rowsSize, int *table, size_t tableSize, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, rows, table, 1, rows);
  long number = own() + size * parent();
  int *row = rows + 4 * table[number];
  sluice_assume_disjoint(row, 4 * sizeof(int), row, 4 * sizeof(int));
  row[number] = number;
}
void middle(int *rows, size_t rowsSize, int *table, size_t tableSize,
            long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, rows, table, 1, rows);
#ifdef GROUPS
  void *node = __hpvm__createNodeND(1, fill, 2);
#else
  void *node = __hpvm__createNodeND(1, fill, 4);
#endif
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
void root(int *rows, size_t rowsSize, int *table, size_t tableSize, long size,
          long groups) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, rows, table, 1, rows);
  void *node = __hpvm__createNodeND(1, middle, groups);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}

int main(void) {
  int rows[16] = {0}, table[4] = {1, 2, 3, WRONG(1, 0)};
#ifdef GROUPS
  long groups = 2;
#else
  long groups = 1;
#endif
  PACKED {
    int *rows;
    size_t rowsSize;
    int *table;
    size_t tableSize;
    long size, groups;
  }
  args = {rows, sizeof rows, table, sizeof table, 4 / groups, groups};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("first %d\n", rows[4]);
}
