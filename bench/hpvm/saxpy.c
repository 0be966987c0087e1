//===- saxpy.c - saxpy in HPVM 1.0's manner -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that HPVM 1.0 makes of ../nd/saxpy.c; see hpvm.h.
//
//===----------------------------------------------------------------------===//

#include "../nd/saxpy.c"

static void sequentialRoot(void *packed) {
  SaxpyArguments a = *(SaxpyArguments *)packed;
  uint64_t x = 0;
  do {
    sequentialPush((SequentialDepth){{saxpySize}, {x}});
    sequentialRequest(a.x);
    sequentialRequest(a.y);
    saxpyLeaf(a.x, a.bytesX, a.y, a.bytesY, a.factor);
    sequentialPop();
  } while (++x < saxpySize);
}
