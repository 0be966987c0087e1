//===- SharedReductions.h - Launches whose points reduce to the same ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which points of a launch reduce into copies, which of them share one, and
// where the launch is cut because ranks do, follows from all of its points. So
// it is found once for each launch, in time with all of them, and kept: a plan
// from some points takes it from here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_SHAREDREDUCTIONS_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_SHAREDREDUCTIONS_H

#include "../Reductions.h"

#include <map>
#include <memory>

namespace sluice::regions {

class Homes;

/// Whether several points of a statement may reduce to one element of a root
/// that is no scalar.
bool mayShareReductions(const Statement &statement);

/// Those of a program. Partitions stay as long as this.
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
