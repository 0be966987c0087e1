//===- BoxTree.h - Finding boxes that intersect a box ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consecutive colors are usually neighbours, so a tree over their order, which
// needs no sorting, finds the boxes that intersect a given one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_BOXTREE_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_BOXTREE_H

#include "ColorSets.h"

namespace sluice::regions {

/// Level 0 contains the bounding boxes of the sets; each box of a higher level
/// spans `fanOut` boxes of the level below.
class BoxTree {
public:
  explicit BoxTree(const ColorSets &sets) {
    auto &leaves = levels.emplace_back();
    for (const ElementSet &set : sets)
      leaves.push_back(set.bounds());
    while (levels.back().size() > fanOut)
      levels.push_back(levelAbove(levels.back()));
  }

  /// Calls `function(index)` for each set whose bounds intersect `box`,
  /// ascending.
  template <typename Function>
  void query(const Box &box, Function &&function) const {
    visit(levels.size() - 1, 0, levels.back().size(), box, function);
  }

private:
  static constexpr size_t fanOut = 8;
  static std::vector<Box> levelAbove(const std::vector<Box> &below) {
    std::vector<Box> level;
    for (size_t i = 0; i < below.size(); ++i) {
      if (i % fanOut == 0)
        level.push_back(below[i]);
      else if (level.back().count() == 0)
        level.back() = below[i];
      else if (below[i].count())
        level.back().include(below[i]);
    }
    return level;
  }
  template <typename Function>
  void visit(size_t level, size_t begin, size_t end, const Box &box,
             Function &function) const {
    for (size_t i = begin; i < end; ++i) {
      if (!levels[level][i].overlaps(box))
        continue;
      if (level == 0)
        function(static_cast<uint32_t>(i));
      else
        visit(level - 1, i * fanOut,
              std::min((i + 1) * fanOut, levels[level - 1].size()), box,
              function);
    }
  }
  std::vector<std::vector<Box>> levels;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_BOXTREE_H
