// What is marked in only is not written by closures and functions of C++ either.
// RUN: %sluice check -DWRITE='auto put = [=](int v) { y[i] = v; }; put(1)' %s 2>&1 | FileCheck %s
// RUN: %sluice check -DWRITE='auto put = [&](int v) { y[i] = v; }; put(1)' %s 2>&1 | FileCheck %s
// RUN: %sluice check -DWRITE='std::swap(y[i], x[i])' %s 2>&1 | FileCheck %s
// RUN: %sluice check -DWRITE='int *both[] = {x, y}; for (int *p : both) p[i] = 1' %s 2>&1 | FileCheck %s
// RUN: %sluice check -DWRITE='Bits bits; bits.pointer = y + i; auto put = [](Bits b) { *b.pointer = 1; }; put(bits)' %s 2>&1 | FileCheck %s
// RUN: %sluice check -DWRITE='int *p = y; *__atomic_exchange_n(&p, x, __ATOMIC_RELAXED) = 1' %s 2>&1 | FileCheck %s
// RUN: %sluice check -DWRITE='int *p = x; __atomic_exchange_n(&p, y, __ATOMIC_RELAXED); *p = 1' %s 2>&1 | FileCheck %s
// CHECK: warning: input 2 'y' of 'leaf' is marked in, but written here; mark it out as well, so that the host sees the result [H36]

// Closures that hold it beside what they write, and functions that return one of
// their arguments, do not write it.
// RUN: %sluice check -DWRITE='auto put = [=] { x[i] = y[i]; }; put()' %s 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %sluice check -DWRITE='*std::copy(y, y + 1, x + i) = 1' %s 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %sluice check -DWRITE='x[i] = std::max(x[i], y[i])' %s 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %sluice check -DWRITE='int *both[] = {x, y}; for (int *p : both) x[i] += *p' %s 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %sluice check -DWRITE='int *p = x; __atomic_exchange_n(&p, y, __ATOMIC_RELAXED); x[i] = *p' %s 2>&1 | FileCheck %s --check-prefix=FINE
// The linker may replace a weak function by another one.
// RUN: %sluice check -DWRITE='replaceable(y + i)' %s 2>&1 | FileCheck %s --check-prefix=FINE
// An object that C passes by value is a copy, but what it points to is not.
// RUN: cp %s %t.c
// RUN: %sluice check -DWRITE='x[i] = changeCopy(*(struct Block *)y)' %t.c 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %sluice check -DWRITE='struct Block b = {{0}, y + i}; changeTarget(b)' %t.c 2>&1 | FileCheck %s
// FINE-NOT: warning
// FINE: no problems

#include <hpvm.h>
#ifdef __cplusplus
#include <algorithm>
using hpvm::CPU_TARGET;
#endif

union Bits {
  long bits;
  int *pointer;
};
struct Block {
  int values[8];
  int *pointer;
};
static inline int changeCopy(struct Block block) { return ++block.values[1]; }
static inline void changeTarget(struct Block block) { *block.pointer = 1; }
__attribute__((weak)) void replaceable(int *p) { *p = 1; }

void leaf(int *x, size_t xBytes, int *y, size_t yBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 1, x);
  long i = 2 * __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  WRITE;
}
void root(int *x, size_t xBytes, int *y, size_t yBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 1, x);
  void *node = __hpvm__createNodeND(1, leaf, n);
  for (int port = 0; port < 4; ++port)
    __hpvm__bindIn(node, port, port, 0);
}
struct __attribute__((packed)) Arguments {
  int *x;
  size_t xBytes;
  int *y;
  size_t yBytes;
  long n;
};
int main() {
  int x[8], y[8];
  struct Arguments arguments = {x, sizeof x, y, sizeof y, 4};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
}
