// Launches the graph with a scan of folds.mlir.

#include "hpvm.h"
#include <stdio.h>
void root(long *to, size_t bytes, long n);
struct __attribute__((packed)) Args {
  long *to;
  size_t bytes;
  long n;
};
int main(void) {
  static long to[5];
  struct Args a = {to, sizeof to, 5};
  __hpvm__init();
  llvm_hpvm_track_mem(to, sizeof to);
  __hpvm__wait(__hpvm__launch(0, root, &a));
  llvm_hpvm_request_mem(to, sizeof to);
  __hpvm__cleanup();
  printf("%ld %ld %ld %ld %ld\n", to[0], to[1], to[2], to[3], to[4]);
}
