// Lanes load several bytes of each row at once where nothing is written in
// between, whatever is known of the other accesses.
// RUN: %sluice build -O3 -march=znver4 -fopenmp -Rpass=sluice %s -o %t 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: remark: 16 instances run as lanes of a vector
// RUN: %sluice run -fopenmp %s | FileCheck %s
// CHECK: 0 differ

#include <stdio.h>
#include <stdlib.h>

enum { Rows = 300, Length = 256 };
static unsigned char next[4 * 16], *text, *out;

static int endOf(int row) {
  int state = 0;
  for (int k = 0; k < Length; ++k)
    state = next[(text[row * Length + k] & 3) * 16 + state];
  return state;
}

int main(void) {
  text = malloc(Rows * Length);
  out = malloc(Rows);
  for (int i = 0; i < Rows * Length; ++i)
    text[i] = i * 7 + i / 5;
  for (int i = 0; i < 64; ++i)
    next[i] = (i * 7 + i / 16 + 3) & 15;
#pragma omp parallel for
  for (int row = 0; row < Rows; ++row) {
    int state = 0;
    for (int k = 0; k < Length; ++k)
      state = next[(text[row * Length + k] & 3) * 16 + state];
    out[row] = state;
  }
  int different = 0;
  for (int row = 0; row < Rows; ++row)
    different += out[row] != endOf(row);
  printf("%d differ\n", different);
  free(text);
  free(out);
}
