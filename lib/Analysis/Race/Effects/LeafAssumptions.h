//===- LeafAssumptions.h - Assumptions about pointers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice_assume_disjoint(a, aBytes, b, bBytes)` states that no instance
// reaches through `b` memory that another instance of the node reaches through
// `a`. `sluice_assume_ordered(memory, bytes, reason)` states that the order in
// which instances use the memory reached through `memory` does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFASSUMPTIONS_H
#define SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFASSUMPTIONS_H

#include "LeafAddresses.h"

#include "llvm/Analysis/PostDominators.h"

namespace sluice::races {

/// The calls of `sluice_assume_disjoint` in a leaf.
class LeafAssumptions {
public:
  LeafAssumptions(llvm::Function &leaf, LeafValues &values);

  /// LeafAccess::sides for an access of `instruction` through `pointer`.
  std::vector<unsigned> sidesOf(const llvm::Instruction &instruction,
                                const llvm::Value &pointer) const;

  /// LeafAccess::vouches for an access of `instruction` through `pointer`.
  std::vector<unsigned> vouchesOf(const llvm::Instruction &instruction,
                                  const llvm::Value &pointer) const;
  std::vector<LeafVouch> getVouches() const;
  /// LeafAccess::awaits, LeafAccess::isAwaited.
  bool awaits(const llvm::Instruction &access) const;
  bool isAwaited(const llvm::Instruction &access) const;
  unsigned numDisjointCalls() const { return calls.size(); }

private:
  bool isSaid(const llvm::CallBase &call, const llvm::Value &base,
              const llvm::Instruction &access) const;

  LeafValues &values;
  llvm::PostDominatorTree postDominators;
  std::vector<const llvm::CallBase *> calls;
  /// Those of sluice_assume_ordered.
  std::vector<const llvm::CallBase *> vouches;
  /// The calls at which parts that wait for earlier instances begin and end.
  std::vector<const llvm::CallBase *> orderBegins, orderEnds;
  /// The parameters that the leaf reduces.
  std::vector<const llvm::Argument *> reductions;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFASSUMPTIONS_H
