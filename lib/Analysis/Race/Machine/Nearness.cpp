//===- Nearness.cpp - Instances that every host may launch ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host decides how large an open grid is, and a program may rely on the
// host to keep rows apart. So the execution itself examines the numbers that
// arguments bound (ids, loop iterations and sizes of copies): it compares how
// far they move the touched memory with the steps of the other numbers.
//
//===----------------------------------------------------------------------===//

#include "Explorer.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>

using namespace sluice;
using namespace sluice::races;

namespace {
/// Numbers below this limit count, whatever the host passes: neighbours are
/// nearer, and parts of a buffer are longer.
constexpr int64_t maxNear = 16, maxNearBytes = 8 * maxNear;

/// A number that affects where an instance touches memory.
struct Coordinate {
  int64_t count = 0;
  bool isOpen = false, isId = false;
  /// The touched address with another number; none if nothing is touched.
  std::function<std::optional<int64_t>(int64_t)> at;

  /// The bytes between the touched address and the one with 0.
  std::optional<int64_t> distance(int64_t begin) const {
    for (int64_t other = 0; other < std::min(count, maxNear); ++other)
      if (auto there = at(other))
        return std::abs(begin - *there) / (count - other) * count;
    return std::nullopt;
  }
  /// The bytes of one step.
  std::optional<int64_t> stride(int64_t begin) const {
    for (int64_t step = 1; step <= maxNear; ++step)
      for (int64_t other : {count - step, count + step})
        if (auto there = other < 0 ? std::nullopt : at(other))
          return std::abs(begin - *there) / step;
    return std::nullopt;
  }
};
} // namespace

static bool areSameTurns(const std::vector<LoopTurn> &a,
                         const std::vector<LoopTurn> &b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](const auto &both) {
           const auto &[x, y] = both;
           return x.loop == y.loop && x.count == y.count;
         });
}

/// The address that the instruction of `touch` touches in these iterations.
static std::optional<int64_t> findBegin(const Execution &execution,
                                        const Touch &touch,
                                        const std::vector<LoopTurn> &turns) {
  for (const Touch &other : execution.touches)
    if (other.origin == touch.origin && other.isWrite == touch.isWrite &&
        areSameTurns(execution.turns[other.turns], turns))
      return other.begin;
  return std::nullopt;
}

Explorer::Nearness Explorer::nearness(const TreeNode &leaf,
                                      const Arguments &arguments,
                                      const InstanceNumbers &numbers,
                                      const Execution &execution,
                                      const Touch &touch, int64_t byte) {
  // To look for a touch takes a while as well.
  auto find = [&](const Execution &in, const std::vector<LoopTurn> &turns) {
    meetStepsLeft -= std::min<size_t>(meetStepsLeft, in.touches.size() / 16);
    return findBegin(in, touch, turns);
  };
  const std::vector<LoopTurn> &turns = execution.turns[touch.turns];
  std::vector<Coordinate> all;
  for (unsigned level = 0; level != leaf.depth; ++level)
    for (unsigned dimension = 0; dimension != 3; ++dimension) {
      if (numbers.extents[level][dimension] == 1)
        continue;
      bool isOpen = (touch.openDimensions >> dimension & 1) ||
                    numbers.isExtentOpen[level][dimension];
      all.push_back(
          {numbers.ids[level][dimension], isOpen, /*isId=*/true,
           [&, level, dimension](int64_t id) -> std::optional<int64_t> {
             if (id >= numbers.extents[level][dimension])
               return std::nullopt;
             InstanceNumbers other = numbers;
             other.ids[level][dimension] = id;
             return find(executionOf(leaf, arguments, other), turns);
           }});
    }
  for (auto [number, turn] : llvm::enumerate(turns))
    all.push_back({turn.count, turn.isOpen, /*isId=*/false,
                   [&, number = number](int64_t count) {
                     std::vector<LoopTurn> other = turns;
                     other[number].count = count;
                     return find(execution, other);
                   }});
  if (touch.isSizeOpen)
    all.push_back({byte - touch.begin, true, /*isId=*/false,
                   [&](int64_t count) { return touch.begin + count; }});
  const bool isInRange = touch.isSizeOpen;
  for (const Coordinate &inner : all) {
    if (!inner.isOpen || inner.count == 0)
      continue;
    const bool isByte = isInRange && &inner == &all.back();
    int64_t begin = isByte ? byte : touch.begin;
    std::optional<int64_t> distance = inner.distance(begin);
    if (distance == 0)
      continue;
    if (inner.count >= (isByte ? maxNearBytes : maxNear) || meetStepsLeft == 0)
      return {false, inner.isId};
    if (!distance)
      continue;
    int64_t stride = inner.stride(begin).value_or(*distance / inner.count);
    for (const Coordinate &outer : all)
      if (&outer != &inner)
        if (int64_t step = outer.stride(touch.begin).value_or(0);
            step > stride && *distance >= step)
          return {false, inner.isId, step};
  }
  return {};
}
