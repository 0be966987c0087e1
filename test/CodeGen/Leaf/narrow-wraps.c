// Indices that wrap around in a few bits, within others that wrap around in
// more: vectors read the elements that plain loops read.
// RUN: %sluice run %s > %t.out && FileCheck %s < %t.out
// RUN: %sluice run --reference -fno-vectorize %s | diff %t.out -
// CHECK: 0 wrong

#include <hpvm.h>
#include <stdio.h>

enum { Groups = 33, Size = 16, N = Groups * Size, Mask = 8191 };

#define PLACE(i) (((i) + (-(unsigned)((i) * 5) & 7)) & Mask)

void leaf(unsigned *in, size_t inBytes, unsigned *out, size_t outBytes,
          unsigned long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *self = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(self)) * Size +
           __hpvm__getNodeInstanceID_x(self);
  unsigned value = 1;
  if (-(unsigned long)i % width == 3)
    value = 0;
  __hpvm__barrier();
  out[2 * i] = value + in[PLACE(i)];
}

void group(unsigned *in, size_t inBytes, unsigned *out, size_t outBytes,
           unsigned long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, leaf, (size_t)Size);
  for (int port = 0; port != 5; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

void root(unsigned *in, size_t inBytes, unsigned *out, size_t outBytes,
           unsigned long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, group, (size_t)Groups);
  for (int port = 0; port != 5; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

struct __attribute__((packed)) Arguments {
  unsigned *in;
  size_t inBytes;
  unsigned *out;
  size_t outBytes;
  unsigned long width;
};

int main(void) {
  static unsigned in[Mask + 1], out[2 * N];
  for (int i = 0; i <= Mask; ++i)
    in[i] = 31 * i;
  struct Arguments arguments = {in, sizeof(in), out, sizeof(out), 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  int wrong = 0;
  for (long i = 0; i != N; ++i)
    wrong += out[2 * i] != (-(unsigned long)i % 8 != 3) + 31 * PLACE(i);
  printf("%d wrong\n", wrong);
}
