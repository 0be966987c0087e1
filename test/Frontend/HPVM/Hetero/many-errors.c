// What is wrong with one list or task hides nothing of what is wrong with the
// next one, with other roots, and with graphs of HPVM-C beside them; what
// follows from it is not said.

// RUN: not %sluice check %s 2>&1 | FileCheck %s
// RUN: not %sluice check %s 2>&1 | grep error: | count 8

// Nor is it an error to wait for a graph that clang refuses.
// RUN: not %sluice check %s -DSYNTAX 2>&1 | grep error: | count 10

#include <hetero.h>
#include <hpvm.h>

void other(int *x);

void lists(int *a, size_t aBytes, int n) {
  int limit;
  void *section = __hetero_section_begin();
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: input 0 of '__hetero_task_begin' is a pointer and must be followed by its size
  void *t1 = __hetero_task_begin(1, a, 2.5, 2, a, aBytes, limit);
  limit = n;
  __hetero_task_end(t1);
  // What a broken task leaves is not known, which is no further error.
  void *t2 = __hetero_task_begin(2, a, aBytes, limit, 1, a, aBytes);
  a[1] = limit;
  __hetero_task_end(t2);
  void *t3 = __hetero_task_begin(1, a, aBytes, 1, a, aBytes);
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: 'n' is used in this task, but is in neither of its lists
  a[0] = n;
  __hetero_task_end(t3);
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: a parallel loop must step its variable towards its end
  for (int i = 0; i < n; i *= 2) {
    __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes);
    a[i] = n;
  }
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, a, aBytes, n, 1, a, aBytes);
    // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: 'limit' is used in this parallel loop, but is in neither of its lists
    a[i] = limit;
  }
  __hetero_section_end(section);
}

void calls(int *a, size_t aBytes) {
  void *section = __hetero_section_begin();
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: a call of 'other' stands between the nodes of a section
  other(a);
  void *task = __hetero_task_begin(1, a, aBytes, 1, a, aBytes);
  a[0] = 1;
  __hetero_task_end(task);
  __hetero_section_end(section);
}

#ifdef SYNTAX
void refused(int *a, size_t aBytes) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(1, a, aBytes, 1, a, aBytes);
  a[0] = missing;
  __hetero_task_end(task);
  __hetero_section_end(section);
}
#endif

void right(int *a, size_t aBytes) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(1, a, aBytes, 1, a, aBytes);
  a[0] = 1;
  __hetero_task_end(task);
  __hetero_section_end(section);
}

// CHECK: error: input 0 'x' of 'leaf' is a pointer without in or out;
void leaf(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  x[0] = 2;
}

void root(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, x);
  void *node = __hpvm__createNodeND(0, leaf);
  __hpvm__bindIn(node, 0, 0, 0);
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: input port 7 is out of range
  __hpvm__bindIn(node, 7, 1, 0);
}

int main(void) {
  int a[10];
  __hetero_wait(__hetero_launch(lists, 2, a, sizeof(a), 10, 1, a, sizeof(a)));
  __hetero_wait(__hetero_launch(calls, 1, a, sizeof(a), 1, a, sizeof(a)));
  __hetero_wait(__hetero_launch(right, 1, a, sizeof(a), 1, a, sizeof(a)));
#ifdef SYNTAX
  __hetero_wait(__hetero_launch(refused, 1, a, sizeof(a), 1, a, sizeof(a)));
#endif
  void *section = __hetero_launch_begin(1, a, sizeof(a), 1, a, sizeof(a));
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: this task stands in no section
  void *task = __hetero_task_begin(1, a, sizeof(a), 1, a, sizeof(a));
  a[0] = 0;
  __hetero_task_end(task);
  __hetero_launch_end(section);
  return 0;
}
