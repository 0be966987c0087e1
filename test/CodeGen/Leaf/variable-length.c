// Arrays of variable length and alloca in a leaf with loops that are worth
// cutting apart: it stays whole, since such arrays lie on the stack.
// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run -O0 %s | FileCheck %s
// RUN: env SLUICE_GUARD_MEMORY=1 SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// CHECK: 2500 instances agree
// RUN: %sluice check %s | FileCheck %s --check-prefix=PROVEN
// PROVEN: proven free of races

#include <alloca.h>
#include <hpvm.h>
#include <stdio.h>
#include <string.h>

enum { N = 2500, Width = 13 };

static long item(int value, int width) {
  int numbers[width + 1];
  for (int k = 0; k <= width; ++k)
    numbers[k] = value * k % 17;
  long size = 16 + value % 9;
  char *bytes = alloca(size);
  memset(bytes, value & 15, size);
  long sum = 0;
  for (int k = 0; k <= width; ++k)
    sum = sum * 7 + numbers[width - k];
  for (int k = 0; k < value % 5; ++k) {
    short inner[k + 1];
    for (int j = 0; j <= k; ++j)
      inner[j] = (short)(value + j * k);
    sum += inner[k];
  }
  for (long k = 0; k < size; ++k)
    sum += bytes[k];
  return sum;
}

void leaf(int *in, size_t inBytes, long *out, size_t outBytes, int width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  out[i] = item(in[i], width);
}

void root(int *in, size_t inBytes, long *out, size_t outBytes, int width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, leaf, (long)N);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
  __hpvm__bindIn(node, 4, 4, 0);
}

int main(void) {
  static int in[N];
  static long out[N];
  for (int i = 0; i < N; ++i)
    in[i] = i * 31 % 211;
  struct __attribute__((packed)) {
    int *in;
    size_t inBytes;
    long *out;
    size_t outBytes;
    int width;
  } arguments = {in, sizeof(in), out, sizeof(out), Width};
  __hpvm__init();
  llvm_hpvm_track_mem(in, sizeof(in));
  llvm_hpvm_track_mem(out, sizeof(out));
  __hpvm__wait(__hpvm__launch(0, root, (void *)&arguments));
  llvm_hpvm_request_mem(out, sizeof(out));
  __hpvm__cleanup();
  int good = 0;
  for (int i = 0; i < N; ++i)
    good += out[i] == item(in[i], Width);
  printf("%d instances agree\n", good);
}
