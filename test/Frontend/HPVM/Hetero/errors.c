// What Hetero-C++ programs get wrong, each with its place and the way out.
//
// RUN: not %sluice check -DLISTS %s 2>&1 | FileCheck %s --check-prefix=LISTS
// RUN: not %sluice check -DCODE %s 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: not %sluice check -DLOOPS %s 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: not %sluice check -DBOUNDS %s 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not %sluice check -DWRITES %s 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not %sluice check -DLAUNCH %s 2>&1 | FileCheck %s --check-prefix=LAUNCH
// RUN: not %sluice check -DREGION %s 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: %sluice check -DRIGHT %s 2>&1 | FileCheck %s --check-prefix=RIGHT

// RIGHT-NOT: error
// RIGHT: no problems in 1 graph

#include <hetero.h>
#include <stdio.h>

int *everywhere;
void other(int *x);

void root(int *a, size_t aBytes, int *b, size_t bBytes, int n) {
  int sum = 0;
#ifdef LISTS
  void *section = __hetero_section_begin();
  // LISTS: [[@LINE+1]]:{{[0-9]+}}: error: the number of outputs of '__hetero_task_begin' is expected here and must be an integer constant
  void *t1 = __hetero_task_begin(1, a, aBytes, b, bBytes, 1, a, aBytes);
  __hetero_task_end(t1);
  // LISTS: [[@LINE+1]]:{{[0-9]+}}: error: input 0 of '__hetero_task_begin' is a pointer and must be followed by its size
  void *t2 = __hetero_task_begin(1, a, 2.5, 1, a, aBytes);
  __hetero_task_end(t2);
  // LISTS: [[@LINE+1]]:{{[0-9]+}}: error: this input of '__hetero_task_begin' is no variable
  void *t3 = __hetero_task_begin(1, a + 1, aBytes, 1, a, aBytes);
  __hetero_task_end(t3);
  // LISTS: [[@LINE+1]]:{{[0-9]+}}: error: 'everywhere' is not a variable of this function
  void *t4 = __hetero_task_begin(1, everywhere, aBytes, 1, a, aBytes);
  __hetero_task_end(t4);
  // LISTS: [[@LINE+1]]:{{[0-9]+}}: error: '__hetero_task_begin' announces 3 inputs, but 1 follow
  void *t5 = __hetero_task_begin(3, a, aBytes);
  __hetero_task_end(t5);
  // LISTS: [[@LINE+1]]:{{[0-9]+}}: error: '__hetero_task_begin' has more arguments than its counts say
  void *t6 = __hetero_task_begin(1, a, aBytes, 1, a, aBytes, n);
  // LISTS: [[@LINE+1]]:{{[0-9]+}}: error: '__hetero_section_end' takes 't6', which is the handle of another kind of region
  __hetero_section_end(t6);
#endif
#ifdef CODE
  void *section = __hetero_section_begin();
  // CODE: [[@LINE+1]]:{{[0-9]+}}: error: a call of 'other' stands between the nodes of a section; put it into a task
  other(a);
  // CODE: [[@LINE+1]]:{{[0-9]+}}: error: code between the nodes of a section writes memory; put it into a task
  a[0] = n;
  void *t1 = __hetero_task_begin(1, a, aBytes, 1, a, aBytes);
  // CODE: [[@LINE+1]]:{{[0-9]+}}: error: 'n' is used in this task, but is in neither of its lists; list it, or declare it inside
  a[0] = n;
  __hetero_task_end(t1);
  __hetero_section_end(section);
#endif
#ifdef LOOPS
  void *section = __hetero_section_begin();
  // LOOPS: [[@LINE+1]]:{{[0-9]+}}: error: a parallel loop must step its variable towards its end
  for (int i = 0; i < n; i *= 2) {
    __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes);
  }
  // LOOPS: [[@LINE+1]]:{{[0-9]+}}: error: a parallel loop must compare its variable with
  for (int i = 0; i == n; ++i) {
    __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes);
  }
  for (int i = 0; i < n; ++i) {
    a[i] = 0;
    // LOOPS: [[@LINE+1]]:{{[0-9]+}}: error: '__hetero_parallel_loop' must come first in the body of its loop
    __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes);
  }
  // LOOPS: [[@LINE+1]]:{{[0-9]+}}: error: loops of a parallel loop nest must hold nothing but the next loop
  for (int i = 0; i < n; ++i) {
    a[i] = 0;
    for (int j = 0; j < n; ++j)
      __hetero_parallel_loop(2, 1, a, aBytes, 1, a, aBytes);
  }
  // LOOPS: [[@LINE+1]]:{{[0-9]+}}: error: fewer 'for' loops stand around this call than it names
  __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes);
  __hetero_section_end(section);
#endif
#ifdef BOUNDS
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      // BOUNDS: [[@LINE+1]]:{{[0-9]+}}: error: the bounds of the loop over 'j' must be known before it starts, but what they use is the variable of a parallel loop around it
      __hetero_parallel_loop(2, 1, a, aBytes, 1, a, aBytes);
      a[i * 10 + j] = 1;
    }
  __hetero_section_end(section);
#endif
#ifdef WRITES
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 3, a, aBytes, n, sum, 1, sum);
    // WRITES: [[@LINE+1]]:{{[0-9]+}}: error: 'sum' is declared outside of this parallel loop, whose turns all write it
    sum += a[i];
  }
  __hetero_section_end(section);
#endif
#ifdef REGION
  void *section = __hetero_section_begin();
  // REGION: error: this task can be left without its end; no return, break or goto may leave it
  // REGION: [[@LINE+1]]:{{[0-9]+}}: note: the task begins here
  void *t1 = __hetero_task_begin(2, a, aBytes, n, 1, a, aBytes);
  if (n > 7)
    return;
  __hetero_task_end(t1);
  __hetero_section_end(section);
#endif
#if defined(LAUNCH) || defined(RIGHT)
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 4, a, aBytes, b, bBytes, n, sum, 1, a, aBytes);
    a[i] = b[i] + sum;
  }
  __hetero_section_end(section);
#endif
}

void empty(int *a, size_t aBytes) { a[0] = 1; }

int main(void) {
  int a[10], b[10] = {0};
#ifdef LAUNCH
  // LAUNCH: [[@LINE+1]]:{{[0-9]+}}: error: root function 'root' takes 5 parameters, but the 2 inputs of this launch give 4
  __hetero_wait(__hetero_launch(root, 2, a, sizeof(a), b, sizeof(b), 1, a,
                                sizeof(a)));
  // LAUNCH: [[@LINE+1]]:{{[0-9]+}}: error: the root of a launch must be known at compile time
  __hetero_wait(__hetero_launch(everywhere, 0, 0));
#else
  __hetero_wait(__hetero_launch(root, 3, a, sizeof(a), b, sizeof(b), 10, 1, a,
                                sizeof(a)));
#endif
  return 0;
}
