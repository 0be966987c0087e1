//===- Steps.cpp - The units of a node with ordered dimensions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts the dimensions of a node by their role in its steps.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

#include <bit>

using namespace sluice;

Steps::Steps(const SluicePlanNode &node, const int64_t *extents) {
  const auto level =
      static_cast<uint32_t>(std::countr_zero(node.orderedDims)) / 3;
  const uint32_t ordered = node.orderedDims >> (3 * level);
  for (uint32_t i = 0; i < 3 * level; ++i)
    numLanes *= static_cast<uint64_t>(extents[i]);
  for (uint32_t i = 3 * (level + 1); i < 3 * node.numUnitLevels; ++i)
    laneUnits *= static_cast<uint64_t>(extents[i]);
  unsigned numOrdered = 0, numFree = 0;
  for (uint32_t dimension = 0; dimension < 3; ++dimension) {
    auto extent = static_cast<uint64_t>(extents[3 * level + dimension]);
    bool isOrdered = ordered >> dimension & 1;
    if (!isOrdered) {
      if (numOrdered != 0 && numFree++ == 0) {
        fastPieces = extent;
        fastPieceStride = laneUnits;
      } else if (numOrdered != 0) {
        slowPieceStride = laneUnits;
      }
    } else if (++numOrdered == 1) {
      lineLength = extent;
      stride = pieceUnits = laneUnits;
    } else if (numOrdered == 2) {
      middle = extent;
      middleStride = laneUnits;
    } else {
      outer = extent;
      outerStride = laneUnits;
    }
    laneUnits *= extent;
  }
  numLines = middle * outer;
  stepUnits = laneUnits / (numLines * lineLength);
}
