// Stages of a stream that hand on a picture in a buffer of their parent: only
// the edge that carries its size orders them. The check of each item is that
// of a graph.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void blur(float *image, size_t bytes, float *buffer, size_t bufferBytes,
          long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, image, 1, buffer);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  // CHECK-DAG: pipeline.c:[[@LINE+1]]:{{[0-9]+}}: note: 'blur' writes it here
  buffer[i] = image[i] / 2;
  __hpvm__return(1, bufferBytes);
}
void edges(float *buffer, size_t bufferBytes, float *result,
           size_t resultBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, buffer, 1, result);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  // CHECK-DAG: pipeline.c:[[@LINE+1]]:{{[0-9]+}}: error: 'edges' reads argument 'buffer' of 'root' here, and 'blur' writes it, but no edge orders the two; add an edge from 'blur' to 'edges' [race]
  result[i] = i + 1 < n ? buffer[i + 1] - buffer[i] : 0;
  __hpvm__return(1, resultBytes);
}
void root(float *image, size_t bytes, float *buffer, size_t bufferBytes,
          float *result, size_t resultBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, image, buffer, 2, buffer, result);
  void *a = __hpvm__createNodeND(1, blur, n);
  void *b = __hpvm__createNodeND(1, edges, n);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(a, i, i, 1);
  __hpvm__bindIn(a, 6, 4, 1);
  __hpvm__bindIn(b, 2, 0, 1);
#ifdef FIXED
  __hpvm__edge(a, b, 1, 0, 1, 1);
#else
  __hpvm__bindIn(b, 3, 1, 1);
#endif
  __hpvm__bindIn(b, 4, 2, 1);
  __hpvm__bindIn(b, 5, 3, 1);
  __hpvm__bindIn(b, 6, 4, 1);
  __hpvm__bindOut(b, 0, 0, 1);
}
