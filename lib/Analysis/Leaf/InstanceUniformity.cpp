//===- InstanceUniformity.cpp - Values that instances share ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs LLVM's generic uniformity analysis with a custom TargetTransformInfo,
// since that of a CPU considers every value uniform.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/InstanceUniformity.h"
#include "sluice/Analysis/LeafMemory.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"

using namespace llvm;

namespace sluice {

namespace {

class InstanceTarget final : public TargetTransformInfoImplBase {
public:
  InstanceTarget(const DataLayout &layout, UniformityOracle oracle)
      : TargetTransformInfoImplBase(layout), oracle(std::move(oracle)) {}

  bool hasBranchDivergence(const Function *) const override { return true; }

  InstructionUniformity
  getInstructionUniformity(const Value *value) const override {
    return oracle(*value);
  }

private:
  UniformityOracle oracle;
};

} // namespace

static bool hasCapturedAlloca(const Function &function) {
  for (const Instruction &instruction : instructions(function))
    if (isa<AllocaInst>(instruction) &&
        PointerMayBeCaptured(&instruction, /*ReturnCaptures=*/true))
      return true;
  return false;
}

/// The address may lie in memory that is private to each instance.
static bool mayPointToPrivate(const Value *pointer, const Function &function) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects);
  for (const Value *object : objects) {
    if (isa<AllocaInst>(object) || isOfThread(*object))
      return true;
    if (!isa<Argument, GlobalVariable>(object) && hasCapturedAlloca(function))
      return true;
  }
  return false;
}

InstructionUniformity memoryUniformity(const Instruction &instruction) {
  if (isa<AllocaInst, AtomicRMWInst, AtomicCmpXchgInst, VAArgInst>(instruction))
    return InstructionUniformity::NeverUniform;
  if (instruction.isEHPad())
    return InstructionUniformity::NeverUniform;
  if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    bool mayDiffer =
        !load->isSimple() ||
        mayPointToPrivate(load->getPointerOperand(), *load->getFunction());
    return mayDiffer ? InstructionUniformity::NeverUniform
                     : InstructionUniformity::Default;
  }
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call || call->doesNotAccessMemory())
    return InstructionUniformity::Default;
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(call))
    if (intrinsic->isAssumeLikeIntrinsic())
      return InstructionUniformity::Default;
  return InstructionUniformity::NeverUniform;
}

InstanceUniformity::InstanceUniformity(Function &function,
                                       UniformityOracle oracle) {
  analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return DominatorTreeAnalysis(); });
  analyses.registerPass([] { return CycleAnalysis(); });
  analyses.registerPass([] { return UniformityInfoAnalysis(); });
  analyses.registerPass([oracle = std::move(oracle)] {
    return TargetIRAnalysis([oracle](const Function &asked) {
      return TargetTransformInfo(std::make_unique<InstanceTarget>(
          asked.getParent()->getDataLayout(), oracle));
    });
  });
  info = &analyses.getResult<UniformityInfoAnalysis>(function);
}

namespace {

/// While control dependence is computed, hides edges to code that never reaches
/// the function's return (it ends in `unreachable` or `resume`): an instance
/// that stops there must not make later code depend on it.
class IgnoreDeadEnds {
public:
  explicit IgnoreDeadEnds(Function &function) {
    SmallPtrSet<BasicBlock *, 16> returning = findReturning(function);
    for (BasicBlock *block : returning) {
      Instruction *end = block->getTerminator();
      BasicBlock *alternative = nullptr;
      for (BasicBlock *successor : successors(block))
        if (returning.contains(successor))
          alternative = successor;
      for (unsigned i = 0; i < end->getNumSuccessors(); ++i) {
        if (returning.contains(end->getSuccessor(i)))
          continue;
        hidden.push_back({end, i, end->getSuccessor(i)});
        end->setSuccessor(i, alternative);
      }
    }
  }
  ~IgnoreDeadEnds() {
    for (auto [end, number, successor] : hidden)
      end->setSuccessor(number, successor);
  }

private:
  SmallVector<std::tuple<Instruction *, unsigned, BasicBlock *>> hidden;

  static SmallPtrSet<BasicBlock *, 16> findReturning(Function &function) {
    SmallPtrSet<BasicBlock *, 16> result;
    SmallVector<BasicBlock *> worklist;
    for (BasicBlock &block : function)
      if (isa<ReturnInst>(block.getTerminator()))
        worklist.push_back(&block);
    while (!worklist.empty()) {
      BasicBlock *block = worklist.pop_back_val();
      if (result.insert(block).second)
        append_range(worklist, predecessors(block));
    }
    return result;
  }
};

} // namespace

ControlDependence::ControlDependence(Function &function) {
  IgnoreDeadEnds scope(function);
  PostDominatorTree postDominators(function);
  for (BasicBlock &block : function) {
    if (block.getTerminator()->getNumSuccessors() < 2)
      continue;
    const DomTreeNode *own = postDominators.getNode(&block);
    if (!own)
      continue;
    for (BasicBlock *successor : successors(&block)) {
      const DomTreeNode *node = postDominators.getNode(successor);
      for (; node && node != own->getIDom(); node = node->getIDom()) {
        if (!node->getBlock())
          break;
        auto &controllers = direct[node->getBlock()];
        if (!is_contained(controllers, &block))
          controllers.push_back(&block);
      }
    }
  }
}

ArrayRef<BasicBlock *>
ControlDependence::controllers(const BasicBlock *block) const {
  auto found = direct.find(block);
  if (found == direct.end())
    return {};
  return found->second;
}

SmallVector<BasicBlock *>
ControlDependence::allControllers(ArrayRef<BasicBlock *> blocks) const {
  SmallSetVector<BasicBlock *, 8> result;
  SmallVector<BasicBlock *> worklist(blocks);
  while (!worklist.empty())
    for (BasicBlock *controller : controllers(worklist.pop_back_val()))
      if (result.insert(controller))
        worklist.push_back(controller);
  return SmallVector<BasicBlock *>(result.begin(), result.end());
}

} // namespace sluice
