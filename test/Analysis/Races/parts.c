// Each instance takes a part of an array, whose length both the number of
// elements and the number of parts decide.
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check -DNUMBER=int %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check -DNUMBER=size_t %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check -DGRID %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// PROVEN-NOT: {{error|remark}}
// PROVEN: proven free of races
//
// RUN: not sluice check "-DEND=size + 1" %s 2>&1 | FileCheck %s --check-prefix=RACY
// RACY: error: 'work' writes the same place of argument 'data' of 'root' in several instances
// RUN: sluice check "-DSTRIDE=(size - 1)" %s 2>&1 | FileCheck %s
// RUN: sluice check "-DSTRIDE=(count / (parts + 1))" %s 2>&1 | FileCheck %s
// CHECK: remark: cannot tell whether instances of 'work' meet in argument 'data' of 'root'
// CHECK-NOT: proven free of races

#include <hpvm.h>

#ifndef NUMBER
#define NUMBER long
#endif
#ifndef END
#define END size
#endif
#ifndef STRIDE
#define STRIDE size
#endif

void work(float *data, size_t bytes, NUMBER count, NUMBER parts) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *self = __hpvm__getNode();
  NUMBER part = __hpvm__getNodeInstanceID_x(self);
  NUMBER size = count / parts;
#ifdef GRID
  NUMBER i = __hpvm__getNodeInstanceID_y(self);
  if (i < END)
#else
  for (NUMBER i = 0; i < END; ++i)
#endif
    data[part * STRIDE + i] = 1;
}

void root(float *data, size_t bytes, NUMBER count, NUMBER parts) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
#ifdef GRID
  void *node =
      __hpvm__createNodeND(2, work, (long)parts, (long)(count / parts));
#else
  void *node = __hpvm__createNodeND(1, work, (long)parts);
#endif
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
