//===- AnalysedKernel.h - A kernel as the host analyses it ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To compute which memory the items of a kernel touch, the host needs each
// address as an expression of the numbers of the items.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TOUCH_ANALYSEDKERNEL_H
#define SLUICE_LIB_CODEGEN_DEVICE_TOUCH_ANALYSEDKERNEL_H

#include "Conditions.h"
#include "sluice/CodeGen/DeviceKernels.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <optional>

namespace sluice::codegen {

/// A copy of a kernel in which the global number of an item is one opaque
/// value, as the host sees it, and LLVM's analyses of the copy.
class AnalysedKernel {
public:
  AnalysedKernel(llvm::Function &kernel, const DeviceNode &device);
  AnalysedKernel(const AnalysedKernel &) = delete;
  AnalysedKernel &operator=(const AnalysedKernel &) = delete;
  ~AnalysedKernel();

private:
  llvm::ValueToValueMapTy map;

public:
  llvm::Function *function;

private:
  llvm::TargetLibraryInfoImpl library;
  llvm::TargetLibraryInfo libraryInfo;
  llvm::DominatorTree dominators;
  llvm::PostDominatorTree postDominators;
  llvm::LoopInfo loops;
  std::optional<llvm::AssumptionCache> cache;

public:
  std::optional<llvm::ScalarEvolution> evolution;
  /// Calls of Builtin::Global.
  llvm::SmallVector<llvm::Instruction *> globalIds;

  void forEachCondition(const llvm::Instruction &inst,
                        ConditionVisitor visit) const {
    codegen::forEachCondition(dominators, inst, visit);
  }
  /// Every item that runs executes the instruction, once.
  bool isAlwaysExecuted(const llvm::Instruction &inst) const {
    const llvm::BasicBlock *block = inst.getParent();
    return !loops.getLoopFor(block) &&
           postDominators.dominates(block, &function->getEntryBlock());
  }
  /// The expression in the item whose id in a dimension is one more.
  const llvm::SCEV *atNext(const llvm::SCEV *expression, unsigned dimension);

private:
  void joinGlobalIds();
  void assumeInside(const DeviceNode &device);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_TOUCH_ANALYSEDKERNEL_H
