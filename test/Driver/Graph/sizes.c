// Ports that only carry the sizes of pointers are left out of pictures, and the
// orders that they stand for stay.
// RUN: sluice graph %s | FileCheck %s --implicit-check-not=Bytes
// RUN: sluice graph %s --sizes | FileCheck %s --check-prefix=SIZES
// RUN: sluice graph %s -o %t.svg && sluice graph %s --sizes -o %t.sizes.svg

// The root has its two arrays and N.
// CHECK:     root0_in [{{.*}}port="i0"{{.*}}>A {{.*}}port="i2"{{.*}}>B {{.*}}port="i4"{{.*}}>N<
// CHECK-NOT: port="i1"
// CHECK:     n0 [{{.*}}port="i0"{{.*}}>A {{.*}}<b>first</b>
// CHECK-NEXT: root0_in:i0:s -> n0:i0:n [arrowsize=0.6 color="#888888"]
// What only its size says: first comes before second.
// CHECK:     <b>second</b>
// CHECK-DAG: root0_in:i0:s -> n1:i0:n [arrowsize=0.6 color="#888888"]
// CHECK-DAG: n0:s -> n1:i0:n [arrowsize=0.6]
// CHECK-DAG: root0_in:i2:s -> n1:i2:n
// CHECK-DAG: root0_in:i4:s -> n1:i4:n

// SIZES: root0_in [{{.*}}>A {{.*}}>ABytes<{{.*}}>B {{.*}}>BBytes<{{.*}}>N<
// SIZES: n0:o0:s -> n1:i1:n [arrowsize=0.6]

#include <hpvm.h>

void first(float *A, size_t ABytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, A);
  A[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
  __hpvm__return(1, ABytes);
}

void second(float *A, size_t ABytes, float *B, size_t BBytes, long N) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, B);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  B[I] = A[N - 1 - I];
  __hpvm__return(1, N);
}

void root(float *A, size_t ABytes, float *B, size_t BBytes, long N) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, B, 2, A, B);
  void *First = __hpvm__createNodeND(1, first, N);
  void *Second = __hpvm__createNodeND(1, second, N);
  __hpvm__bindIn(First, 0, 0, 0);
  __hpvm__bindIn(First, 1, 1, 0);
  __hpvm__bindIn(Second, 0, 0, 0);
  __hpvm__edge(First, Second, 1, 0, 1, 0);
  __hpvm__bindIn(Second, 2, 2, 0);
  __hpvm__bindIn(Second, 3, 3, 0);
  __hpvm__bindIn(Second, 4, 4, 0);
  __hpvm__bindOut(Second, 0, 0, 0);
}

struct __attribute__((packed)) Arguments {
  float *A;
  size_t ABytes;
  float *B;
  size_t BBytes;
  long N, Result;
};

int main() {
  static float A[8], B[8];
  struct Arguments All = {A, sizeof A, B, sizeof B, 8, 0};
  __hpvm__init();
  llvm_hpvm_track_mem(A, sizeof A);
  llvm_hpvm_track_mem(B, sizeof B);
  __hpvm__wait(__hpvm__launch(0, root, &All));
  llvm_hpvm_untrack_mem(A);
  llvm_hpvm_untrack_mem(B);
  __hpvm__cleanup();
}
