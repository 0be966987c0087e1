//===- EffectsCollector.h - Collects accesses of a leaf ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over a prepared leaf, in three files: CollectEffects.cpp names the
// memory of each access, CollectCalls.cpp adds the accesses of calls, and
// CollectOutputs.cpp the values that the leaf passes on.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_EFFECTS_EFFECTSCOLLECTOR_H
#define SLUICE_LIB_ANALYSIS_RACE_EFFECTS_EFFECTSCOLLECTOR_H

#include "LeafAddresses.h"
#include "LeafAssumptions.h"
#include "LeafEffects.h"
#include "LeafGuards.h"
#include "sluice/Analysis/LeafReductions.h"
#include "sluice/Analysis/LibraryCalls.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IntrinsicInst.h"

#include <set>

namespace sluice::races {

/// Lists the accesses of a leaf to memory that others may see.
class EffectsCollector {
public:
  EffectsCollector(llvm::Function &leaf,
                   llvm::ArrayRef<unsigned> divergentArguments,
                   llvm::FunctionAnalysisManager &analyses)
      : leaf(leaf), divergentArguments(divergentArguments),
        layout(leaf.getDataLayout()), analyses(analyses),
        values(leaf, analyses), conditions(leaf, values),
        assumptions(leaf, values),
        library(analyses.getResult<llvm::TargetLibraryAnalysis>(leaf)),
        guards(leaf, values, library) {}

  LeafEffects run();

private:
  /// The kinds of access that one instruction makes through one pointer.
  struct Use {
    bool isRead = false, isWrite = false, isAtomic = false;
    /// LeafAccess::update.
    llvm::StringRef update = {};
  };

  void visit(llvm::Instruction &instruction);
  void visitCall(llvm::CallBase &call);
  void visitTransfer(llvm::MemIntrinsic &transfer);
  void addReduction(llvm::CallBase &call, const LeafReduction &reduction);
  void addAccess(llvm::Instruction &instruction, llvm::Value *pointer, Use use,
                 llvm::TypeSize size);
  void addPart(llvm::Instruction &instruction, llvm::Value *pointer,
               const llvm::Value *object, Use use, bool isOnlyObject,
               const LeafAccess &form);
  void addArguments(llvm::CallBase &call, llvm::StringRef callee);
  std::optional<Polynomial> countOf(llvm::CallBase &call, unsigned argument,
                                    bool isLimit);
  void addLibraryUse(llvm::CallBase &call, const LibraryUse &use);
  void addLibraryCall(llvm::CallBase &call, const LibraryCall &known);
  void addUnknown(llvm::Instruction &instruction, std::string reason);
  void push(llvm::Instruction &instruction, LeafAccess access, Use use);
  bool nameMemory(const llvm::Value &object, LeafMemory &memory,
                  std::string &reason);
  bool followPointer(const llvm::Value &object, LeafAccess &access);
  unsigned mallocNumber(const llvm::CallBase &call);
  void collectOutputs();
  std::optional<Polynomial> outputValue(unsigned index);
  void collectOutput(llvm::Value *value, unsigned index,
                     std::set<LeafMemory> &memories,
                     llvm::SmallPtrSetImpl<llvm::Value *> &seen);

  llvm::Function &leaf;
  llvm::ArrayRef<unsigned> divergentArguments;
  const llvm::DataLayout &layout;
  llvm::FunctionAnalysisManager &analyses;
  LeafValues values;
  LeafConditions conditions;
  LeafAssumptions assumptions;
  const llvm::TargetLibraryInfo &library;
  LeafGuards guards;
  LeafEffects effects;
  std::vector<const llvm::Instruction *> origins;
  llvm::DenseMap<const llvm::CallBase *, unsigned> mallocs;
  /// The current access covers this many bytes from its offset on.
  std::optional<Polynomial> transferLength;
  unsigned numTransfers = 0;
};

/// The operator of an atomic operation that commutes with its like; empty for
/// others.
llvm::StringRef operatorNamed(llvm::StringRef operation);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_EFFECTS_EFFECTSCOLLECTOR_H
