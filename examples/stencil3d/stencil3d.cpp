//===- stencil3d.cpp - Heat in a box: a 7-point stencil -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf replicated in three dimensions over the inside of a box computes the
// next temperatures from the last ones. Each sweep is a launch; the two arrays
// change places between launches.
//
//===----------------------------------------------------------------------===//

#include "hpvm.h"

#include <cstdio>
#include <utility>
#include <vector>

/// One inner cell: instance (x, y, z) is cell (x + 1, y + 1, z + 1).
void sweepCell(float Keep, float Mix, float *From, size_t FromBytes, float *To,
               size_t ToBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, From, To, 1, To); // the border of To stays
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self) + 1;
  long Y = __hpvm__getNodeInstanceID_y(Self) + 1;
  long Z = __hpvm__getNodeInstanceID_z(Self) + 1;
  long Row = __hpvm__getNumNodeInstances_x(Self) + 2;
  long Layer = Row * (__hpvm__getNumNodeInstances_y(Self) + 2);

  float *Cell = From + Z * Layer + Y * Row + X;
  To[Z * Layer + Y * Row + X] =
      Keep * Cell[0] + Mix * (Cell[-1] + Cell[1] + Cell[-Row] + Cell[Row] +
                              Cell[-Layer] + Cell[Layer]);
}

void sweepRoot(float Keep, float Mix, float *From, size_t FromBytes, float *To,
               size_t ToBytes, size_t Columns, size_t Rows, size_t Layers) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, From, To, 1, To);
  void *Cells =
      __hpvm__createNodeND(3, sweepCell, Columns - 2, Rows - 2, Layers - 2);
  __hpvm__bindIn(Cells, 0, 0, 0);
  __hpvm__bindIn(Cells, 1, 1, 0);
  __hpvm__bindIn(Cells, 2, 2, 0);
  __hpvm__bindIn(Cells, 3, 3, 0);
  __hpvm__bindIn(Cells, 4, 4, 0);
  __hpvm__bindIn(Cells, 5, 5, 0);
}

struct __attribute__((packed)) Arguments {
  float Keep, Mix;
  float *From;
  size_t FromBytes;
  float *To;
  size_t ToBytes;
  size_t Columns, Rows, Layers;
};

constexpr size_t Columns = 67, Rows = 45, Layers = 31, Sweeps = 20;
constexpr float Keep = 0.4f, Mix = 0.1f;

/// A cold box with one hot side and a hot spot.
static std::vector<float> startOfBox() {
  std::vector<float> Box(Columns * Rows * Layers);
  for (size_t Cell = 0; Cell < Box.size(); Cell += Columns)
    Box[Cell] = 100.0f;
  Box[Box.size() / 2] = 1000.0f;
  return Box;
}

static std::vector<float> plainSweeps() {
  std::vector<float> Now = startOfBox(), Next = Now;
  auto At = [&](size_t Layer, size_t Row, size_t Column) -> float & {
    return Now[(Layer * Rows + Row) * Columns + Column];
  };
  for (size_t Sweep = 0; Sweep != Sweeps; ++Sweep) {
    for (size_t L = 1; L + 1 != Layers; ++L)
      for (size_t R = 1; R + 1 != Rows; ++R)
        for (size_t C = 1; C + 1 != Columns; ++C)
          Next[(L * Rows + R) * Columns + C] =
              Keep * At(L, R, C) +
              Mix * (At(L, R, C - 1) + At(L, R, C + 1) + At(L, R - 1, C) +
                     At(L, R + 1, C) + At(L - 1, R, C) + At(L + 1, R, C));
    std::swap(Now, Next);
  }
  return Now;
}

int main() {
  std::vector<float> Now = startOfBox(), Next = Now;
  size_t Bytes = Now.size() * sizeof(float);

  __hpvm__init();
  llvm_hpvm_track_mem(Now.data(), Bytes);
  llvm_hpvm_track_mem(Next.data(), Bytes);
  for (size_t Sweep = 0; Sweep != Sweeps; ++Sweep) {
    Arguments Args = {Keep,  Mix,     Now.data(), Bytes, Next.data(),
                      Bytes, Columns, Rows,       Layers};
    void *Graph = __hpvm__launch(0, sweepRoot, &Args);
    __hpvm__wait(Graph);
    std::swap(Now, Next);
  }
  llvm_hpvm_request_mem(Now.data(), Bytes);
  llvm_hpvm_untrack_mem(Now.data());
  llvm_hpvm_untrack_mem(Next.data());
  __hpvm__cleanup();

  std::vector<float> Expected = plainSweeps();
  for (size_t I = 0; I != Now.size(); ++I)
    if (Now[I] != Expected[I]) {
      std::fprintf(stderr,
                   "stencil3d: expected %.9g, but the graph gave %.9g in cell "
                   "(%zu, %zu, %zu)\n",
                   Expected[I], Now[I], I % Columns, I / Columns % Rows,
                   I / Columns / Rows);
      return 1;
    }
  std::printf("swept a box of %zux%zux%zu cells %zu times\n", Columns, Rows,
              Layers, Sweeps);
  std::printf("stencil3d: ok\n");
}
