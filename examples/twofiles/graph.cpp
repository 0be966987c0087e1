//===- graph.cpp - A graph launched from another file ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three stages: derive one step from the motion, move every point by as many
// steps as it asks for, and find the box around all points. The motion, the
// step and the box are structs by value along binds and edges.
//
//===----------------------------------------------------------------------===//

#include "graph.h"

#include "hpvm.h"

using geometry::Box;
using geometry::Motion;
using geometry::Point;

namespace {

struct Step {
  Point Shift;
  bool Mirror;
  short Times;
};

} // namespace

static float smaller(float A, float B) { return A < B ? A : B; }
static float larger(float A, float B) { return A < B ? B : A; }

/// A step is an eighth of the motion; an angle beyond half a turn mirrors.
void deriveStep(Motion Motion) {
  __hpvm__hint(hpvm::CPU_TARGET);
  Point Shift = {Motion.Shift.X * 0.125f, Motion.Shift.Y * 0.125f,
                 Motion.Shift.Z * 0.125f};
  Step Step = {Shift, Motion.Angle > 180.0, Motion.Times};
  __hpvm__return(1, Step);
}

/// Every point returns the step it made.
void movePoint(Point *Points, size_t PointsBytes, Step Step) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Points, 1, Points);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Point Moved = Points[I];
  for (short Time = 0; Time < Step.Times; ++Time) {
    Moved.X += Step.Shift.X;
    Moved.Y += Step.Shift.Y;
    Moved.Z += Step.Shift.Z;
  }
  if (Step.Mirror)
    Moved.X = -Moved.X;
  Points[I] = Moved;
  __hpvm__return(2, PointsBytes, Step);
}

void surround(Step Step, Point *Points, size_t PointsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Points, 0);
  long Count = PointsBytes / sizeof(Point);
  Box Around = {Points[0], Points[0]};
  for (long I = 1; I < Count; ++I) {
    Around.Low.X = smaller(Around.Low.X, Points[I].X);
    Around.Low.Y = smaller(Around.Low.Y, Points[I].Y);
    Around.Low.Z = smaller(Around.Low.Z, Points[I].Z);
    Around.High.X = larger(Around.High.X, Points[I].X);
    Around.High.Y = larger(Around.High.Y, Points[I].Y);
    Around.High.Z = larger(Around.High.Z, Points[I].Z);
  }
  long Steps = Count * Step.Times;
  __hpvm__return(2, Steps, Around);
}

void moveRoot(Motion Motion, Point *Points, size_t PointsBytes, size_t Count) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Points, 1, Points);
  void *Derive = __hpvm__createNodeND(0, deriveStep);
  void *Move = __hpvm__createNodeND(1, movePoint, Count);
  void *Surround = __hpvm__createNodeND(0, surround);
  __hpvm__bindIn(Derive, 0, 0, 0);
  __hpvm__bindIn(Move, 1, 0, 0);
  __hpvm__bindIn(Move, 2, 1, 0);
  __hpvm__edge(Derive, Move, 1, 0, 2, 0);
  __hpvm__bindIn(Surround, 1, 1, 0);
  __hpvm__edge(Move, Surround, 1, 0, 2, 0);
  __hpvm__edge(Move, Surround, 1, 1, 0, 0);
  __hpvm__bindOut(Surround, 0, 1, 0);
  __hpvm__bindOut(Surround, 1, 0, 0);
}
