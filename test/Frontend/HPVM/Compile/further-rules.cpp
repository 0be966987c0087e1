// A node that is none does not hide what is wrong with other graphs, and what
// follows from it is not said.

// RUN: not %sluice check %s 2>&1 | FileCheck %s
// CHECK: further-rules.cpp:[[#@LINE+14]]:37: error: a node function is expected here, but this has type 'std::pair<int, int>'
// CHECK-NOT: error:
// CHECK: error: input 0 'o' of 'leaf2' is a pointer without in or out;
// CHECK-NOT: error:
// CHECK: error: input port 7 is out of range
// CHECK-NOT: error:

#include <hpvm.h>
#include <utility>
struct __attribute__((packed)) Args { int *o; size_t n; };
void leaf(int *o, size_t n) { __hpvm__hint(hpvm::CPU_TARGET); __hpvm__attributes(0, 1, o); o[0] = 1; }
void root1(int *o, size_t n) {
  __hpvm__hint(hpvm::CPU_TARGET); __hpvm__attributes(0, 1, o);
  std::pair<int, int> p;
  void *t = __hpvm__createNodeND(0, p);
  __hpvm__bindIn(t, 0, 0, 0); __hpvm__bindIn(t, 1, 1, 0);
}
void leaf2(int *o, size_t n) { __hpvm__hint(hpvm::CPU_TARGET); o[0] = 2; }
void root2(int *o, size_t n) {
  __hpvm__hint(hpvm::CPU_TARGET); __hpvm__attributes(0, 1, o);
  void *t = __hpvm__createNodeND(0, leaf2);
  __hpvm__bindIn(t, 0, 0, 0); __hpvm__bindIn(t, 7, 1, 0);
}
int main() {
  int o[1]; Args a{o, 4};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, (void *)root1, &a));
  __hpvm__wait(__hpvm__launch(0, (void *)root2, &a));
  __hpvm__cleanup();
}
