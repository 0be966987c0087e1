// Two launches on parts of one tracked array run together: the node of each
// waits until that of the other has begun.
// RUN: env SLUICE_WORKERS=2 sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=3 sluice run %s | FileCheck %s
// CHECK: met: 11 12

#include <hpvm.h>
#include <pthread.h>
#include <stdio.h>

void meet(long *data, size_t bytes, int *begun, size_t begunBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, begun, 2, data, begun);
  __hpvm__atomic_add(begun, 1);
  while (__hpvm__atomic_add(begun, 0) < 2) {
  }
  *data += 10;
}
void root(long *data, size_t bytes, int *begun, size_t begunBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, begun, 2, data, begun);
  void *node = __hpvm__createNodeND(0, meet);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

struct __attribute__((packed)) Arguments {
  long *data;
  size_t bytes;
  int *begun;
  size_t begunBytes;
};

static int begun; // Not tracked: nothing orders its users.

static void *run(void *part) {
  struct Arguments arguments = {part, sizeof(long), &begun, sizeof begun};
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  return 0;
}

int main(void) {
  long data[2] = {1, 2};
  pthread_t other;
  __hpvm__init();
  llvm_hpvm_track_mem(data, sizeof data);
  pthread_create(&other, 0, run, data);
  run(data + 1);
  pthread_join(other, 0);
  llvm_hpvm_request_mem(data, sizeof data);
  printf("met: %ld %ld\n", data[0], data[1]);
  llvm_hpvm_untrack_mem(data);
  __hpvm__cleanup();
  return 0;
}
