//===- OrderLoads.cpp - Loads in the order of their addresses -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run ends at any instruction that is neither a plain vector load nor an
// address computation, so no load passes a write or leaves its block.
//
//===----------------------------------------------------------------------===//

#include "OrderLoads.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#define DEBUG_TYPE "sluice-order-loads"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numSortedRuns,
                         "Runs of vector loads sorted by their addresses");

namespace sluice::codegen {

namespace {

struct OffsetLoad {
  LoadInst *load;
  const Value *base;
  int64_t offset;
  size_t position; ///< in the run
};

} // namespace

static OffsetLoad describe(LoadInst &load, size_t position) {
  const DataLayout &layout = load.getDataLayout();
  const Value *pointer = load.getPointerOperand();
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value *base =
      pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {&load, base, offset.getSExtValue(), position};
}

static bool isPlainVector(const LoadInst &load) {
  return load.isSimple() && load.getType()->isVectorTy();
}

/// Moves the loads of a run, in order, after its last instruction. Nothing in
/// the run uses their values: addresses do not depend on each other's loads.
static bool sortRun(SmallVectorImpl<OffsetLoad> &run, Instruction &end) {
  auto isBefore = [](const OffsetLoad &a, const OffsetLoad &b) {
    return std::tie(a.offset, a.position) < std::tie(b.offset, b.position);
  };
  bool hasWork = run.size() > 2 && !is_sorted(run, isBefore);
  if (hasWork) {
    ++numSortedRuns;
    sort(run, isBefore);
    for (const OffsetLoad &entry : run)
      entry.load->moveBefore(end.getIterator());
  }
  run.clear();
  return hasWork;
}

/// True if `instruction` uses the value of a load of the run.
static bool dependsOn(const Instruction &instruction,
                      ArrayRef<OffsetLoad> run) {
  return any_of(instruction.operands(), [&](const Use &operand) {
    return any_of(run, [&](const OffsetLoad &entry) {
      return operand.get() == entry.load;
    });
  });
}

PreservedAnalyses OrderLoads::run(Function &function,
                                  FunctionAnalysisManager &) {
  bool hasChanged = false;
  SmallVector<OffsetLoad> found;
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (load && isPlainVector(*load) && !dependsOn(*load, found)) {
        if (!found.empty() && found.front().base != describe(*load, 0).base)
          hasChanged |= sortRun(found, instruction);
        found.push_back(describe(*load, found.size()));
        continue;
      }
      bool continues =
          isa<GetElementPtrInst>(instruction) && !dependsOn(instruction, found);
      if (!continues)
        hasChanged |= sortRun(found, instruction);
    }
  return hasChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
