// What a leaf calls may be beyond the check: code that is elsewhere, assembly,
// and functions that call themselves. Each is named.

// RUN: %sluice check %s 2>&1 | FileCheck %s

#include <hpvm.h>

void elsewhere(int *data);
static int again(int *data, int n) {
  return n ? again(data, n - 1) + again(data, n - 2) * data[n] : *data;
}
static int first(int *data, int n);
static int second(int *data, int n) { return n ? first(data, n - 1) * 3 : 1; }
static int first(int *data, int n) {
  return n ? second(data + 1, n - 1) + second(data, n - 2) : *data;
}
#define LEAF(name, ...)                                                        \
  void name(int *data, size_t bytes) {                                         \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(1, data, 1, data);                                      \
    long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());                   \
    __VA_ARGS__;                                                               \
  }
// CHECK-DAG: 'elsewhere', whose code is elsewhere, may touch any memory
LEAF(outside, elsewhere(data + i))
// CHECK-DAG: 'again' calls itself and may touch any memory
LEAF(recursive, data[i] = again(data, (int)i))
// CHECK-DAG: '{{first|second}}' calls itself and may touch any memory
LEAF(mutual, data[i] = first(data, (int)i))
// CHECK-DAG: inline assembly may touch any memory
LEAF(assembly, __asm__ volatile("" : : "r"(data + i) : "memory"))

#define ROOT(name, leaf)                                                       \
  void name(int *data, size_t bytes) {                                         \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(1, data, 1, data);                                      \
    void *node = __hpvm__createNodeND(1, leaf, (size_t)100);                   \
    __hpvm__bindIn(node, 0, 0, 0);                                             \
    __hpvm__bindIn(node, 1, 1, 0);                                             \
  }
ROOT(outsideRoot, outside)
ROOT(recursiveRoot, recursive)
ROOT(mutualRoot, mutual)
ROOT(assemblyRoot, assembly)

typedef struct __attribute__((__packed__)) {
  int *data;
  size_t bytes;
} Arguments;

int main(void) {
  static int data[200];
  Arguments arguments = {data, sizeof(data)};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, outsideRoot, (void *)&arguments));
  __hpvm__wait(__hpvm__launch(0, recursiveRoot, (void *)&arguments));
  __hpvm__wait(__hpvm__launch(0, mutualRoot, (void *)&arguments));
  __hpvm__wait(__hpvm__launch(0, assemblyRoot, (void *)&arguments));
  __hpvm__cleanup();
  return 0;
}
// CHECK: free of races but for what the remarks name
