// Launches the graph of written.mlir.

#include "hpvm.h"
#include <stdio.h>
void root(float *x, size_t bytes);
struct __attribute__((packed)) Args { float *x; size_t bytes; size_t done; };
int main(void) { static float x[1024]; for (int i = 0; i < 1024; ++i) x[i] = i;
  struct Args a = {x, sizeof x, 0};
  __hpvm__init(); llvm_hpvm_track_mem(x, sizeof x);
  void *g = __hpvm__launch(0, root, &a); __hpvm__wait(g);
  llvm_hpvm_request_mem(x, sizeof x); llvm_hpvm_untrack_mem(x); __hpvm__cleanup();
  for (int i = 0; i < 1024; ++i) if (x[i] != 4.0f * i) { printf("bad %d %g\n", i, x[i]); return 1; }
  printf("ok %zu\n", a.done); return 0; }
