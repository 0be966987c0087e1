//===- CheckTurns.h - Mutual exclusion of checked instances ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locks that the running instance holds, and the memory for which the
// program states that the order of instances does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CHECKS_CHECKTURNS_H
#define SLUICE_RUNTIME_CHECKS_CHECKTURNS_H

#include "CheckAssumptions.h"

#include <cstdint>
#include <map>
#include <vector>

namespace sluice {

/// Sets of locks are numbered; 0 is the empty set.
class CheckLocks {
public:
  void clear() {
    owner = {};
    held.clear();
    numInitializing = 0;
    current = 0;
  }
  void note(const CheckInstance &instance, uintptr_t lock, uint32_t turn);

  /// The locks that `instance`, the running instance, holds.
  uint32_t heldBy(const CheckInstance &instance) const {
    return isOwner(instance) ? current : 0;
  }
  /// Whether it initialises a static while other instances wait.
  bool isInitializing(const CheckInstance &instance) const {
    return numInitializing && isOwner(instance);
  }
  bool haveCommon(uint32_t a, uint32_t b) const;
  /// Whether all locks of `a` are in `b`.
  static bool isPartOf(uint32_t a, uint32_t b) { return a == 0 || a == b; }

private:
  bool isOwner(const CheckInstance &instance) const {
    return owner.execution == instance.execution &&
           owner.index == instance.index;
  }
  void renumber();

  CheckInstance owner;
  /// Sorted; a lock that was taken twice is listed twice.
  std::vector<uintptr_t> held;
  unsigned numInitializing = 0;
  uint32_t current = 0;
  std::map<std::vector<uintptr_t>, uint32_t> numbers;
  std::vector<std::vector<uintptr_t>> sets{{}};
};

/// The ranges passed to sluice_assume_ordered, for each leaf.
class CheckVouched {
public:
  void clear() { ranges.clear(); }
  void add(const SluiceCheckLeaf &leaf, CheckRange range);
  bool contains(const SluiceCheckLeaf &leaf, uintptr_t address) const;

private:
  /// Range ends by range starts; ranges do not overlap.
  std::map<const SluiceCheckLeaf *, std::map<uintptr_t, uintptr_t>> ranges;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CHECKS_CHECKTURNS_H
