//===- CheckAssumptions.h - Assumptions of leaves about pointers ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice_assume_disjoint` states that no instance accesses through `b` memory
// that another instance of the node accesses through `a`. This class keeps the
// statements of all instances and finds contradictions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CHECKS_CHECKASSUMPTIONS_H
#define SLUICE_RUNTIME_CHECKS_CHECKASSUMPTIONS_H

#include "CheckOrder.h"

#include <map>
#include <optional>

namespace sluice {

/// A range of bytes with an exclusive end.
struct CheckRange {
  uintptr_t start = 0, end = 0;
};

class CheckAssumptions {
public:
  /// The instance with the contradicting statement, and the common bytes.
  struct Violation {
    CheckInstance other;
    CheckRange bytes;
  };

  void clear() { said.clear(); }
  /// Adds the statement of an instance of `leaf` at `site`.
  std::optional<Violation> add(const SluiceCheckSite &site,
                               const SluiceCheckLeaf &leaf,
                               const CheckInstance &instance, CheckRange a,
                               CheckRange b);

private:
  /// Instances that named equal ranges: the first two suffice, since one of
  /// them differs from any third one.
  struct Speakers {
    CheckInstance first;
    std::optional<CheckInstance> second;
  };
  /// Ranges by start and end.
  struct Side {
    std::map<std::pair<uintptr_t, uintptr_t>, Speakers> ranges;
    uintptr_t longest = 0;

    void add(CheckRange range, const CheckInstance &instance);
    std::optional<Violation> find(CheckRange range,
                                  const CheckInstance &instance) const;
  };

  std::map<std::pair<const SluiceCheckSite *, const SluiceCheckLeaf *>,
           std::pair<Side, Side>>
      said;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CHECKS_CHECKASSUMPTIONS_H
