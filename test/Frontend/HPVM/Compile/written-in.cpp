// What is marked in only is not written by closures and functions of C++ either.
// RUN: %sluice check -DWRITE='auto put = [=](int v) { y[i] = v; }; put(1)' %s 2>&1 | FileCheck %s
// RUN: %sluice check -DWRITE='auto put = [&](int v) { y[i] = v; }; put(1)' %s 2>&1 | FileCheck %s
// RUN: %sluice check -DWRITE='std::swap(y[i], x[i])' %s 2>&1 | FileCheck %s
// CHECK: warning: input 2 'y' of 'leaf' is marked in, but written here; mark it out as well, so that the host sees the result [H36]

// Closures that hold it beside what they write, and functions that return one of
// their arguments, do not write it.
// RUN: %sluice check -DWRITE='auto put = [=] { x[i] = y[i]; }; put()' %s 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %sluice check -DWRITE='*std::copy(y, y + 1, x + i) = 1' %s 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %sluice check -DWRITE='x[i] = std::max(x[i], y[i])' %s 2>&1 | FileCheck %s --check-prefix=FINE
// FINE-NOT: warning
// FINE: no problems

#include <algorithm>
#include <hpvm.h>

void leaf(int *x, size_t xBytes, int *y, size_t yBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, x, y, 1, x);
  long i = 2 * __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  WRITE;
}
void root(int *x, size_t xBytes, int *y, size_t yBytes, long n) {
  __hpvm__hint(hpvm::CPU_TARGET);
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
  Arguments arguments = {x, sizeof x, y, sizeof y, 4};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
}
