// Launches the graph of folds.mlir, and compares with plain C. The sum is of
// numbers that add up exactly in any order.

#include "hpvm.h"
#include <stdio.h>
void root(double *x, size_t bytes, double *sum, size_t sumBytes, int *best,
          size_t bestBytes, long n);
struct __attribute__((packed)) Args {
  double *x;
  size_t bytes;
  double *sum;
  size_t sumBytes;
  int *best;
  size_t bestBytes;
  long n;
};
enum { length = 10007 };
int main(void) {
  static double x[length];
  static int best[3] = {5000, 5000, 5000};
  int expected[3] = {5000, 5000, 5000};
  double sum = 0.5, total = 0.5;
  for (long i = 0; i < length; ++i) {
    x[i] = (i * 7919) % length;
    total += x[i];
    if (x[i] > expected[i % 3])
      expected[i % 3] = x[i];
  }
  struct Args a = {x, sizeof x, &sum, sizeof sum, best, sizeof best, length};
  __hpvm__init();
  llvm_hpvm_track_mem(x, sizeof x);
  llvm_hpvm_track_mem(&sum, sizeof sum);
  llvm_hpvm_track_mem(best, sizeof best);
  __hpvm__wait(__hpvm__launch(0, root, &a));
  llvm_hpvm_request_mem(&sum, sizeof sum);
  llvm_hpvm_request_mem(best, sizeof best);
  __hpvm__cleanup();
  int isRight = sum == total;
  for (int k = 0; k < 3; ++k)
    isRight &= best[k] == expected[k];
  printf("%s %a %d %d %d\n", isRight ? "right" : "wrong", sum, best[0], best[1],
         best[2]);
  return !isRight;
}
