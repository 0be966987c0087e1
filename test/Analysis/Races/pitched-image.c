// Rows that lie `pitch` elements apart: they do not meet if the program says, or
// asks, that a row has no more elements, or rounds the pitch up itself.
// RUN: sluice check %s 2>&1 | FileCheck %s --implicit-check-not=error
// RUN: sluice check "-DSTATE=__builtin_assume(width <= pitch + 1)" %s 2>&1 | FileCheck %s --implicit-check-not=error
// RUN: sluice check "-DSTATE=__builtin_assume(pitch <= width)" %s 2>&1 | FileCheck %s --implicit-check-not=error
// RUN: sluice check "-DPITCH=(width + 14) / 16 * 16" %s 2>&1 | FileCheck %s --implicit-check-not=error
// RUN: sluice check "-DSTATE=__builtin_assume(width <= pitch)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DSTATE=__builtin_assume(width < pitch && pitch < 1000)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DSTATE=if (width > pitch) return" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DSTATE=if (width > pitch) __builtin_unreachable()" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DNUMBER=unsigned" "-DSTATE=__builtin_assume(width <= pitch)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DNUMBER=int" "-DSTATE=__builtin_assume(width + 3 <= pitch)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DPITCH=(width + 15) / 16 * 16" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DPITCH=(width + 15) & -16L" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DPITCH=(width < 64 ? 64 : width)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DPITCH=128" "-DSTATE=__builtin_assume(width <= 128)" %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check "-DPITCH=128" "-DSTATE=__builtin_assume(width <= 129)" %s 2>&1 | FileCheck %s --implicit-check-not=error
// PROVEN-NOT: {{error|remark}}
// PROVEN: proven free of races

#include <hpvm.h>

#ifndef NUMBER
#define NUMBER long
#endif
#ifndef STATE
#define STATE (void)0
#endif
#ifndef PITCH
#define PITCH pitch
#endif

void work(float *image, size_t bytes, NUMBER width, NUMBER pitch) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, image, 1, image);
  void *self = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(self);
  long y = __hpvm__getNodeInstanceID_y(self);
  STATE;
  long distance = PITCH;
  // CHECK: pitched-image.c:[[@LINE+1]]:{{[0-9]+}}: remark: cannot tell whether instances of 'work' meet in argument 'image' of 'root'
  image[y * distance + x] = 2 * image[y * distance + x];
}

void root(float *image, size_t bytes, NUMBER width, NUMBER pitch, long height) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, image, 1, image);
  void *node = __hpvm__createNodeND(2, work, (long)width, height);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
