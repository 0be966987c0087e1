//===- launch.c - A launch in HPVM 1.0's manner ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that HPVM 1.0 makes of ../nd/launch.c; see hpvm.h.
//
//===----------------------------------------------------------------------===//

#include "../nd/launch.c"

static void sequentialRoot(void *packed) {
  LaunchArguments a = *(LaunchArguments *)packed;
  uint64_t x = 0;
  do {
    sequentialPush((SequentialDepth){{launchInstances}, {x}});
    sequentialRequest(a.output);
    launchLeaf(a.output, a.bytesOutput);
    sequentialPop();
  } while (++x < launchInstances);
}
