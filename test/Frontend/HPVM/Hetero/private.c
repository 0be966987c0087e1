// What a node keeps private has no value after it, and its counter is not its
// own to change; the twin that reads neither is silent.
//
// RUN: not %sluice check -DCOUNTER %s 2>&1 | FileCheck %s --check-prefix=COUNTER
// RUN: not %sluice check -DREAD %s 2>&1 | FileCheck %s --check-prefix=READ
// RUN: %sluice check %s 2>&1 | FileCheck %s

#include <hetero.h>

// CHECK-NOT: error
// CHECK: no problems in 1 graph
void root(int *a, size_t aBytes, int n) {
  int t = 0;
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, a, aBytes, n, 1, a, aBytes);
    __hetero_priv(1, t);
    t = 2 * i;
    a[i] = t;
#ifdef COUNTER
    // COUNTER: [[@LINE+1]]:{{[0-9]+}}: error: 'i' counts the turns of this parallel loop, which may change it; use a copy
    i++;
#endif
  }
#ifdef READ
  void *task = __hetero_task_begin(2, a, aBytes, t, 1, a, aBytes);
  // READ: [[@LINE+1]]:{{[0-9]+}}: error: 't' is used in this task, but it is private to a node before
  a[0] = t;
  __hetero_task_end(task);
#endif
  __hetero_section_end(section);
}

int main(void) {
  int a[10];
  __hetero_wait(__hetero_launch(root, 2, a, sizeof(a), 10, 1, a, sizeof(a)));
  return 0;
}
