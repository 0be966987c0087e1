//===- CheckCopies.cpp - Copies keep elements in place --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both sides of a copy must have the same elements. This is checked here for
// roots and blocks with constant extents, and at run time for all others.
//
//===----------------------------------------------------------------------===//

#include "LowerRegions.h"
#include "StatedBoxes.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

void ProgramLowering::checkCopiedElements(mlir::Operation *op,
                                          const RegionStatement &statement) {
  constexpr unsigned maxPoints = 65536;
  const RegionArgument &from = statement.arguments[0],
                       &to = statement.arguments[1];
  const RegionRoot &source = program.roots[from.root];
  const RegionRoot &target = program.roots[to.root];
  if (isConstant(source.extents) && isConstant(target.extents) &&
      boxOfRoot(source)->upper != boxOfRoot(target)->upper) {
    fail(op) << nodeText(op) << " copies from '@" << source.name << "' to '@"
             << target.name << "', whose extents differ";
    return;
  }
  if (!isConstant(statement.domain))
    return;
  BoxCoordinates point(statement.domain.size());
  for (unsigned i = 0; i != maxPoints; ++i) {
    auto left = boxAt(program, from, point), right = boxAt(program, to, point);
    if (!left || !right)
      return;
    if (!(*left == *right)) {
      auto error = fail(op);
      error << nodeText(op);
      if (!point.empty()) {
        error << " at point (";
        interleaveComma(point, error);
        error << ')';
      }
      error << " has other elements to read than to write, but copies keep "
               "them in place; let a task move them";
      return;
    }
    if (!stepPoint(statement.domain, point))
      return;
  }
}
