// Two launches in flight over one tracked memory: the tracker orders them, so
// each step finds what the one before wrote.
// RUN: sluice check %s 2>&1 | FileCheck %s
// RUN: sluice run %s | FileCheck %s --check-prefix=OUTPUT
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races
// OUTPUT: 3 3

#include <hpvm.h>
#include <stdio.h>

void step(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  data[i] = 2 * data[i] + 1;
}
void root(long *data, size_t bytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, step, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

struct __attribute__((packed)) Args {
  long *data;
  size_t bytes;
  long n;
};

int main(void) {
  static long data[64];
  struct Args args = {data, sizeof data, 64};
  __hpvm__init();
  llvm_hpvm_track_mem(data, sizeof data);
  void *first = __hpvm__launch(0, root, &args);
  void *second = __hpvm__launch(0, root, &args);
  __hpvm__wait(first);
  __hpvm__wait(second);
  llvm_hpvm_request_mem(data, sizeof data);
  printf("%ld %ld\n", data[0], data[63]);
  llvm_hpvm_untrack_mem(data);
  __hpvm__cleanup();
  return 0;
}
