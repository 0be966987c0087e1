//===- LeafGuards.h - What instances do one at a time -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which locks are held, and which statics are or have been initialised, on
// every way to a place in a leaf.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_LEAFGUARDS_H
#define SLUICE_LIB_ANALYSIS_RACE_LEAFGUARDS_H

#include "LeafEffects.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace sluice::races {

class LeafGuards {
public:
  LeafGuards(const llvm::Function &leaf,
             const llvm::TargetLibraryInfo &library);

  /// What holds where `instruction` runs.
  std::vector<LeafGuard> at(const llvm::Instruction &instruction) const;

private:
  /// The number of a guard; none if its object is not known.
  std::optional<unsigned> find(LeafGuard::Kind kind,
                               const llvm::Value &pointer) const;
  bool mayUnlock(const llvm::CallBase &call) const;
  void step(const llvm::Instruction &instruction, llvm::BitVector &facts) const;
  void cross(const llvm::BasicBlock &from, const llvm::BasicBlock &to,
             llvm::BitVector &facts) const;

  const llvm::TargetLibraryInfo &library;
  std::vector<LeafGuard> guards;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> atStart;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_LEAFGUARDS_H
