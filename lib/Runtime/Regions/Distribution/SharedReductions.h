//===- SharedReductions.h - Launches with shared reductions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All points of a launch together determine which of them reduce into copies,
// which share a copy, and where the launch is cut because of ranks. So this is
// computed once for each launch, with a cost linear in all points, and kept;
// plans from some of the points use the result.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_SHAREDREDUCTIONS_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_SHAREDREDUCTIONS_H

#include "../ReductionCopies.h"

#include <map>
#include <memory>

namespace sluice::regions {

class Homes;

/// Whether several points of a statement may reduce to the same element of a
/// root that is not a scalar.
bool mayShareReductions(const Statement &statement);

/// The results of a program. Partitions must outlive the object.
class ReducedLaunches {
public:
  std::shared_ptr<const ReducedLaunch>
  get(const Statement &statement, const Homes &homes, OverlapTable &overlaps);

private:
  using Key = std::vector<uint64_t>;
  static Key keyOf(const Statement &statement);
  std::map<Key, std::shared_ptr<const ReducedLaunch>> known;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_SHAREDREDUCTIONS_H
