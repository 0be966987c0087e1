//===- BoxTree.h - Finding boxes that intersect a box ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consecutive colors are usually neighbours, so a tree over their order finds
// the boxes that intersect a given one. If they are not, the boxes are sorted
// along a curve that fills the space.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_BOXTREE_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_BOXTREE_H

#include "ColorSets.h"

#include <numeric>

namespace sluice::regions {

/// Level 0 contains the bounding boxes of the sets, in the order of `colors`;
/// each box of a higher level spans `fanOut` boxes of the level below.
class BoxTree {
public:
  explicit BoxTree(const ColorSets &sets) {
    auto &leaves = levels.emplace_back();
    for (const ElementSet &set : sets)
      leaves.push_back(set.bounds());
    while (levels.back().size() > fanOut) {
      levels.push_back(levelAbove(levels.back()));
      if (levels.size() == 2 && volumeOf(levels[1]) > 4 * volumeOf(levels[0])) {
        sort();
        levels.back() = levelAbove(levels.front());
      }
    }
  }

  /// Calls `function(index)` for each set whose bounds intersect `box`,
  /// ascending.
  template <typename Function>
  void query(const Box &box, Function &&function) const {
    if (colors.empty())
      return visit(levels.size() - 1, 0, levels.back().size(), box, function);
    std::vector<uint32_t> found;
    auto add = [&](uint32_t leaf) { found.push_back(colors[leaf]); };
    visit(levels.size() - 1, 0, levels.back().size(), box, add);
    std::sort(found.begin(), found.end());
    for (uint32_t color : found)
      function(color);
  }

private:
  static constexpr size_t fanOut = 8;
  static double volumeOf(const std::vector<Box> &boxes) {
    double volume = 0;
    for (const Box &box : boxes)
      volume += static_cast<double>(box.count());
    return volume;
  }
  /// Whether the lower corner of a box comes first on the curve: the coordinate
  /// decides whose highest bit that differs is the highest.
  static bool isBefore(const Box &a, const Box &b) {
    int64_t most = 0;
    bool isLess = false;
    for (size_t d = 0; d < std::size(a.lower); ++d)
      if (int64_t different = a.lower[d] ^ b.lower[d];
          most < different && most < (most ^ different)) {
        most = different;
        isLess = a.lower[d] < b.lower[d];
      }
    return isLess;
  }
  void sort() {
    std::vector<Box> &leaves = levels.front();
    colors.resize(leaves.size());
    std::iota(colors.begin(), colors.end(), 0);
    std::sort(colors.begin(), colors.end(), [&](uint32_t a, uint32_t b) {
      return isBefore(leaves[a], leaves[b]);
    });
    std::vector<Box> sorted;
    for (uint32_t color : colors)
      sorted.push_back(leaves[color]);
    leaves = std::move(sorted);
  }
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
  /// Empty in the order of the colors.
  std::vector<uint32_t> colors;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_BOXTREE_H
