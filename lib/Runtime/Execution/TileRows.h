//===- TileRows.h - Rows of nodes that run strip by strip -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common queries of both ways of running such nodes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_TILEROWS_H
#define SLUICE_RUNTIME_EXECUTION_TILEROWS_H

#include "Executor.h"

#include <cstring>

namespace sluice {

/// The extent of a node's rows.
inline uint64_t tileRows(const SluicePlanNode &node, const int64_t *extents) {
  return static_cast<uint64_t>(
      extents[node.tiling / SLUICE_TILED_DIMENSION % 4]);
}

inline uint64_t wordAt(const unsigned char *frame, uint64_t offset) {
  uint64_t value;
  std::memcpy(&value, frame + offset, sizeof(value));
  return value;
}

/// Calls `body` for all numbers below `count`, on all workers.
template <typename Body>
void forAll(Executor &executor, uint32_t count, Body &body) {
  auto call = [](void *context, int64_t index) {
    (*static_cast<Body *>(context))(static_cast<uint32_t>(index));
    return 0;
  };
  executor.parallelFor(call, &body, 0, count);
}

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_TILEROWS_H
