// Computed gotos in the host's code, in leaves, and in functions that both
// call, with tables of labels in static and in local memory.

// RUN: %sluice run %s -- 1 2 1 2 1 0 | FileCheck %s
// RUN: %sluice run -O0 %s -- 1 2 1 2 1 0 | FileCheck %s
// RUN: %sluice run --check %s -- 1 2 1 2 1 0 | FileCheck %s
// RUN: %sluice run --reference %s -- 1 2 1 2 1 0 | FileCheck %s
// RUN: env SLUICE_SPECIALIZE=1 %sluice run %s -- 1 2 1 2 1 0 | FileCheck %s
// RUN: %sluice build --print=canonical %s > %t.ll
// RUN: %sluice run %t.ll -- 1 2 1 2 1 0 | FileCheck %s
// RUN: %clang++ -O2 -S -emit-llvm -DPLAIN %s -o %t.plain.ll
// RUN: FileCheck %s --check-prefix=LABELS < %t.plain.ll
// RUN: %sluice run %t.plain.ll -- 1 2 1 2 1 0 | FileCheck %s --check-prefix=PLAIN

// LABELS: indirectbr
// CHECK: host: 7
// CHECK-COUNT-4: leaf: 111 110 100 111 110 100 3 12 123
// PLAIN: host: 7

#include <cstdio>
#include <cstdlib>

static int interpret(int count, char **program) {
  static void *labels[] = {&&end, &&increment, &&twice};
  int x = 0, at = 0;
#define NEXT goto *labels[at < count ? atoi(program[at++]) : 0]
  NEXT;
increment:
  x++;
  NEXT;
twice:
  x *= 2;
  NEXT;
end:
  return x;
}

#ifdef PLAIN
int main(int count, char **words) {
  std::printf("host: %d\n", interpret(count - 1, words + 1));
}
#else

#include <hpvm.h>

struct __attribute__((packed)) Arguments {
  int *out;
  std::size_t outSize;
  long n;
};

static int shared(long i) {
  void *labels[] = {&&one, &&two, &&three};
  int x = 0;
three:
  x = x * 10 + 1;
  if (i-- == 0)
    goto *labels[1];
two:
  x = x * 10 + 2;
  if (i-- > 0)
    goto *labels[0];
  return x;
one:
  return x * 10 + 3;
}

void leaf(int *out, std::size_t outSize, long n) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  static void *const labels[] = {&&a, &&b, &&c};
  int x = 0;
  if (i == 6) {
    out[i] = 3;
    return;
  }
  if (i > 6) {
    out[i] = shared(i == 7 ? 0 : 2);
    return;
  }
  goto *labels[i % 3];
a:
  x += 1;
b:
  x += 10;
c:
  x += 100;
  out[i] = x;
}

void root(int *out, std::size_t outSize, long n) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  void *node = __hpvm__createNodeND(1, leaf, n);
  for (int port = 0; port < 3; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

int main(int count, char **words) {
  std::printf("host: %d\n", interpret(count - 1, words + 1));
  int out[9];
  Arguments arguments = {out, sizeof out, 9};
  __hpvm__init();
  static void *labels[] = {&&again, &&last};
  int rounds = 0;
again:
  __hpvm__wait(__hpvm__launch(0, (void *)root, &arguments));
  std::printf("leaf:");
  for (int value : out)
    std::printf(" %d", value);
  std::printf("\n");
  goto *labels[++rounds == 4];
last:
  if (shared(0) != 12 || shared(2) != 123)
    std::printf("wrong\n");
  __hpvm__cleanup();
}
#endif
