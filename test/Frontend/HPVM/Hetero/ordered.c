// Turns of parallel loops run in order: as a wavefront, sweep by sweep, and with
// loops that count down; as plain code they do so as well.
// RUN: %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=5 %sluice run --no-transforms %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// RUN: %sluice run -DHETERO_SEQUENTIAL %s | FileCheck %s
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=VERDICT
// CHECK: 0 wrong
// VERDICT: proven free of races
//
// RUN: not %sluice check -DLOOPS=SLUICE_Y %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: ordered.c:[[#]]:[[#]]: error: {{.*}}[race]
// RUN: not %sluice check -DLOOPS=SLUICE_Z %s 2>&1 | FileCheck %s --check-prefix=LOOPS
// LOOPS: ordered.c:[[#]]:7: error: the set of ordered loops is 4, but the node has 2; use SLUICE_X for the innermost loop, SLUICE_Y for the one around it, and SLUICE_Z [hetero-loop]
// RUN: not %sluice check -DLOOPS=height %s 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: ordered.c:[[#]]:[[#]]: error: the set of ordered loops of 'sluice_ordered_turns' is expected here and must be an integer constant
// RUN: not %sluice check -DTWICE %s 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: ordered.c:[[#]]:7: error: the loops whose turns run in order are named already; name all of them in one call
// RUN: not %sluice check -DTASK %s 2>&1 | FileCheck %s --check-prefix=TASK
// TASK: ordered.c:[[#]]:3: error: 'sluice_ordered_turns' stands in a task, which has no turns; put it into the body of a parallel loop
// RUN: not %sluice check -DBETWEEN %s 2>&1 | FileCheck %s --check-prefix=BETWEEN
// BETWEEN: ordered.c:[[#]]:3: error: 'sluice_ordered_turns' stands between the nodes of a section; put it into the body of a parallel loop

#include <hetero.h>
#include <stdio.h>

#ifndef LOOPS
#define LOOPS SLUICE_X | SLUICE_Y
#endif
enum { Width = 57, Height = 43 };

/// Each element from those above it and left of it.
void wavefront(unsigned *table, size_t bytes, int width, int height) {
  void *section = __hetero_section_begin();
  for (int y = 1; y < height; ++y)
    for (int x = 1; x < width; ++x) {
      __hetero_parallel_loop(2, 3, table, bytes, width, height, 1, table,
                             bytes);
      sluice_ordered_turns(LOOPS);
#ifdef TWICE
      sluice_ordered_turns(SLUICE_X);
#endif
      unsigned *at = table + (long)y * width + x;
      *at = 5 * *at + 3 * at[-1] + at[-width];
    }
  __hetero_section_end(section);
}

/// Sweeps over a line, from its end, each from those before it.
void sweeps(unsigned *line, size_t bytes, int length, int count) {
  void *section = __hetero_section_begin();
#ifdef BETWEEN
  sluice_ordered_turns(SLUICE_X);
#endif
#ifdef TASK
  void *task = __hetero_task_begin(1, line, bytes, 1, line, bytes);
  sluice_ordered_turns(SLUICE_X);
  line[0] += 1;
  __hetero_task_end(task);
#endif
  for (int t = count; t > 0; --t)
    for (int x = 0; x < length; ++x) {
      __hetero_parallel_loop(2, 3, line, bytes, length, count, 1, line, bytes);
      sluice_ordered_turns(SLUICE_Y);
      line[x] = line[x] * 7 + t;
    }
  __hetero_section_end(section);
}

int main(void) {
  static unsigned table[Height * Width], plain[Height * Width];
  for (int i = 0; i < Height * Width; ++i)
    table[i] = plain[i] = i * 2654435761u;
  __hetero_wait(__hetero_launch(wavefront, 3, table, sizeof table, Width,
                                Height, 1, table, sizeof table));
  __hetero_wait(__hetero_launch(sweeps, 3, table, sizeof table, Height * Width,
                                9, 1, table, sizeof table));
  wavefront(plain, sizeof plain, Width, Height);
  sweeps(plain, sizeof plain, Height * Width, 9);
  int wrong = 0;
  for (int i = 0; i < Height * Width; ++i)
    wrong += table[i] != plain[i];
  printf("%d wrong\n", wrong);
}
