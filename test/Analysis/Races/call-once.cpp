// std::call_once is what the static of a function is: the first instance calls,
// the others wait. So it is for the host and for what throws.
// RUN: sluice check %s 2>&1 | FileCheck %s
// CHECK: remark: the first of the instances of 'work' that gets here initialises global variable 'value', and the others wait
// CHECK: proven free of races; results may depend on the order
// RUN: sluice run %s
// RUN: env SLUICE_CHECK=1 sluice run %s
// RUN: sluice build %s -o %t && %t
//
// What is written later is a race, and one flag says nothing of another.
// RUN: not sluice check "-DLATER=value = 4" %s 2>&1 | FileCheck %s --check-prefix=RACY
// RACY: error: 'work' {{.*}} global variable 'value'
//
// A flag that others may know keeps the library's code.
// RUN: not sluice check -DVISIBLE %s 2>&1 | FileCheck %s --check-prefix=VISIBLE
// VISIBLE: error: {{.*}}uses thread-local variable 'std::__once_callable'

#include <hpvm.h>
#include <mutex>

#ifndef VISIBLE
static
#endif
    std::once_flag flag;
static int value, tries, ofHost;

static void set(int number) { value = number; }

static void fail() {
  if (++tries < 3)
    throw tries;
}

void work(int *out, size_t bytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, out, 1, out);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  std::call_once(flag, set, 3);
#ifdef LATER
  LATER;
#endif
  out[x] = value;
}

void root(int *out, size_t bytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, out, 1, out);
  void *node = __hpvm__createNodeND(1, work, 8);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

struct __attribute__((packed)) Arguments {
  int *out;
  size_t bytes;
};

int main() {
  static int out[8];
  static std::once_flag own, failing;
  Arguments all = {out, sizeof out};
  for (int i = 0; i < 3; ++i)
    std::call_once(own, [] { ++ofHost; });
  int caught = 0;
  for (int i = 0; i < 5; ++i)
    try {
      std::call_once(failing, fail);
    } catch (int) {
      ++caught;
    }
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, (void *)root, &all));
  __hpvm__cleanup();
  std::call_once(flag, set, 5);
  for (int number : out)
    if (number != 3)
      return 1;
  return value == 3 && ofHost == 1 && tries == 3 && caught == 2 ? 0 : 1;
}
