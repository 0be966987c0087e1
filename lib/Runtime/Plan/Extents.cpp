//===- Extents.cpp - Evaluating the extents of a node ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with overflow checks, and the text of extents for messages.
//
//===----------------------------------------------------------------------===//

#include "Extents.h"

#include "sluice-c/UsualExtents.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <vector>

using namespace sluice;

std::string sluice::nodeText(const SluicePlanNode &node) {
  bool hasLocation = node.location && *node.location;
  return concat("node ", quoted(node.name), hasLocation ? " at " : "",
                hasLocation ? node.location : "");
}

std::string sluice::extentsText(const int64_t *extents, uint32_t numLevels) {
  std::string out;
  for (uint32_t level = 0; level < numLevels; ++level) {
    const int64_t *xyz = extents + 3 * level;
    unsigned count = xyz[2] != 1 ? 3 : xyz[1] != 1 ? 2 : 1;
    out += level ? " x [" : "[";
    for (unsigned i = 0; i < count; ++i)
      appendText(out, concat(i ? ", " : "", xyz[i]));
    out += ']';
  }
  return numLevels ? out : "[1]";
}

static Status extentsError(const SluicePlanNode &node, const int64_t *extents,
                           std::string_view what) {
  return Status::error(StatusCode::NodeFailed,
                       concat(nodeText(node), ": extents ",
                              extentsText(extents, node.numLevels), " ", what));
}

bool sluice::multiplyExtents(const int64_t *extents, uint32_t numLevels,
                             uint64_t &product) {
  const int64_t *end = extents + 3 * numLevels;
  product = 0;
  if (std::find(extents, end, 0) != end)
    return true;
  int64_t value = 1;
  for (; extents != end; ++extents)
    if (__builtin_mul_overflow(value, *extents, &value))
      return false;
  product = static_cast<uint64_t>(value);
  return true;
}

/// The largest extent that a proof took for granted.
static int64_t mostUsual(const SluicePlanNode &node) {
  constexpr unsigned exponents[] = SLUICE_USUAL_EXPONENTS;
  return (int64_t(1) << exponents[node.tiling / SLUICE_USUAL_LIMIT]) - 1;
}

/// False if an extent is larger than a proof took for granted.
static bool areUsual(const SluicePlanNode &node, const int64_t *extents) {
  const uint32_t usual = node.tiling / SLUICE_USUAL_EXTENT;
  const int64_t most = mostUsual(node);
  const uint32_t numLevels =
      std::min<uint32_t>(node.numLevels, SLUICE_USUAL_LEVELS);
  for (uint32_t i = 0; i != 3 * numLevels; ++i)
    if (usual >> i & 1 && extents[i] > most)
      return false;
  return true;
}

Result<NodeCounts> sluice::countInstances(const SluicePlanNode &node,
                                          const int64_t *extents) {
  NodeCounts counts;
  // The product of the levels so far; in one walk, since every launch does
  // this.
  int64_t product = 1;
  bool isEmpty = false, isNegative = false, overflows = false, isHuge = false;
  for (uint32_t level = 0;; ++level) {
    const uint64_t value = isEmpty ? 0 : static_cast<uint64_t>(product);
    const bool isUnits = level == node.numUnitLevels;
    const bool isIndices = level == node.numIndexLevels;
    const bool isLast = level == node.numLevels;
    if (isUnits)
      counts.units = value;
    if (isIndices)
      counts.instances = value;
    if (isUnits || isIndices || isLast)
      isHuge |= overflows && !isEmpty;
    if (isLast)
      break;
    for (int64_t extent :
         {extents[3 * level], extents[3 * level + 1], extents[3 * level + 2]}) {
      isNegative |= extent < 0;
      isEmpty |= extent == 0;
      overflows |= __builtin_mul_overflow(product, extent, &product);
    }
  }
  const bool isUnusual = node.tiling >= SLUICE_USUAL_EXTENT && !isEmpty &&
                         !areUsual(node, extents);
  if (isNegative)
    return extentsError(node, extents, "are negative");
  if (isHuge)
    return extentsError(node, extents, "span 2^63 instances or more");
  if (isUnusual)
    return extentsError(
        node, extents,
        concat("have more than ", mostUsual(node),
               " instances in a dimension, for which it is not proven free of "
               "races, since numbers of 32 bits may wrap around; compute its "
               "addresses with 64 bits, as 'long' or 'size_t', or launch fewer "
               "instances"));
  counts.empty = isEmpty;
  // Measured: from here on copies cost no more than a twentieth.
  if (node.tiling & SLUICE_COPIES_SHARED)
    counts.chunkRows = 128;
  if (node.numUnitLevels)
    counts.rowUnits =
        static_cast<uint64_t>(extents[3 * (node.numUnitLevels - 1)]);
  return counts;
}

Status sluice::checkUsualExtents(const SluicePlan &plan,
                                 std::span<const uint32_t> nodes,
                                 const unsigned char *frame) {
  std::vector<int64_t> extents;
  for (uint32_t index : nodes) {
    const SluicePlanNode &node = plan.nodes[index];
    extents.resize(3 * node.numLevels);
    node.extents(frame, extents.data());
    if (Result<NodeCounts> counts = countInstances(node, extents.data());
        !counts.ok())
      return counts.takeStatus();
  }
  return {};
}
