//===- matmul.cpp - Matrix product by work-groups with local tiles --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two levels of replication: a group for each 16 x 16 tile of C, and in it an
// instance for each element. A leaf of the group allocates two tiles that all
// its instances share; they fill the tiles together, wait for each other, use
// them, and wait again before the tiles are filled anew.
//
//===----------------------------------------------------------------------===//

#include "hpvm.h"

#include <cstdio>
#include <vector>

constexpr long Tile = 16;

/// Two tiles for a group and their sizes.
void allocateTiles() {
  __hpvm__hint(hpvm::CPU_TARGET);
  size_t Bytes = Tile * Tile * sizeof(float);
  void *TileA = __hpvm__malloc(Bytes);
  void *TileB = __hpvm__malloc(Bytes);
  __hpvm__return(4, TileA, Bytes, TileB, Bytes);
}

/// One element of C.
void multiplyTile(float *TileA, size_t TileABytes, float *TileB,
                  size_t TileBBytes, float *A, size_t ABytes, float *B,
                  size_t BBytes, float *C, size_t CBytes, long Inner) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(4, TileA, TileB, A, B, 3, TileA, TileB, C);
  void *Element = __hpvm__getNode();
  void *Group = __hpvm__getParentNode(Element);
  long X = __hpvm__getNodeInstanceID_x(Element);
  long Y = __hpvm__getNodeInstanceID_y(Element);
  long Columns = __hpvm__getNumNodeInstances_x(Group) * Tile;
  long Column = __hpvm__getNodeInstanceID_x(Group) * Tile + X;
  long Row = __hpvm__getNodeInstanceID_y(Group) * Tile + Y;

  float Sum = 0.0f;
  for (long Step = 0; Step < Inner; Step += Tile) {
    TileA[Y * Tile + X] = A[Row * Inner + Step + X];
    TileB[Y * Tile + X] = B[(Step + Y) * Columns + Column];
    __hpvm__barrier();
    for (long K = 0; K < Tile; ++K)
      Sum += TileA[Y * Tile + K] * TileB[K * Tile + X];
    __hpvm__barrier();
  }
  C[Row * Columns + Column] = Sum;
}

/// One tile of C.
void multiplyGroup(float *A, size_t ABytes, float *B, size_t BBytes, float *C,
                   size_t CBytes, long Inner) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, A, B, 1, C);
  void *Allocate = __hpvm__createNodeND(0, allocateTiles);
  void *Multiply = __hpvm__createNodeND(2, multiplyTile, Tile, Tile);
  __hpvm__edge(Allocate, Multiply, 1, 0, 0, 0);
  __hpvm__edge(Allocate, Multiply, 1, 1, 1, 0);
  __hpvm__edge(Allocate, Multiply, 1, 2, 2, 0);
  __hpvm__edge(Allocate, Multiply, 1, 3, 3, 0);
  __hpvm__bindIn(Multiply, 0, 4, 0);
  __hpvm__bindIn(Multiply, 1, 5, 0);
  __hpvm__bindIn(Multiply, 2, 6, 0);
  __hpvm__bindIn(Multiply, 3, 7, 0);
  __hpvm__bindIn(Multiply, 4, 8, 0);
  __hpvm__bindIn(Multiply, 5, 9, 0);
  __hpvm__bindIn(Multiply, 6, 10, 0);
}

void multiplyRoot(float *A, size_t ABytes, float *B, size_t BBytes, float *C,
                  size_t CBytes, long Inner, long Columns, long Rows) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, A, B, 1, C);
  void *Groups =
      __hpvm__createNodeND(2, multiplyGroup, Columns / Tile, Rows / Tile);
  __hpvm__bindIn(Groups, 0, 0, 0);
  __hpvm__bindIn(Groups, 1, 1, 0);
  __hpvm__bindIn(Groups, 2, 2, 0);
  __hpvm__bindIn(Groups, 3, 3, 0);
  __hpvm__bindIn(Groups, 4, 4, 0);
  __hpvm__bindIn(Groups, 5, 5, 0);
  __hpvm__bindIn(Groups, 6, 6, 0);
}

struct __attribute__((packed)) Arguments {
  float *A;
  size_t ABytes;
  float *B;
  size_t BBytes;
  float *C;
  size_t CBytes;
  long Inner, Columns, Rows;
};

static std::vector<float> filled(long Size, long Seed) {
  std::vector<float> Values(Size);
  for (long I = 0; I != Size; ++I)
    Values[I] = float((I * 7919 + Seed) % 1009) / 1009.0f - 0.5f;
  return Values;
}

static std::vector<float> plainProduct(const std::vector<float> &A,
                                       const std::vector<float> &B, long Rows,
                                       long Inner, long Columns) {
  std::vector<float> C(Rows * Columns);
  for (long Row = 0; Row != Rows; ++Row)
    for (long K = 0; K != Inner; ++K)
      for (long Column = 0; Column != Columns; ++Column)
        C[Row * Columns + Column] +=
            A[Row * Inner + K] * B[K * Columns + Column];
  return C;
}

int main() {
  constexpr long Rows = 192, Inner = 320, Columns = 256;
  std::vector<float> A = filled(Rows * Inner, 1);
  std::vector<float> B = filled(Inner * Columns, 2);
  std::vector<float> C(Rows * Columns);
  Arguments Args = {
      A.data(), A.size() * sizeof(float), B.data(), B.size() * sizeof(float),
      C.data(), C.size() * sizeof(float), Inner,    Columns,
      Rows};

  __hpvm__init();
  llvm_hpvm_track_mem(A.data(), Args.ABytes);
  llvm_hpvm_track_mem(B.data(), Args.BBytes);
  llvm_hpvm_track_mem(C.data(), Args.CBytes);
  void *Graph = __hpvm__launch(0, multiplyRoot, &Args);
  __hpvm__wait(Graph);
  llvm_hpvm_request_mem(C.data(), Args.CBytes);
  llvm_hpvm_untrack_mem(A.data());
  llvm_hpvm_untrack_mem(B.data());
  llvm_hpvm_untrack_mem(C.data());
  __hpvm__cleanup();

  std::vector<float> Expected = plainProduct(A, B, Rows, Inner, Columns);
  for (long I = 0; I != Rows * Columns; ++I)
    if (C[I] != Expected[I]) {
      std::fprintf(stderr,
                   "matmul: expected %.9g, but the graph gave %.9g in row "
                   "%ld, column %ld\n",
                   Expected[I], C[I], I / Columns, I % Columns);
      return 1;
    }
  std::printf("multiplied %ldx%ld by %ldx%ld\n", Rows, Inner, Inner, Columns);
  std::printf("matmul: ok\n");
}
