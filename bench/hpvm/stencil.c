//===- stencil.c - 5-point stencil in HPVM 1.0's manner -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that HPVM 1.0 makes of ../nd/stencil.c; see hpvm.h.
//
//===----------------------------------------------------------------------===//

#include "../nd/stencil.c"

static const uint64_t extent = stencilSize - 2 * BORDER;

static void runInstance(StencilArguments a, uint64_t x, uint64_t y) {
  sequentialPush((SequentialDepth){{extent, extent}, {x, y}});
  sequentialRequest(a.from);
  sequentialRequest(a.to);
  stencilLeaf(a.from, a.bytesFrom, a.to, a.bytesTo, a.size);
  sequentialPop();
}

static void sequentialRoot(void *packed) {
  StencilArguments arguments = *(StencilArguments *)packed;
  uint64_t x = 0;
  do {
    uint64_t y = 0;
    do {
      runInstance(arguments, x, y);
    } while (++y < extent);
  } while (++x < extent);
}
