// A leaf that stands in several places has one remark, and notes that name the
// other places.
// RUN: sluice check %s 2>&1 | FileCheck %s
// CHECK: said-once.c:[[#@LINE+11]]:{{[0-9]+}}: remark: cannot tell whether instances of 'work' meet in argument 'a' of 'first': it depends on a value that is loaded from memory
// CHECK-NOT: remark:
// CHECK: said-once.c:[[#@LINE+21]]:{{[0-9]+}}: note: the same holds for 'work' in argument 'b' of 'second'
// CHECK-NOT: remark:
// CHECK: free of races but for what the remarks name

#include <hpvm.h>

void work(float *a, size_t aBytes, long *index, size_t indexBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, index, 1, a);
  a[index[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] / 2] = 1;
}

#define ROOT(name, array)                                                      \
  void name(float *array, size_t bytes, long *index, size_t indexBytes) {      \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(2, array, index, 1, array);                             \
    void *node = __hpvm__createNodeND(1, work, 64L);                           \
    for (int i = 0; i < 4; ++i)                                                \
      __hpvm__bindIn(node, i, i, 0);                                           \
  }
ROOT(first, a)
ROOT(second, b)

int main(void) {
  float values[64];
  long index[64] = {0};
  struct __attribute__((packed)) {
    float *values;
    size_t bytes;
    long *index;
    size_t indexBytes;
  } args = {values, sizeof values, index, sizeof index};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, first, &args));
  __hpvm__wait(__hpvm__launch(0, second, &args));
  __hpvm__cleanup();
}
