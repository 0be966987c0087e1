// Flags for vector code count, although clang only reads the program.
// RUN: %sluice build -march=x86-64-v3 %s --print=llvm | FileCheck %s --check-prefix=VECTORS
// RUN: %sluice build -march=x86-64-v3 -fno-slp-vectorize %s --print=llvm | FileCheck %s --check-prefix=SCALARS
// VECTORS: fadd {{.*}}<4 x double>
// SCALARS: fadd {{.*}}double %
// SCALARS-NOT: fadd {{.*}}<4 x double>
#include <hpvm.h>

void addFour(double *A, size_t ABytes, double *B, size_t BBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, B, 1, A);
  A[0] = A[0] + B[0];
  A[1] = A[1] + B[1];
  A[2] = A[2] + B[2];
  A[3] = A[3] + B[3];
}

void root(double *A, size_t ABytes, double *B, size_t BBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, B, 1, A);
  void *Node = __hpvm__createNodeND(0, addFour);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindIn(Node, 2, 2, 0);
  __hpvm__bindIn(Node, 3, 3, 0);
}

struct __attribute__((packed)) Arguments {
  double *A;
  size_t ABytes;
  double *B;
  size_t BBytes;
};

int main(void) {
  double A[4] = {1, 2, 3, 4}, B[4] = {1, 1, 1, 1};
  struct Arguments Arguments = {A, sizeof A, B, sizeof B};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &Arguments));
  __hpvm__cleanup();
  return A[3] != 5;
}
