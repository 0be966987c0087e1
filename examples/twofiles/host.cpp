//===- host.cpp - Launching a graph of another file -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches graph.cpp's root on a thousand points and compares points, box and
// number of steps with those of plain code.
//
//===----------------------------------------------------------------------===//

#include "graph.h"

#include "hpvm.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

using geometry::Point;

static std::vector<Point> somePoints(size_t Count) {
  std::vector<Point> Points;
  for (size_t I = 0; I != Count; ++I)
    Points.push_back(
        {float(I * 37 % 101), float(I * 61 % 97) - 40.0f, float(I) / 16.0f});
  return Points;
}

static bool same(const Point &A, const Point &B) {
  return A.X == B.X && A.Y == B.Y && A.Z == B.Z;
}

static bool agree(const char *What, const Point &Expected, const Point &Got) {
  if (same(Expected, Got))
    return true;
  std::fprintf(stderr,
               "twofiles: expected %s (%g, %g, %g), but the graph gave (%g, "
               "%g, %g)\n",
               What, Expected.X, Expected.Y, Expected.Z, Got.X, Got.Y, Got.Z);
  return false;
}

/// The extreme coordinate by \p Compare in each direction.
template <typename Compare>
static Point extreme(const std::vector<Point> &Points, Compare Comes) {
  Point Result = Points.front();
  for (float Point::*Axis : {&Point::X, &Point::Y, &Point::Z})
    for (const Point &Each : Points)
      if (Comes(Each.*Axis, Result.*Axis))
        Result.*Axis = Each.*Axis;
  return Result;
}

int main() {
  constexpr size_t Count = 1000;
  std::vector<Point> Points = somePoints(Count), Expected = Points;
  for (Point &Each : Expected)
    Each = {-(Each.X + 5.0f), Each.Y - 2.5f, Each.Z + 0.625f};

  MoveArguments Args = {};
  Args.Motion = {{8.0f, -4.0f, 1.0f}, /*Angle=*/270.0, /*Times=*/5};
  Args.Points = Points.data();
  Args.PointsBytes = Points.size() * sizeof(Point);
  Args.Count = Count;

  __hpvm__init();
  llvm_hpvm_track_mem(Args.Points, Args.PointsBytes);
  void *Graph = __hpvm__launch(0, moveRoot, &Args);
  __hpvm__wait(Graph);
  llvm_hpvm_request_mem(Args.Points, Args.PointsBytes);
  llvm_hpvm_untrack_mem(Args.Points);
  __hpvm__cleanup();

  for (size_t I = 0; I != Count; ++I)
    if (!agree("a point", Expected[I], Points[I]))
      return 1;
  Point Low = extreme(Expected, std::less<float>());
  Point High = extreme(Expected, std::greater<float>());
  if (!agree("the low corner", Low, Args.Box.Low) ||
      !agree("the high corner", High, Args.Box.High))
    return 1;
  if (Args.Steps != 5 * long(Count)) {
    std::fprintf(stderr,
                 "twofiles: expected %ld steps, but the graph made "
                 "%ld\n",
                 5 * long(Count), Args.Steps);
    return 1;
  }
  std::printf("moved %zu points in %ld steps\n", Count, Args.Steps);
  std::printf("twofiles: ok\n");
}
