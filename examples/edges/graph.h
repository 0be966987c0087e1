//===- graph.h - The graph that detects edges, for its host -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What graph.cpp, which holds the stages, and detect.cpp, which launches them,
// share: the sizes of buffers, and the root with its arguments and results.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_EXAMPLES_EDGES_GRAPH_H
#define SLUICE_EXAMPLES_EDGES_GRAPH_H

#include "edges.h"

/// Pixels around a frame that the buffers of the stages have: each stage needs
/// its neighbours, so the buffers before it are larger. The host repeats the
/// outermost pixels of a frame.
constexpr long InLaplacian = 1;
constexpr long InSmooth = 2;
constexpr long Border = InSmooth + Taps / 2;

/// Rows of a frame that one work-group looks at, and its work-items.
constexpr long BandRows = 16;
constexpr long Lanes = 64;

/// The root's arguments, its inputs in order.
struct __attribute__((packed)) Arguments {
  uint8_t *Image;
  size_t ImageBytes;
  uint16_t *Blurred;
  size_t BlurredBytes;
  uint16_t *Smooth;
  size_t SmoothBytes;
  int16_t *Laplacian;
  size_t LaplacianBytes;
  uint8_t *Crossings;
  size_t CrossingsBytes;
  uint16_t *Gradient;
  size_t GradientBytes;
  int *Maxima;
  size_t MaximaBytes;
  uint8_t *Found;
  size_t FoundBytes;
  uint16_t *Filter;
  size_t FilterBytes;
  size_t Columns;
  size_t Rows;
  float Threshold;
};

/// The outputs of the root.
struct __attribute__((packed)) Results {
  int Maximum;
};

/// The root of the graph.
void detectRoot(uint8_t *Image, size_t ImageBytes, uint16_t *Blurred,
                size_t BlurredBytes, uint16_t *Smooth, size_t SmoothBytes,
                int16_t *Laplacian, size_t LaplacianBytes, uint8_t *Crossings,
                size_t CrossingsBytes, uint16_t *Gradient, size_t GradientBytes,
                int *Maxima, size_t MaximaBytes, uint8_t *Found,
                size_t FoundBytes, uint16_t *Filter, size_t FilterBytes,
                size_t Columns, size_t Rows, float Threshold);

#endif // SLUICE_EXAMPLES_EDGES_GRAPH_H
