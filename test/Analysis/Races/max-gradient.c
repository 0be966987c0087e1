// A stage of an edge detector that reduces a picture to its largest value, as
// published: instance 0 reads what the others wrote, without a barrier, and
// the buffer that all of them write is declared `in` only.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: not sluice check -DLEAST %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED -DLEAST %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void largest(float *gradient, size_t bytes, float *result, size_t resultBytes,
             long rows, long columns) {
  __hpvm__hint(CPU_TARGET);
#ifdef FIXED
  __hpvm__attributes(1, gradient, 2, gradient, result);
#else
  __hpvm__attributes(1, gradient, 1, result);
#endif
  void *self = __hpvm__getNode();
  long lane = __hpvm__getNodeInstanceID_x(self);
  long lanes = __hpvm__getNumNodeInstances_x(self);
  for (int i = lane + lanes; i < rows * columns; i += lanes)
    if (gradient[lane] < gradient[i])
      // CHECK-DAG: max-gradient.c:[[@LINE+1]]:{{[0-9]+}}: note: 'largest' writes it here
      gradient[lane] = gradient[i];
#ifdef FIXED
  __hpvm__barrier();
#endif
  if (lane == 0) {
    float most = gradient[0];
#ifdef LEAST
    long end = lanes < rows * columns ? lanes : rows * columns;
    for (int i = 1; i < end; ++i)
#else
    for (int i = 1; i < lanes && i < rows * columns; ++i)
#endif
      // CHECK-DAG: max-gradient.c:[[@LINE+1]]:{{[0-9]+}}: error: 'largest' reads argument 'gradient' of 'root' here, where another instance writes it at the same time: instances ({{[0-9]+}}) and ({{[0-9]+}}) meet; put a barrier between the two,
      if (most < gradient[i])
        most = gradient[i];
    *result = most;
  }
  __hpvm__return(1, resultBytes);
}

void root(float *gradient, size_t bytes, float *result, size_t resultBytes,
          long rows, long columns, long lanes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, gradient, 2, gradient, result);
  void *node = __hpvm__createNodeND(1, largest, lanes);
  for (int i = 0; i < 6; ++i)
    __hpvm__bindIn(node, i, i, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}
