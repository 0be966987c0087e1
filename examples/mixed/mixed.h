//===- mixed.h - The membrane and its picture -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generator, meta-program and plain loops agree on. membrane.py has the
// same numbers of cells.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_EXAMPLES_MIXED_H
#define SLUICE_EXAMPLES_MIXED_H

namespace mixed {

/// Cells of the mesh of a membrane of 1.5 x 1.
constexpr int cellsX = 48;
constexpr int cellsY = 32;
constexpr int columns = cellsX + 1;
constexpr int rows = cellsY + 1;

/// Pixels from one node of the mesh to the next.
constexpr int zoom = 6;
constexpr int width = cellsX * zoom + 1;
constexpr int height = cellsY * zoom + 1;

/// Colours (red, green, blue) of no, half and full height.
constexpr double colours[3][3] = {{16, 24, 72}, {0, 142, 140}, {252, 226, 96}};
/// Lines of equal height, and how wide and dark they are.
constexpr int lines = 10;
constexpr double lineWidth = 0.06;
constexpr double lineDarkness = 0.35;

} // namespace mixed

#endif // SLUICE_EXAMPLES_MIXED_H
