//===- OracleNumbers.h - Numbers that small modules compute -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. A task of a small module assigns a number to each place that it
// changes. The number depends on the task, its point and iteration, and all
// numbers that the task reads. The oracle computes the numbers from the graph,
// and tasks compute them when the module runs. This header needs nothing of the
// compiler, so that the built programs may include it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_ORACLENUMBERS_H
#define SLUICE_LIB_RDIR_TESTING_ORACLENUMBERS_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sluice::rdir::oracle {

/// A running task: the loops and epochs around it and its node, their current
/// iterations, and its point.
using Instance = std::vector<int64_t>;

inline uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x =
      (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9;
  return x ^ x >> 31;
}

/// The number in a place before the module runs.
inline int64_t firstNumber(uint32_t place) {
  return static_cast<int64_t>(mix(77, place));
}

/// The number that an instance writes to a place, or contributes to it, by one
/// of its edges. `digest` is mixed from all numbers that it reads, starting
/// with 1.
inline int64_t numberOf(const Instance &instance, uint64_t digest,
                        uint32_t place, uint32_t edge) {
  uint64_t number = mix(digest, uint64_t(place) * 64 + edge);
  for (int64_t part : instance)
    number = mix(number, part);
  return static_cast<int64_t>(number);
}

/// Operator 0 adds with wrap-around; operator 1 is the maximum.
inline int64_t reducedNumber(int64_t base, uint32_t reduction,
                             int64_t contribution) {
  if (reduction == 0)
    return static_cast<int64_t>(static_cast<uint64_t>(base) +
                                static_cast<uint64_t>(contribution));
  return std::max(base, contribution);
}

/// Adds to each set of nodes everything that its members reach.
template <typename NodeSet>
void closeTransitively(std::vector<NodeSet> &reach) {
  for (size_t via = 0; via < reach.size(); ++via)
    for (NodeSet &from : reach)
      if (from[via])
        from |= reach[via];
}

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_ORACLENUMBERS_H
