//===- matmul-naive.c - Matrix product in HPVM 1.0's manner ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that HPVM 1.0 makes of ../nd/matmul-naive.c; see hpvm.h.
//
//===----------------------------------------------------------------------===//

#include "../nd/matmul-naive.c"

static void runInstance(MatmulArguments a, uint64_t x, uint64_t y) {
  sequentialPush((SequentialDepth){{matmulSize, matmulSize}, {x, y}});
  sequentialRequest(a.a);
  sequentialRequest(a.b);
  sequentialRequest(a.c);
  multiplyElement(a.a, a.bytesA, a.b, a.bytesB, a.c, a.bytesC, a.size);
  sequentialPop();
}

static void sequentialRoot(void *packed) {
  MatmulArguments arguments = *(MatmulArguments *)packed;
  uint64_t x = 0;
  do {
    uint64_t y = 0;
    do {
      runInstance(arguments, x, y);
    } while (++y < matmulSize);
  } while (++x < matmulSize);
}
