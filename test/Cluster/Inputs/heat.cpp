// heat.cpp - Sweeps over a plate, launched in a loop, for tests on ranks.
//
// usage: heat WIDTH HEIGHT SWEEPS
//
// Every element is the mean of its neighbours; those at the border stay. Prints
// a number that depends on every byte of the result, computed by the graph and
// by plain code.

#include "hpvm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static inline float mean(const float *from, long width, long height, long x,
                         long y) {
  const float *at = from + y * width + x;
  bool isInside = x > 0 && x + 1 < width && y > 0 && y + 1 < height;
  return isInside ? 0.25f * (at[-1] + at[1] + at[-width] + at[width]) : *at;
}

void sweep(float *From, size_t FromBytes, float *To, size_t ToBytes, long Width,
           long Height) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, From, 1, To);
  void *Node = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Node);
  long Y = __hpvm__getNodeInstanceID_y(Node);
  To[Y * Width + X] = mean(From, Width, Height, X, Y);
}

void root(float *From, size_t FromBytes, float *To, size_t ToBytes, long Width,
          long Height) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, From, 1, To);
  void *Node = __hpvm__createNodeND(2, sweep, Width, Height);
  __hpvm__bindIn(Node, 0, 0, 0);
  __hpvm__bindIn(Node, 1, 1, 0);
  __hpvm__bindIn(Node, 2, 2, 0);
  __hpvm__bindIn(Node, 3, 3, 0);
  __hpvm__bindIn(Node, 4, 4, 0);
  __hpvm__bindIn(Node, 5, 5, 0);
}

static unsigned long hashOf(const std::vector<float> &Values) {
  unsigned long Hash = 0xcbf29ce484222325;
  for (float Value : Values) {
    unsigned Bits;
    std::memcpy(&Bits, &Value, sizeof Bits);
    Hash = (Hash ^ Bits) * 0x100000001b3;
  }
  return Hash;
}

int main(int argc, char **argv) {
  long Width = std::atol(argv[1]), Height = std::atol(argv[2]);
  long Sweeps = std::atol(argv[3]);
  size_t Bytes = Width * Height * sizeof(float);
  std::vector<float> A(Width * Height), B(A);
  for (size_t I = 0; I != A.size(); ++I)
    A[I] = float(I * 7919 % 1009);
  std::vector<float> X(A), Y(B);

  __hpvm__init();
  llvm_hpvm_track_mem(A.data(), Bytes);
  llvm_hpvm_track_mem(B.data(), Bytes);
  float *From = A.data(), *To = B.data();
  for (long I = 0; I != Sweeps; ++I) {
    struct __attribute__((packed)) {
      float *From;
      size_t FromBytes;
      float *To;
      size_t ToBytes;
      long Width, Height;
    } Args = {From, Bytes, To, Bytes, Width, Height};
    __hpvm__wait(__hpvm__launch(0, root, &Args));
    std::swap(From, To);
  }
  llvm_hpvm_request_mem(From, Bytes);
  unsigned long Found = hashOf(From == A.data() ? A : B);
  llvm_hpvm_untrack_mem(A.data());
  llvm_hpvm_untrack_mem(B.data());
  __hpvm__cleanup();

  for (long I = 0; I != Sweeps; ++I) {
    for (long V = 0; V != Height; ++V)
      for (long U = 0; U != Width; ++U)
        Y[V * Width + U] = mean(X.data(), Width, Height, U, V);
    std::swap(X, Y);
  }
  std::printf("%016lx %s\n", Found, Found == hashOf(X) ? "ok" : "wrong");
}
