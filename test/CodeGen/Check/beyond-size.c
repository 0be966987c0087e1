// A node reads behind what it was given, and before it.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DBEFORE %s 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}beyond-size.c:[[#@LINE+13]]:{{[0-9]+}}: instance 7 of node 'root/blur' reads 4 bytes at byte 32 of 'in', which has 32 bytes; only these were given to the node
// CHECK-NOT: error
// BEFORE: sluice: error: {{.*}} instance 0 of node 'root/blur' reads 4 bytes that begin 4 bytes before the start of 'in', which has 32 bytes
// FIXED-NOT: error
// FIXED: last 6

#include "check.h"

void blur(int *out, size_t outSize, int *in, size_t inSize, long reach) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  long at = own() + reach;
  if (WRONG(1, at >= 0 && at < inSize / sizeof *in))
    out[own()] = in[at];
  else
    out[own()] = 6;
}
void root(int *out, size_t outSize, int *in, size_t inSize, long reach,
          long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, blur, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
  __hpvm__bindIn(node, 4, 4, 0);
}

int main(void) {
  int out[8], in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  PACKED {
    int *out; size_t outSize; int *in; size_t inSize; long reach, n;
  } args = {out, sizeof out, in, sizeof in, 1, 8};
#ifdef BEFORE
  args.reach = -1;
#endif
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("last %d\n", out[7]);
}
