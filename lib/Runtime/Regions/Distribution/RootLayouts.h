//===- RootLayouts.h - A rank's memory for its part of the roots ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank has addresses for whole roots, and memory for the pages that it
// accesses. If it accesses columns that are narrower than pages, these pages
// would be several times as large as the elements: then its memory contains
// only the box around its elements, in compact form.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_ROOTLAYOUTS_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_ROOTLAYOUTS_H

#include "Homes.h"

#include <span>

namespace sluice::regions {

/// When a rank keeps a compact box: `WhereItPays` if that saves many bytes,
/// `Always` for tests with small programs.
enum class Compact { Never, WhereItPays, Always };

class RootLayouts {
public:
  using Roots = std::span<const std::unique_ptr<Root>>;

  /// Makes room for the elements that a rank accesses in a graph, in addition
  /// to the elements that it accessed before.
  Status prepare(Roots roots, const Sequence &graph, const Homes &homes,
                 uint32_t rank);
  /// From here on the whole root has its place.
  Status keepWhole(Root &root);

  Compact compact = Compact::WhereItPays;

private:
  struct Touched {
    /// Includes elements other than those of colors.
    bool isOther = false;
    std::set<std::pair<const RootPartition *, uint32_t>> colors;
  };
  struct Known {
    /// The elements accessed so far.
    Runs runs;
    bool staysWhole = false;
  };
  bool matters(const Root &root) const;
  void collect(const Sequence &sequence, const Homes &homes, uint32_t rank,
               std::map<const Root *, Touched> &touched) const;
  Box choose(const Root &root, const Runs &touched) const;

  std::map<const Root *, Known> known;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_ROOTLAYOUTS_H
