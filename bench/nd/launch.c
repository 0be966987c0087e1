//===- launch.c - Launch and wait for two instances -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As little work as two workers can share: what is left is the runtime's.
//
//===----------------------------------------------------------------------===//

#include "extents.h"
#include "problems.h"

#include <hpvm.h>

void launchLeaf(int *output, size_t bytesOutput) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, output, 1, output);
  void *node = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(node);
  output[i * launchStride] = (int)i + 1;
}

void launchRoot(int *output, size_t bytesOutput, size_t instances) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, output, 1, output);
  void *leaf =
      __hpvm__createNodeND(1, launchLeaf, EXTENT(instances, launchInstances));
  __hpvm__bindIn(leaf, 0, 0, 0);
  __hpvm__bindIn(leaf, 1, 1, 0);
}

typedef struct __attribute__((__packed__)) {
  int *output;
  size_t bytesOutput;
  size_t instances;
} LaunchArguments;

static const size_t outputBytes = sizeof(int) * launchStride * launchInstances;

static void runLaunch(void) {
  LaunchArguments arguments = {launchOutput, outputBytes, launchInstances};
  __hpvm__wait(__hpvm__launch(0, launchRoot, (void *)&arguments));
}

static void allocate(void) {
  launchAllocate();
  llvm_hpvm_track_mem(launchOutput, outputBytes);
}

static void release(void) {
  llvm_hpvm_untrack_mem(launchOutput);
  launchRelease();
}

int main(void) {
  BenchRow row = LAUNCH_ROW(runLaunch);
  row.allocate = allocate;
  row.release = release;
  __hpvm__init();
  int status = benchServe(&row, 1);
  __hpvm__cleanup();
  return status;
}
