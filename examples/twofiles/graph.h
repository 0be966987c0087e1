//===- graph.h - What host and graph share ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structs that travel through the graph of graph.cpp, and its root, which
// host.cpp launches.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_EXAMPLES_TWOFILES_GRAPH_H
#define SLUICE_EXAMPLES_TWOFILES_GRAPH_H

#include <cstddef>

namespace geometry {

struct Point {
  float X, Y, Z;
};

struct Motion {
  Point Shift;
  double Angle;
  short Times;
};

struct Box {
  Point Low, High;
};

} // namespace geometry

/// Move \p Count points and find the box around them.
/// Outputs: the box and how many steps were made.
void moveRoot(geometry::Motion Motion, geometry::Point *Points,
              size_t PointsBytes, size_t Count);

/// moveRoot's arguments and result.
struct __attribute__((packed)) MoveArguments {
  geometry::Motion Motion;
  geometry::Point *Points;
  size_t PointsBytes;
  size_t Count;
  geometry::Box Box;
  long Steps;
};

#endif // SLUICE_EXAMPLES_TWOFILES_GRAPH_H
