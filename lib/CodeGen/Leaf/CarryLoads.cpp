//===- CarryLoads.cpp - Reusing loads of the previous instance ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   a = load P + x             first = load P + x0 - 1
//   b = load P + x - 1    ->   b = phi [first, before], [a, round before]
//                              a = load P + x
//
// Instances are independent: none writes what another one reads, so the values
// that the previous instance loaded are still in memory. An instance may write
// what it reads itself, so the loads must come before all its writes. LLVM
// turns such phis into shuffles.
//
// Measurements show that this pays off if most loads become shuffles, as in 3x3
// filters: a quarter of the time for 1024 x 1024. It does not pay off if only
// few loads do, as in stencils of neighbours along the axes; if shuffles depend
// on shuffles, as in wider filters; or in short rows. Neither does it pay off
// if vectors are shorter than a cache line: most of their loads then touch one
// line, wherever they begin.
//
//===----------------------------------------------------------------------===//

#include "CarryLoads.h"

#include "Group/InstanceLoops.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"

#include <map>

#define DEBUG_TYPE "sluice-carry-loads"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numCarried,
                         "Groups of loads that neighbouring instances share");

namespace sluice::codegen {

namespace {

/// Loads of one type whose addresses differ by these constants.
struct Neighbours {
  Type *type;
  const SCEVAddRecExpr *address;
  std::map<int64_t, LoadInst *> loads;
};

class LoadCarrier {
public:
  LoadCarrier(Loop &loop, ScalarEvolution &evolution,
              const TargetTransformInfo &target)
      : loop(loop), evolution(evolution), target(target) {}

  bool run();

private:
  Loop &loop;
  ScalarEvolution &evolution;
  const TargetTransformInfo &target;
  SmallVector<Neighbours> groups;

  /// Loads at more than three offsets would be shuffled again and again.
  static constexpr size_t longestRun = 3;
  static constexpr int64_t shortRow = 64;
  static constexpr unsigned cacheLine = 512; ///< in bits

  void find();
  void add(LoadInst &load);
  bool isCheap(Type *type) const;
  bool pays() const;
  Value *inFirstRound(Value *value);
  bool carry(const Neighbours &group);
};

} // namespace

/// Whether vectors are as long as a cache line, and a single instruction
/// combines the elements of two vectors.
bool LoadCarrier::isCheap(Type *type) const {
  unsigned width =
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue();
  unsigned bits = type->getScalarSizeInBits();
  if (bits == 0 || width < cacheLine)
    return false;
  auto *vector = FixedVectorType::get(type, width / bits);
  return target.getShuffleCost(TargetTransformInfo::SK_Splice, vector, vector,
                               {}, TargetTransformInfo::TCK_RecipThroughput,
                               -1) <= 1;
}

void LoadCarrier::add(LoadInst &load) {
  Type *type = load.getType();
  const auto *address =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(load.getPointerOperand()));
  if (!type->isFloatingPointTy() && !type->isIntegerTy())
    return;
  uint64_t size = load.getDataLayout().getTypeStoreSize(type);
  const auto *step =
      address && address->getLoop() == &loop && address->isAffine()
          ? dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution))
          : nullptr;
  if (!step || step->getAPInt() != size)
    return;
  for (Neighbours &group : groups) {
    if (group.type != type)
      continue;
    const auto *distance =
        dyn_cast<SCEVConstant>(evolution.getMinusSCEV(address, group.address));
    if (!distance)
      continue;
    group.loads.emplace(distance->getAPInt().getSExtValue(), &load);
    return;
  }
  groups.push_back({type, address, {{0, &load}}});
}

/// Finds loads that every round executes before it writes anything.
void LoadCarrier::find() {
  for (Instruction &instruction : *loop.getHeader()) {
    if (instruction.mayWriteToMemory() ||
        !isGuaranteedToTransferExecutionToSuccessor(&instruction))
      return;
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple() &&
        load->getMetadata(LLVMContext::MD_access_group))
      add(*load);
  }
}

