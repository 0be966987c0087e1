//===- InstanceUniformity.h - Values that the instances of a leaf share ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies LLVM's uniformity analysis to the instances of a leaf: which values
// are the same for all instances of a work-group, and which branches all of
// them take alike. On a CPU LLVM itself has no sources of divergence, so the
// caller supplies them. The verifier and code generation share this analysis.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_INSTANCEUNIFORMITY_H
#define SLUICE_ANALYSIS_INSTANCEUNIFORMITY_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Uniformity.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace sluice {

/// Returns the known uniformity of a value; `Default` derives it from the
/// operands.
using UniformityOracle =
    std::function<llvm::InstructionUniformity(const llvm::Value &)>;

/// The answer for instructions whose uniformity depends only on memory. Loads
/// from addresses that all instances share are uniform (another value would be
/// a race); loads from private memory, atomics and unknown calls are not.
llvm::InstructionUniformity
memoryUniformity(const llvm::Instruction &instruction);

/// Uniformity of one function. Values must be in SSA form: a value in an alloca
/// counts as different for every instance.
class InstanceUniformity {
public:
  InstanceUniformity(llvm::Function &function, UniformityOracle oracle);

  /// Every instance that executes `value` gets the same result.
  bool isUniform(const llvm::Value *value) const {
    return info->isUniform(value);
  }
  /// Also false for a value used outside of a loop that instances leave at
  /// different times.
  bool isUniformUse(const llvm::Use &use) const {
    return !info->isDivergentUse(use);
  }
  bool hasDivergentTerminator(const llvm::BasicBlock &block) {
    return info->hasDivergentTerminator(block);
  }

private:
  llvm::FunctionAnalysisManager analyses;
  llvm::UniformityInfo *info;
};

/// The branches that decide whether a block runs.
class ControlDependence {
public:
  explicit ControlDependence(llvm::Function &function);

  /// Blocks whose terminators `block` depends on directly.
  llvm::ArrayRef<llvm::BasicBlock *>
  controllers(const llvm::BasicBlock *block) const;
  /// Blocks with terminators that decide, directly or indirectly, whether and
  /// how often one of `blocks` runs.
  llvm::SmallVector<llvm::BasicBlock *>
  allControllers(llvm::ArrayRef<llvm::BasicBlock *> blocks) const;

private:
  llvm::DenseMap<const llvm::BasicBlock *,
                 llvm::SmallVector<llvm::BasicBlock *, 2>>
      direct;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_INSTANCEUNIFORMITY_H
