//===- LeafGuards.h - Mutual exclusion of instances -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the locks that are held, and the statics that are being or have been
// initialised, on every path to a place in a leaf.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFGUARDS_H
#define SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFGUARDS_H

#include "LeafAddresses.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace sluice::races {

class LeafGuards {
public:
  LeafGuards(const llvm::Function &leaf, LeafValues &values,
             const llvm::TargetLibraryInfo &library);

  /// The guards that hold where `instruction` runs.
  std::vector<LeafGuard> at(const llvm::Instruction &instruction) const;

private:
  /// The guard at `pointer`, which is used in `block`. None if its position in
  /// an object that all instances share is not known.
  std::optional<LeafGuard> guardAt(LeafGuard::Kind kind,
                                   const llvm::Value &pointer,
                                   const llvm::BasicBlock &block) const;
  /// The number of a guard; none if it is not known.
  std::optional<unsigned> find(LeafGuard::Kind kind, const llvm::Value &pointer,
                               const llvm::BasicBlock &block) const;
  bool mayUnlock(const llvm::CallBase &call) const;
  void unlock(const llvm::CallBase &call, llvm::BitVector &facts) const;
  void forgetLocks(llvm::BitVector &facts) const;
  void forgetTurns(const llvm::BasicBlock &header,
                   llvm::BitVector &facts) const;
  void step(const llvm::Instruction &instruction, llvm::BitVector &facts) const;
  void cross(const llvm::BasicBlock &from, const llvm::BasicBlock &to,
             llvm::BitVector &facts) const;

  LeafValues &values;
  const llvm::TargetLibraryInfo &library;
  std::vector<LeafGuard> guards;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> atStart;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFGUARDS_H
