//===- RootLayouts.h - The memory of one rank for its part of the roots ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank has addresses for whole roots, and memory for the pages that it
// touches. Where it touches columns that are narrower than pages, these would
// be several times as much as the elements: then its memory has the box around
// its elements, close together.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_ROOTLAYOUTS_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_ROOTLAYOUTS_H

#include "Homes.h"

#include <span>

namespace sluice::regions {

/// When a rank keeps a box close together: `WhereItPays` if that saves many
/// bytes, `Always` for tests of programs that are not large.
enum class Compact { Never, WhereItPays, Always };

class RootLayouts {
public:
  using Roots = std::span<const std::unique_ptr<Root>>;

  /// Makes room for what a rank touches in a graph, besides what it touched
  /// before, which stays.
  Status prepare(Roots roots, const Sequence &graph, const Homes &homes,
                 uint32_t rank);
  /// All of a root has its place from here on.
  Status keepWhole(Root &root);

  Compact compact = Compact::WhereItPays;

private:
  struct Touched {
    /// Elements that are not those of colors as well.
    bool isOther = false;
    std::set<std::pair<const RegionPartition *, uint32_t>> colors;
  };
  struct Known {
    /// What has been touched so far.
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
