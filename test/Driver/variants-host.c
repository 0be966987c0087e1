// Of the program that is stored for variants, only nodes and what they use have
// code: names of types that only host code accesses are not in it.

// RUN: %sluice cc -O2 -fopenmp -c %s -o %t.o
// RUN: %python %S/Inputs/stored_program.py %t.o > %t.program
// RUN: grep -q InNode %t.program
// RUN: grep -q InCallee %t.program
// RUN: not grep -q InHost %t.program

struct InNode {
  int count;
  float part;
};
struct InCallee {
  int count;
  float part;
};
struct InHost {
  int count;
  float part;
};

__attribute__((noinline)) static float part(struct InCallee *place) {
  return place->part * (float)place->count;
}

void scale(struct InNode *cells, struct InCallee *factors, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    cells[i].part *= part(factors + i);
}

void count(struct InHost *cells, int n) {
  for (int i = 1; i < n; ++i)
    cells[i].count += (int)cells[i - 1].part;
}
