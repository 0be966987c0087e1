// A buffer that is written but not listed as an output would let others not
// wait for it, so it is an error; listed, the program is right. The same for a
// root without sections, and for a section in a task.
//
// RUN: not %sluice check %s 2>&1 | FileCheck %s
// RUN: not %sluice check -DPLAIN %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not %sluice check -DNESTED %s 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: %sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED

// FIXED-NOT: error
// FIXED: no problems in 1 graph

#include <hetero.h>

static void set(int *p, int value) { *p = value; }

#ifdef FIXED
#define OUTPUT 1, a, aBytes
#else
#define OUTPUT 0
#endif

// PLAIN: [[@LINE+1]]: error: root function 'root' has no section, so it describes no graph
void root(int *a, size_t aBytes, int *b, size_t bBytes) {
#ifndef PLAIN
  void *section = __hetero_section_begin();
#ifdef NESTED
  // NESTED: [[@LINE+1]]:{{[0-9]+}}: error: buffer 'a' is written by 'inner' in this task, which does not list it as an output
  void *outer = __hetero_task_begin(1, a, aBytes, 0, "outer");
  void *nested = __hetero_section_begin();
  void *inner = __hetero_task_begin(1, a, aBytes, 1, a, aBytes, "inner");
  set(a + 3, 4);
  __hetero_task_end(inner);
  __hetero_section_end(nested);
  __hetero_task_end(outer);
#else
  void *task = __hetero_task_begin(1, a, aBytes, OUTPUT, "write");
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: buffer 'a' is written in 'write', which does not list it as an output
  set(a + 3, 4);
  __hetero_task_end(task);
#endif
  void *after = __hetero_task_begin(2, a, aBytes, b, bBytes, 1, b, bBytes,
                                    "read");
  b[0] = a[3];
  __hetero_task_end(after);
  __hetero_section_end(section);
#else
  b[0] = a[3];
#endif
}

int main(void) {
  int a[10] = {0}, b[10];
  __hetero_wait(__hetero_launch(root, 2, a, sizeof(a), b, sizeof(b), 1, b,
                                sizeof(b)));
  return 0;
}
