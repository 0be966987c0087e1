//===- StridedBoxes.h - Strided boxes of elements -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a dataset is an arithmetic progression of indices in each
// dimension. Two parts meet if their progressions meet in every dimension,
// which the Chinese remainder theorem decides without visiting elements.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_TASKS_STRIDEDBOXES_H
#define SLUICE_LIB_ANALYSIS_TASKS_STRIDEDBOXES_H

#include "sluice/DFG/DFG.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace sluice {

/// `count` indices from `first` on, at distances of `step` >= 1.
struct Progression {
  int64_t first = 0, count = 0, step = 1;

  int64_t last() const { return first + (count - 1) * step; }
  bool contains(int64_t index) const {
    return count && index >= first && index <= last() &&
           (index - first) % step == 0;
  }
  /// True if all indices of `other` are in this one.
  bool contains(const Progression &other) const;
  friend auto operator<=>(const Progression &, const Progression &) = default;
};

/// The indices that are in both; nullopt if there are none.
std::optional<Progression> intersect(const Progression &first,
                                     const Progression &second);

/// One progression per dimension. An empty part is a single element.
using Part = llvm::SmallVector<Progression, 4>;

/// The elements that `argument` names in a dataset with this shape.
Part partOf(dfg::TaskArgAttr argument, llvm::ArrayRef<int64_t> shape);

bool isEmpty(const Part &part);
bool sharesElements(const Part &first, const Part &second);
/// True if all elements of `inner` are in `outer`.
bool contains(const Part &outer, const Part &inner);
/// True if every element of `part` is in one of `others`; nullopt if this takes
/// too long to decide.
std::optional<bool> isCovered(const Part &part, llvm::ArrayRef<Part> others);

/// For each part, the `parts` that share an element with it, in ascending
/// order. A part that is not empty is in its own list.
std::vector<std::vector<unsigned>> findOverlaps(llvm::ArrayRef<Part> parts);

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_TASKS_STRIDEDBOXES_H
