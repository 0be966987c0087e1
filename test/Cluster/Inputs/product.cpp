// product.cpp - A matrix product, for tests on ranks.
//
// usage: product ROWS INNER COLUMNS

#include "hpvm.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

void multiply(float *A, size_t ABytes, float *B, size_t BBytes, float *C,
              size_t CBytes, long Inner, long Columns) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, A, B, 1, C);
  void *Node = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Node);
  long Y = __hpvm__getNodeInstanceID_y(Node);
  float Sum = 0;
  for (long K = 0; K != Inner; ++K)
    Sum += A[Y * Inner + K] * B[K * Columns + X];
  C[Y * Columns + X] = Sum;
}

void root(float *A, size_t ABytes, float *B, size_t BBytes, float *C,
          size_t CBytes, long Inner, long Columns, long Rows) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, A, B, 1, C);
  void *Node = __hpvm__createNodeND(2, multiply, Columns, Rows);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindIn(Node, 2, 2, 0);
  __hpvm__bindIn(Node, 3, 3, 0);
  __hpvm__bindIn(Node, 4, 4, 0);
  __hpvm__bindIn(Node, 5, 5, 0);
  __hpvm__bindIn(Node, 6, 6, 0);
  __hpvm__bindIn(Node, 7, 7, 0);
}

int main(int argc, char **argv) {
  long Rows = std::atol(argv[1]), Inner = std::atol(argv[2]);
  long Columns = std::atol(argv[3]);
  std::vector<float> A(Rows * Inner), B(Inner * Columns);
  // What the graph does not write would be seen.
  std::vector<float> C(Rows * Columns, 1e30f);
  for (size_t I = 0; I != A.size(); ++I)
    A[I] = float(I * 7919 % 101);
  for (size_t I = 0; I != B.size(); ++I)
    B[I] = float(I * 104729 % 103);
  struct __attribute__((packed)) {
    float *A;
    size_t ABytes;
    float *B;
    size_t BBytes;
    float *C;
    size_t CBytes;
    long Inner, Columns, Rows;
  } Args = {A.data(), A.size() * sizeof(float),
            B.data(), B.size() * sizeof(float),
            C.data(), C.size() * sizeof(float),
            Inner,    Columns,
            Rows};
  __hpvm__init();
  llvm_hpvm_track_mem(A.data(), Args.ABytes);
  llvm_hpvm_track_mem(B.data(), Args.BBytes);
  llvm_hpvm_track_mem(C.data(), Args.CBytes);
  __hpvm__wait(__hpvm__launch(0, root, &Args));
  llvm_hpvm_request_mem(C.data(), Args.CBytes);
  llvm_hpvm_untrack_mem(A.data());
  llvm_hpvm_untrack_mem(B.data());
  llvm_hpvm_untrack_mem(C.data());
  __hpvm__cleanup();
  for (long Y = 0; Y != Rows; ++Y)
    for (long X = 0; X != Columns; ++X) {
      float Sum = 0;
      for (long K = 0; K != Inner; ++K)
        Sum += A[Y * Inner + K] * B[K * Columns + X];
      if (C[Y * Columns + X] == Sum) // whole numbers, so exact
        continue;
      std::printf("product: wrong at %ld, %ld\n", Y, X);
      return 1;
    }
  std::printf("product: ok\n");
}
