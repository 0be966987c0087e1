//===- smooth.c - A graph with a mistake ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a first look at a message: a bind is missing.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>
#include <stdio.h>

void square(float *X, size_t XBytes, float *Y, size_t YBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, X, 1, Y);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Y[I] = X[I] * X[I];
  __hpvm__return(1, YBytes); // output 0
}

void smooth(float *Y, size_t YBytes, float *Z, size_t ZBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, Y, 1, Z);
  void *Self = __hpvm__getNode();
  long I = __hpvm__getNodeInstanceID_x(Self);
  long Last = __hpvm__getNumNodeInstances_x(Self) - 1;
  float Left = Y[I > 0 ? I - 1 : I], Right = Y[I < Last ? I + 1 : I];
  Z[I] = (Left + Y[I] + Right) / 3;
}

void root(float *X, size_t XBytes, float *Y, size_t YBytes, float *Z,
          size_t ZBytes, size_t N) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, X, Y, 2, Y, Z);
  void *Square = __hpvm__createNodeND(1, square, N);
  void *Smooth = __hpvm__createNodeND(1, smooth, N);
  __hpvm__bindIn(Square, 0, 0, 0);
  __hpvm__bindIn(Square, 1, 1, 0);
  __hpvm__bindIn(Square, 2, 2, 0);
  __hpvm__bindIn(Square, 3, 3, 0);
  __hpvm__bindIn(Smooth, 2, 0, 0);
  __hpvm__edge(Square, Smooth, 1, 0, 1, 0); // all to all, output 0 to input 1
  __hpvm__bindIn(Smooth, 5, 3, 0);
}

struct __attribute__((packed)) Arguments {
  float *X;
  size_t XBytes;
  float *Y;
  size_t YBytes;
  float *Z;
  size_t ZBytes;
  size_t N;
};

int main(void) {
  float X[5] = {1, 2, 3, 4, 5}, Y[5], Z[5];
  struct Arguments Args = {X, sizeof X, Y, sizeof Y, Z, sizeof Z, 5};
  __hpvm__init();
  llvm_hpvm_track_mem(X, sizeof X);
  llvm_hpvm_track_mem(Y, sizeof Y);
  llvm_hpvm_track_mem(Z, sizeof Z);
  __hpvm__wait(__hpvm__launch(0, root, &Args));
  llvm_hpvm_request_mem(Z, sizeof Z);
  llvm_hpvm_untrack_mem(X);
  llvm_hpvm_untrack_mem(Y);
  llvm_hpvm_untrack_mem(Z);
  __hpvm__cleanup();
  printf("%g %g %g %g %g\n", Z[0], Z[1], Z[2], Z[3], Z[4]);
}
