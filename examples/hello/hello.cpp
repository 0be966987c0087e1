//===- hello.cpp - The smallest HPVM program: y = a x + y -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One leaf, replicated over all elements, below a root. The README shows it.
//
//===----------------------------------------------------------------------===//

#include "hpvm.h"
#include <cstdio>
#include <vector>

void saxpy(float A, float *X, size_t XBytes, float *Y, size_t YBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, X, Y, 1, Y);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Y[I] = A * X[I] + Y[I];
}

void root(float A, float *X, size_t XBytes, float *Y, size_t YBytes, size_t N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, X, Y, 1, Y);
  void *Node = __hpvm__createNodeND(1, saxpy, N);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindIn(Node, 2, 2, 0);
  __hpvm__bindIn(Node, 3, 3, 0);
  __hpvm__bindIn(Node, 4, 4, 0);
}

int main() {
  size_t N = 1000000, Bytes = N * sizeof(float);
  std::vector<float> X(N, 1.5f), Y(N, 1.0f);
  struct __attribute__((packed)) {
    float A;
    float *X;
    size_t XBytes;
    float *Y;
    size_t YBytes, N;
  } Args = {2.0f, X.data(), Bytes, Y.data(), Bytes, N};

  __hpvm__init();
  llvm_hpvm_track_mem(X.data(), Bytes);
  llvm_hpvm_track_mem(Y.data(), Bytes);
  __hpvm__wait(__hpvm__launch(0, root, &Args));
  llvm_hpvm_request_mem(Y.data(), Bytes);
  llvm_hpvm_untrack_mem(X.data());
  llvm_hpvm_untrack_mem(Y.data());
  __hpvm__cleanup();

  for (size_t I = 0; I != N; ++I)
    if (Y[I] != 4.0f) {
      std::fprintf(stderr, "hello: expected 4, but element %zu is %g\n", I,
                   Y[I]);
      return 1;
    }
  std::printf("hello: ok\n");
}