static int64_t sizeOf(const Neighbours &group) {
  const LoadInst &load = *group.loads.begin()->second;
  return load.getDataLayout().getTypeStoreSize(group.type).getFixedValue();
}

bool LoadCarrier::pays() const {
  std::optional<int64_t> extent = instanceExtent(*loop.getLoopID());
  if (extent && *extent < shortRow)
    return false;
  size_t numLoads = 0, numCarried = 0;
  for (const BasicBlock *block : loop.blocks())
    numLoads += count_if(*block, [](const Instruction &instruction) {
      return isa<LoadInst>(instruction);
    });
  for (const Neighbours &group : groups) {
    size_t run = 1;
    for (const auto &[offset, load] : group.loads) {
      run = group.loads.count(offset - sizeOf(group)) ? run + 1 : 1;
      if (run > longestRun)
        return false;
      numCarried += run > 1;
    }
  }
  return numCarried > 0 && 2 * numCarried >= numLoads;
}

/// The address in the first round, computed before the loop; null if it depends
/// on more than numbers.
Value *LoadCarrier::inFirstRound(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !loop.contains(instruction))
    return value;
  BasicBlock *before = loop.getLoopPreheader();
  if (auto *phi = dyn_cast<PHINode>(instruction))
    return phi->getParent() == loop.getHeader()
               ? phi->getIncomingValueForBlock(before)
               : nullptr;
  if (!isa<GetElementPtrInst, BinaryOperator, CastInst>(instruction) ||
      instruction->isIntDivRem())
    return nullptr;
  SmallVector<Value *, 3> operands;
  for (Value *operand : instruction->operands()) {
    operands.push_back(inFirstRound(operand));
    if (!operands.back())
      return nullptr;
  }
  Instruction *copy = instruction->clone();
  for (auto [operand, own] : zip(copy->operands(), operands))
    operand.set(own);
  copy->insertBefore(before->getTerminator()->getIterator());
  return copy;
}

bool LoadCarrier::carry(const Neighbours &group) {
  BasicBlock *before = loop.getLoopPreheader();
  int64_t size = sizeOf(group);
  bool hasChanged = false;
  // From the highest address down, so that a carried value is carried on.
  std::map<int64_t, Value *> values(group.loads.begin(), group.loads.end());
  for (auto &[offset, value] : reverse(values)) {
    auto above = values.find(offset + size);
    if (above == values.end())
      continue;
    auto *load = cast<LoadInst>(value);
    Value *pointer = inFirstRound(load->getPointerOperand());
    if (!pointer)
      continue;
    auto *first = cast<LoadInst>(load->clone());
    first->setOperand(0, pointer);
    first->setMetadata(LLVMContext::MD_access_group, nullptr);
    first->insertBefore(before->getTerminator()->getIterator());
    PHINode *phi = PHINode::Create(group.type, 2, "carried");
    phi->insertBefore(loop.getHeader()->begin());
    phi->addIncoming(first, before);
    phi->addIncoming(above->second, loop.getLoopLatch());
    evolution.forgetValue(load);
    load->replaceAllUsesWith(phi);
    load->eraseFromParent();
    value = phi;
    hasChanged = true;
  }
  return hasChanged;
}

bool LoadCarrier::run() {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch() ||
      !loop.isAnnotatedParallel())
    return false;
  find();
  bool hasChanged = false;
  if (!pays())
    return false;
  for (const Neighbours &group : groups)
    if (isCheap(group.type) && carry(group)) {
      hasChanged = true;
      ++numCarried;
    }
  return hasChanged;
}

/// Remainders of rows: one or a few vectors. LLVM masks them only if nothing is
/// carried from one round to the next.
static bool isMasked(const Loop &loop) {
  return findStringMetadataForLoop(&loop,
                                   "llvm.loop.vectorize.predicate.enable")
      .has_value();
}

PreservedAnalyses CarryLoads::run(Function &function,
                                  FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  const auto &target = analyses.getResult<TargetIRAnalysis>(function);
  bool hasChanged = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && isInstanceLoop(loop->getLoopID()) &&
        !isMasked(*loop))
      hasChanged |= LoadCarrier(*loop, evolution, target).run();
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
