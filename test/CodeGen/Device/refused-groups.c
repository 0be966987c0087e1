// What the host has to know before a launch, and does not; and what a
// work-group's children cannot do on a device.

// RUN: %sluice build --print=device %s | FileCheck %s

#include <hpvm.h>

// A kernel in a group with the memory that an allocation node gives it.

void allocateByInput(long count) {
  __hpvm__hint(GPU_TARGET);
  size_t bytes = count * sizeof(int);
  void *memory = __hpvm__malloc(bytes);
  __hpvm__return(2, memory, bytes);
}

void allocateByGroup(long count) {
  __hpvm__hint(GPU_TARGET);
  void *group = __hpvm__getParentNode(__hpvm__getNode());
  size_t bytes = (count + __hpvm__getNodeInstanceID_x(group)) * sizeof(int);
  void *memory = __hpvm__malloc(bytes);
  __hpvm__return(2, memory, bytes);
}

void turn(int *memory, size_t memoryBytes, int *data, size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(2, memory, data, 2, memory, data);
  void *item = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(item);
  long n = __hpvm__getNumNodeInstances_x(item);
  long group = __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(item));
  memory[i] = data[group * n + i];
  __hpvm__barrier();
  data[group * n + i] = memory[n - 1 - i];
}

#define GROUP(name, allocate)                                                  \
  void name##Group(int *data, size_t bytes, long count) {                      \
    __hpvm__hint(GPU_TARGET);                                                  \
    __hpvm__attributes(1, data, 1, data);                                      \
    void *memory = __hpvm__createNodeND(0, allocate);                          \
    void *items = __hpvm__createNodeND(1, turn, count);                        \
    __hpvm__bindIn(memory, 2, 0, 0);                                           \
    __hpvm__edge(memory, items, 1, 0, 0, 0);                                   \
    __hpvm__edge(memory, items, 1, 1, 1, 0);                                   \
    __hpvm__bindIn(items, 0, 2, 0);                                            \
    __hpvm__bindIn(items, 1, 3, 0);                                            \
  }                                                                            \
  void name##Root(int *data, size_t bytes, long count, long groups) {          \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(1, data, 1, data);                                      \
    void *node = __hpvm__createNodeND(1, name##Group, groups);                 \
    __hpvm__bindIn(node, 0, 0, 0);                                             \
    __hpvm__bindIn(node, 1, 1, 0);                                             \
    __hpvm__bindIn(node, 2, 2, 0);                                             \
  }

// CHECK-LABEL: kernels of plan 'knownRoot'
// CHECK-NEXT: node 'knownRoot/knownGroup' kernel 'sluice_knownRoot_knownGroup', groups of level 0
// CHECK: local memory 0
GROUP(known, allocateByInput)

// CHECK-LABEL: kernels of plan 'variesRoot'
// CHECK-NEXT: node 'variesRoot/variesGroup' runs on the host: {{.*}}: node 'variesRoot/variesGroup': the size of its work-groups or of their memory depends on what differs between work-groups; it has to be known before the launch
GROUP(varies, allocateByGroup)

struct __attribute__((packed)) Arguments {
  int *data;
  size_t bytes;
  long count, groups;
};

int main(void) {
  static int data[64];
  struct Arguments arguments = {data, sizeof data, 16, 4};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, knownRoot, &arguments));
  __hpvm__wait(__hpvm__launch(0, variesRoot, &arguments));
  __hpvm__cleanup();
  return 0;
}
