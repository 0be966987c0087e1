// A node may give its outputs and leave from within scopes whose variables end
// there: clang sends all ways out of such a scope through the same code.

// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run -O0 %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// RUN: not %sluice check -DTWICE %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not %sluice check -DNEVER %s 2>&1 | FileCheck %s --check-prefix=NEVER

// CHECK: 3 4 5 2 8 4 28 16
// TWICE: return-in-scope.cpp:[[#@LINE+29]]:7: error: node 'leaf' can get here after it has given its outputs
// NEVER: error: node 'leaf' can end here without giving its outputs
// NEVER-NOT: error:

#include <cstdio>
#include <initializer_list>
#include <hpvm.h>

struct Counter {
  int &count;
  ~Counter() { ++count; }
};

void leaf(int n) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  int ended = 0;
  {
    Counter counter{ended};
    int k[3] = {n, 2, 3};
    int q = k[n & 1];
    if (n > 3) {
      int z = q * 2;
      Counter inner{ended};
      __hpvm__return(1, z);
#if defined(TWICE)
      if (n == 4) {
        Counter last{ended};
      }
      __hpvm__return(1, z);
#endif
      return;
    }
    for (int i = 0; i < 3; i++) {
      int u[2] = {i, n};
      if (u[0] == 1 && n == -1)
        continue;
      if (u[0] == n) {
        __hpvm__return(1, u[1] + k[2]);
        return;
      }
    }
#ifdef NEVER
    if (n == 3)
      return;
#endif
    __hpvm__return(1, q);
    return;
  }
}

void root(int n) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *node = __hpvm__createNodeND(0, leaf);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}

struct __attribute__((packed)) Arguments {
  int n;
  int result;
};

int main() {
  __hpvm__init();
  for (int n : {0, 1, 2, 3, 4, 5, 7, 8}) {
    Arguments arguments = {n == 7 ? 14 : n, 0};
    __hpvm__wait(__hpvm__launch(0, (void *)root, &arguments));
    std::printf("%d ", arguments.result);
  }
  std::printf("\n");
  __hpvm__cleanup();
}
