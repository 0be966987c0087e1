// Helpers with which the leaf would become too large are only asked whether they
// keep to their arguments; they do not call themselves.

// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=OWN
// OWN-NOT: {{remark|error}}
// OWN: proven free of races
// RUN: sluice check "-DSTATE=total += number" %s 2>&1 | FileCheck %s
// CHECK-NOT: calls itself
// CHECK: remark: cannot tell what memory 'leaf' touches here: 'large' is not looked into, since it cannot be inlined or the leaf would become too large with it, and may touch any memory
// CHECK-NOT: calls itself

#include <hpvm.h>

#define ONE                                                                    \
  sum = 3 * sum + (sum ^ number);                                              \
  if (sum == 77)                                                               \
    sum += number;
#define FOUR ONE ONE ONE ONE
#define SIXTEEN FOUR FOUR FOUR FOUR
#define MANY SIXTEEN SIXTEEN SIXTEEN SIXTEEN
#define VERY_MANY MANY MANY MANY MANY

#ifndef STATE
#define STATE
#endif
static int total;

static int large(int number) {
  int sum = number;
  STATE;
  VERY_MANY VERY_MANY VERY_MANY VERY_MANY return sum;
}

void leaf(int *out, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  int i = (int)__hpvm__getNodeInstanceID_x(__hpvm__getNode());
  out[i] = large(i) + large(i + 1) + large(i + 2) + large(i + 3) +
           large(i + 4) + large(i + 5);
}

void root(int *out, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  void *node = __hpvm__createNodeND(1, leaf, (size_t)64);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

struct __attribute__((packed)) Arguments {
  int *out;
  size_t bytes;
};

int main(void) {
  total = 0;
  static int out[64];
  struct Arguments arguments = {out, sizeof out};
  __hpvm__init();
  llvm_hpvm_track_mem(out, sizeof out);
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  llvm_hpvm_request_mem(out, sizeof out);
  llvm_hpvm_untrack_mem(out);
  __hpvm__cleanup();
}
