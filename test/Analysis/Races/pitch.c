// Rows of 128 elements, of which the host uses as many as it says: rows meet
// only if it says more than 128. That is no error, but unknown. It is one where
// the program itself has longer rows, or two instances of a row meet. Likewise
// for the planes of one buffer, which have 1000 elements.
// RUN: sluice check %s 2>&1 | FileCheck %s --implicit-check-not=error
// RUN: sluice check -DLOOP %s 2>&1 | FileCheck %s --check-prefix=LOOP \
// RUN:   --implicit-check-not=error
// RUN: sluice check -DPLANES %s 2>&1 | FileCheck %s --check-prefix=PLANES \
// RUN:   --implicit-check-not=error
// RUN: not sluice check -DRACY %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DWIDE %s 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: sluice check -DGUARD %s 2>&1 | FileCheck %s --check-prefix=GUARD
// GUARD-NOT: {{error|remark}}
// GUARD: proven free of races

#include <hpvm.h>

#ifdef WIDE
enum { columns = 129 };
#else
#define columns width
#endif
#ifdef PLANES
enum { rows = 1 };
#else
#define rows height
#endif

void work(int *to, size_t toBytes, long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, to);
  void *self = __hpvm__getNode();
  long y = __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(self));
  long x = __hpvm__getNodeInstanceID_x(self);
#if defined(LOOP)
  // LOOP: pitch.c:[[@LINE+2]]:{{[0-9]+}}: remark: cannot tell whether instances of 'work' meet in argument 'to' of 'root'
  for (long i = 0; i < width; ++i)
    to[(y * 4 + x) * 128 + i] = 1;
#elif defined(PLANES)
  // PLANES-DAG: pitch.c:[[@LINE+2]]:{{[0-9]+}}: note: 'work' writes it here
  // PLANES-DAG: pitch.c:[[@LINE+2]]:{{[0-9]+}}: remark: cannot tell whether instances of 'work' meet in argument 'to' of 'root'
  to[x] = 1;
  to[x + 1000] = 1;
#elif defined(RACY)
  // RACY: pitch.c:[[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 'to' of 'root' in several instances: instances ({{[0-9, ]+}}) and ({{[0-9, ]+}}) meet;
  to[y * 128 + width] = 1;
#elif defined(GUARD)
  if (x < 128)
    to[y * 128 + x] = 1;
#else
  // CHECK: pitch.c:[[@LINE+2]]:{{[0-9]+}}: remark: cannot tell whether instances of 'work' meet in argument 'to' of 'root'
  // WIDE: pitch.c:[[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 'to' of 'root' in several instances: instances ({{[0-9, ]+}}) and ({{[0-9, ]+}}) meet
  to[y * 128 + x] = 1;
#endif
}

void row(int *to, size_t toBytes, long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, to);
#if defined(LOOP)
  void *node = __hpvm__createNodeND(1, work, (size_t)4);
#else
  void *node = __hpvm__createNodeND(1, work, columns);
#endif
  for (int i = 0; i < 3; ++i)
    __hpvm__bindIn(node, i, i, 0);
}

void root(int *to, size_t toBytes, long width, long height) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, to);
  void *node = __hpvm__createNodeND(1, row, rows);
  for (int i = 0; i < 3; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
