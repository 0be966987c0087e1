// Two items in flight over one buffer: the runtime orders the stages that use
// it, so the second item waits; a buffer that each item brings lets them
// overlap. Stages that only read what all items share do not wait.
// RUN: sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: two-items.c:{{[0-9]+}}: remark: items of the stream use argument 'buffer' of 'root' one after the other, since all of them share it: written by 'blur', read by 'edges'; let each item bring its own memory to have them overlap [stream]
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void blur(float *image, size_t bytes, float *buffer, size_t bufferBytes,
          float *table, size_t tableBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, image, table, 1, buffer);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  buffer[i] = image[i] * table[i];
  __hpvm__return(1, bufferBytes);
}
void edges(float *buffer, size_t bufferBytes, float *result,
           size_t resultBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, buffer, 1, result);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  result[i] = buffer[i + 1] - buffer[i];
  __hpvm__return(1, resultBytes);
}

#ifdef FIXED
enum { isStream = 1 };
#else
enum { isStream = 0 };
#endif

void root(float *image, size_t bytes, float *buffer, size_t bufferBytes,
          float *table, size_t tableBytes, float *result, size_t resultBytes,
          long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, image, buffer, table, 2, buffer, result);
  void *a = __hpvm__createNodeND(1, blur, n);
  void *b = __hpvm__createNodeND(1, edges, n);
  __hpvm__bindIn(a, 0, 0, 1);
  __hpvm__bindIn(a, 1, 1, 1);
  __hpvm__bindIn(a, 2, 2, isStream);
  __hpvm__bindIn(a, 3, 3, isStream);
  __hpvm__bindIn(a, 4, 4, 0);
  __hpvm__bindIn(a, 5, 5, 0);
  __hpvm__bindIn(b, 2, 0, isStream);
  __hpvm__edge(a, b, 1, 0, 1, 1);
  __hpvm__bindIn(b, 6, 2, 1);
  __hpvm__bindIn(b, 7, 3, 1);
  __hpvm__bindOut(b, 0, 0, 1);
}
