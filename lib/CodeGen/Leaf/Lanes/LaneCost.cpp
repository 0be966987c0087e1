//===- LaneCost.cpp - Whether lanes pay, and how many ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where LLVM makes vectors of a loop inside, an instance alone is that much
// faster.
//
//===----------------------------------------------------------------------===//

#include "LaneCost.h"

#include "../Hints/Extremes.h"

#include "LaneLoop.h"
#include "LaneWalks.h"

#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace sluice::codegen {

/// Rounds of a loop, where nothing is known.
static constexpr double usualRounds = 10;
/// The cost of a round of a loop in which some lanes wait for others, relative
/// to a round that all lanes run.
static constexpr double waiting = 1.5;
/// The estimated speedup that lanes must have.
static constexpr double margin = 1.25;
/// The estimated speedup from which on lanes are faster even if estimates are
/// wrong.
static constexpr double certainly = 2.5;
/// The least cost of a lane that reads or writes its own place: higher than
/// LLVM's estimate for some processors.
static constexpr unsigned scattered = 2;
/// The same for private memory. A lane soon loads values that it has stored
/// there, and loads of vectors wait for stores of elements, and vice versa.
static constexpr unsigned gatheredOwn = 4, scatteredOwn = 6;
/// Instructions of a leaf, above which there is no second copy for lanes.
static constexpr unsigned largest = 2000;
/// Vectors that loops carry, up to which two for each value fit registers.
static constexpr unsigned fewCarried = 6;

/// Bytes that the variables of all lanes take: as much as is near.
static constexpr uint64_t mostPrivate = 32 * 1024;

/// Elements that loads step on by, up to which LLVM loads all of them and
/// shuffles.
static constexpr uint64_t mostShuffled = 4;

/// Of what LLVM makes a vector by itself, since rounds can be counted and
/// reordered, and memory is read in order: the elements that loads step on by
/// at most. Else 0.
static unsigned stepInside(Loop &loop, ScalarEvolution &evolution) {
  unsigned result = 1;
  if (!evolution.hasLoopInvariantBackedgeTakenCount(&loop))
    return 0;
  const bool looks = looksInAnyOrder(loop, evolution);
  for (PHINode &phi : loop.getHeader()->phis()) {
    InductionDescriptor induction;
    RecurrenceDescriptor recurrence;
    if (!looks &&
        !InductionDescriptor::isInductionPHI(&phi, &loop, &evolution,
                                             induction) &&
        (!RecurrenceDescriptor::isReductionPHI(&phi, &loop, recurrence) ||
         recurrence.hasExactFPMath()))
      return 0;
  }
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      const Value *pointer = getLoadStorePointerOperand(&instruction);
      if (!pointer)
        continue;
      const SCEV *address = evolution.getSCEV(const_cast<Value *>(pointer));
      if (evolution.isLoopInvariant(address, &loop))
        continue;
      const auto *sum = dyn_cast<SCEVAddRecExpr>(address);
      const auto *step =
          sum && sum->getLoop() == &loop && sum->isAffine()
              ? dyn_cast<SCEVConstant>(sum->getStepRecurrence(evolution))
              : nullptr;
      const uint64_t size = instruction.getDataLayout().getTypeAllocSize(
          getLoadStoreType(&instruction));
      const uint64_t most = isa<LoadInst>(instruction) ? mostShuffled : 1;
      if (!step || step->isZero() || step->getAPInt().abs().ugt(most * size) ||
          step->getAPInt().abs().urem(size) != 0)
        return 0;
      result = std::max<unsigned>(
          result, step->getAPInt().abs().udiv(size).getZExtValue());
    }
  return result;
}

namespace {

class CostModel {
public:
  CostModel(const LaneRegions &regions, const LaneShapes &shapes,
            const LaneRows &rows, const TargetTransformInfo &target,
            ScalarEvolution &evolution)
      : regions(regions), shapes(shapes), rows(rows), target(target),
        evolution(evolution) {
    for (Loop *loop : regions.outer().getLoopsInPreorder())
      if (loop != &regions.outer())
        inside[loop] = describe(*loop);
  }

  unsigned registerBits() const {
    return target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
        .getFixedValue();
  }
  unsigned widestBits() const;
  unsigned numCarried() const;
  unsigned numInstructions() const {
    unsigned result = 0;
    for (const BasicBlock *block : regions.blocks())
      result += block->size();
    return result;
  }
  /// Whether LLVM adds up numbers in another order than lanes would: then the
  /// sums of an instance would depend on where its neighbours are cut off.
  bool addsInAnyOrder() const {
    return any_of(inside,
                  [](const auto &own) { return own.second.addsInAnyOrder; });
  }
  double weight(const BasicBlock &block) const;
  /// Whether data say how many rounds lanes wait for others, or where they
  /// access memory, perhaps each for what it has just loaded.
  bool dependsOnData() const;
  /// The costs of all rounds of the loop; nothing if the target cannot run it.
  std::optional<double> scalar() const;
  std::optional<double> vector(unsigned numLanes) const;

private:
  static constexpr auto kind = TargetTransformInfo::TCK_RecipThroughput;

  const LaneRegions &regions;
  const LaneShapes &shapes;
  const LaneRows &rows;
  const TargetTransformInfo &target;
  ScalarEvolution &evolution;
  /// The rounds of an inner loop, and how many of them LLVM runs at once.
  struct Inside {
    double rounds = usualRounds, atOnce = 1;
    bool addsInAnyOrder = false;
  };
  DenseMap<const Loop *, Inside> inside;

  Inside describe(Loop &loop) const;
  double neighboursStored(const BasicBlock &block) const;
  InstructionCost laneCost(const Instruction &instruction,
                           unsigned numLanes) const;
  InstructionCost accessCost(const Instruction &access,
                             unsigned numLanes) const;
  InstructionCost selectCost(Type *type) const {
    return target.getCmpSelInstrCost(
        Instruction::Select, type,
        VectorType::get(Type::getInt1Ty(type->getContext()),
                        cast<VectorType>(type)),
        CmpInst::BAD_ICMP_PREDICATE, kind);
  }
};

} // namespace

double CostModel::weight(const BasicBlock &block) const {
  double result = 1;
  for (Loop *loop = regions.loopOf(&block); loop != &regions.outer();
       loop = loop->getParentLoop())
    result *= inside.lookup(loop).rounds;
  return result;
}

CostModel::Inside CostModel::describe(Loop &loop) const {
  Inside result;
  const unsigned rounds = evolution.getSmallConstantTripCount(&loop);
  if (rounds)
    result.rounds = rounds;
  const unsigned step = loop.isInnermost() ? stepInside(loop, evolution) : 0;
  if (step == 0)
    return result;
  unsigned widest = 8;
  const DataLayout &layout = loop.getHeader()->getDataLayout();
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (getLoadStorePointerOperand(&instruction) ||
          instruction.getType()->isFloatingPointTy())
        widest = std::max(widest, unsigned(layout.getTypeSizeInBits(
                                      isa<StoreInst>(instruction)
                                          ? instruction.getOperand(0)->getType()
                                          : instruction.getType())));
  for (PHINode &phi : loop.getHeader()->phis()) {
    RecurrenceDescriptor recurrence;
    if (!RecurrenceDescriptor::isReductionPHI(&phi, &loop, recurrence))
      continue;
    widest =
        std::max(widest, unsigned(layout.getTypeSizeInBits(phi.getType())));
    result.addsInAnyOrder |= phi.getType()->isFloatingPointTy() &&
                             !RecurrenceDescriptor::isMinMaxRecurrenceKind(
                                 recurrence.getRecurrenceKind());
  }
  // What is not known may be many: vectors of rows that turn out to be short
  // lose less than lanes of rows that turn out to be long.
  const double atOnce = registerBits() / widest / step;
  result.atOnce =
      std::max(1.0, rounds ? std::min(atOnce, result.rounds) : atOnce);
  return result;
}

/// The widest value that is loaded, stored, carried or computed, except for
/// addresses.
unsigned CostModel::widestBits() const {
  unsigned widest = 8;
  const DataLayout &layout =
      regions.outer().getHeader()->getModule()->getDataLayout();
  auto count = [&](Type *type, unsigned atMost) {
    unsigned bits = layout.getTypeSizeInBits(type);
    widest = std::max(widest, std::min(bits, atMost));
  };
  for (const BasicBlock *block : regions.blocks())
    for (const Instruction &instruction : *block) {
      if (const auto *store = dyn_cast<StoreInst>(&instruction))
        count(store->getValueOperand()->getType(), 64);
      else if (instruction.getType()->isVoidTy() ||
               !shapes.isVarying(&instruction))
        continue;
      else if (isa<LoadInst, PHINode>(instruction) ||
               instruction.getType()->isFloatingPointTy())
        count(instruction.getType(), 64);
      else if (isa<BinaryOperator>(instruction))
        count(instruction.getType(), 32);
    }
  return widest;
}

/// The largest number of vectors that one of the loops carries.
unsigned CostModel::numCarried() const {
  unsigned most = 0;
  for (const BasicBlock *block : regions.blocks()) {
    const Loop *loop = regions.loopOf(block);
    if (loop == &regions.outer() || loop->getHeader() != block)
      continue;
    unsigned own = 0;
    for (const PHINode &phi : block->phis())
      own += shapes.isVarying(&phi);
    most = std::max(most, own);
  }
  return most;
}

bool CostModel::dependsOnData() const {
  return any_of(regions.blocks(), [&](const BasicBlock *block) {
    const Loop *loop = regions.loopOf(block);
    return (loop != &regions.outer() && shapes.isDivergent(loop)) ||
           any_of(*block, [&](const Instruction &instruction) {
             const Value *pointer = getLoadStorePointerOperand(&instruction);
             return pointer && shapes.isVarying(pointer);
           });
  });
}

/// Code that ends in elements stored side by side LLVM makes vectors of: how
/// many of them at once.
double CostModel::neighboursStored(const BasicBlock &block) const {
  const Value *base = nullptr;
  int64_t next = 0;
  unsigned run = 0, longest = 0, size = 1;
  const DataLayout &layout = block.getDataLayout();
  SmallVector<std::pair<const Value *, int64_t>> places;
  for (const Instruction &instruction : block) {
    const auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store)
      continue;
    int64_t offset = 0;
    base = GetPointerBaseWithConstantOffset(store->getPointerOperand(), offset,
                                            layout);
    size = layout.getTypeStoreSize(store->getValueOperand()->getType());
    places.push_back({base, offset});
  }
  sort(places);
  base = nullptr;
  for (auto [own, offset] : places) {
    run = own == base && offset == next ? run + 1 : 1;
    base = own;
    next = offset + size;
    longest = std::max(longest, run);
  }
  return longest < 4
             ? 1
             : std::min(bit_floor(longest), registerBits() / 8 / size) / 2;
}

std::optional<double> CostModel::scalar() const {
  double result = 0;
  for (const BasicBlock *block : regions.blocks()) {
    InstructionCost sum = 0;
    for (const Instruction &instruction : *block)
      sum += target.getInstructionCost(&instruction, kind);
    if (!sum.isValid())
      return std::nullopt;
    double atOnce = std::max(inside.lookup(regions.loopOf(block)).atOnce,
                             neighboursStored(*block));
    result += weight(*block) * double(sum.getValue()) / atOnce;
  }
  return result;
}

InstructionCost CostModel::accessCost(const Instruction &access,
                                      unsigned numLanes) const {
  const Value *pointer = getLoadStorePointerOperand(&access);
  Type *element = getLoadStoreType(&access);
  Type *type = FixedVectorType::get(element, numLanes);
  Align alignment = getLoadStoreAlignment(&access);
  bool isLoad = isa<LoadInst>(access);
  bool isMasked = !shapes.isForAll(access.getParent());
  int64_t size = access.getDataLayout().getTypeAllocSize(element);
  std::optional<int64_t> stride = shapes.stride(pointer);
  bool isPrivate = shapes.ownMemory().contains(pointer);
  if (isPrivate && stride == 0) {
    auto cost = [&](unsigned opcode) {
      return target.getMemoryOpCost(opcode, type, alignment, 0, kind);
    };
    return isLoad || !isMasked ? cost(access.getOpcode())
                               : cost(Instruction::Load) + selectCost(type) +
                                     cost(Instruction::Store);
  }
  if (const LaneRow *row = rows.rowOf(access))
    return InstructionCost(int64_t(std::ceil(rows.cost(*row, numLanes))));
  if (isPrivate || (stride != size && stride != -size))
    return std::max(
        InstructionCost(numLanes * (!isPrivate ? scattered
                                    : isLoad   ? gatheredOwn
                                               : scatteredOwn)),
        target.getMemIntrinsicInstrCost(
            MemIntrinsicCostAttributes(isLoad ? Intrinsic::masked_gather
                                              : Intrinsic::masked_scatter,
                                       type, pointer, isMasked, alignment),
            kind));
  if (!isMasked)
    return target.getMemoryOpCost(access.getOpcode(), type, alignment, 0, kind);
  return target.getMemIntrinsicInstrCost(
      MemIntrinsicCostAttributes(isLoad ? Intrinsic::masked_load
                                        : Intrinsic::masked_store,
                                 type, alignment),
      kind);
}

InstructionCost CostModel::laneCost(const Instruction &instruction,
                                    unsigned numLanes) const {
  if (instruction.isTerminator())
    return shapes.isDivergent(instruction.getParent()) ? 2 : 1;
  if (isa<StoreInst>(instruction) ||
      (isa<LoadInst>(instruction) && shapes.isVarying(&instruction)))
    return accessCost(instruction, numLanes);
  if (instruction.getType()->isVoidTy() || !shapes.isVarying(&instruction))
    return target.getInstructionCost(&instruction, kind);
  Type *type = FixedVectorType::get(instruction.getType(), numLanes);
  if (isa<BinaryOperator, UnaryOperator>(instruction))
    return target.getArithmeticInstrCost(instruction.getOpcode(), type, kind);
  if (const auto *compare = dyn_cast<CmpInst>(&instruction))
    return target.getCmpSelInstrCost(
        instruction.getOpcode(),
        FixedVectorType::get(compare->getOperand(0)->getType(), numLanes), type,
        compare->getPredicate(), kind);
  if (isa<SelectInst>(instruction))
    return selectCost(type);
  if (const auto *phi = dyn_cast<PHINode>(&instruction)) {
    const Loop *loop = regions.loopOf(phi->getParent());
    return loop->getHeader() == phi->getParent() ? InstructionCost(0)
                                                 : selectCost(type);
  }
  if (const auto *cast = dyn_cast<CastInst>(&instruction))
    return target.getCastInstrCost(
        cast->getOpcode(), type,
        FixedVectorType::get(cast->getSrcTy(), numLanes),
        TargetTransformInfo::CastContextHint::None, kind);
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    SmallVector<Type *> types;
    for (const Value *operand : call->args())
      types.push_back(FixedVectorType::get(operand->getType(), numLanes));
    return target.getIntrinsicInstrCost(
        IntrinsicCostAttributes(call->getIntrinsicID(), type, types), kind);
  }
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return InstructionCost(variantFor(*call, numLanes) ? 4 : 10 * numLanes);
  return 1; // addresses, which gathers compute, and `freeze`
}

std::optional<double> CostModel::vector(unsigned numLanes) const {
  double result = 0;
  for (const BasicBlock *block : regions.blocks()) {
    InstructionCost sum = 0;
    for (const Instruction &instruction : *block)
      sum += laneCost(instruction, numLanes);
    const Loop *loop = regions.loopOf(block);
    bool isWaiting = loop != &regions.outer() && shapes.isDivergent(loop);
    if (isWaiting && loop->getHeader() == block)
      sum += 3;
    if (!sum.isValid())
      return std::nullopt;
    result +=
        weight(*block) * double(sum.getValue()) * (isWaiting ? waiting : 1);
  }
  return result;
}

std::optional<LaneChoice>
chooseLanes(const LaneRegions &regions, const LaneShapes &shapes,
            const LaneRows &rows, const TargetTransformInfo &target,
            ScalarEvolution &evolution, unsigned wanted, LaneRefusal &refusal,
            bool isPrepared) {
  auto refuse = [&](const Twine &reason) {
    refusal = {reason.str()};
    return std::nullopt;
  };
  CostModel model(regions, shapes, rows, target, evolution);
  if (wanted)
    return LaneChoice{wanted, 2};
  if (model.numInstructions() > largest)
    return refuse("an instance has " + Twine(model.numInstructions()) +
                  " instructions, and lanes pay up to " + Twine(largest));
  if (model.addsInAnyOrder())
    return refuse("a loop in it may add in any order and becomes a vector "
                  "itself");
  unsigned numLanes = model.registerBits() / model.widestBits();
  if (numLanes < 2)
    return refuse("a vector of this processor holds one of its numbers");
  if (numLanes <= 32 && model.numCarried() <= fewCarried &&
      rows.fitRegisters(2 * numLanes))
    numLanes *= 2;
  while (shapes.ownMemory().numBytes() * numLanes > mostPrivate)
    numLanes /= 2;
  unsigned rounds = evolution.getSmallConstantTripCount(&regions.outer());
  while (rounds != 0 && numLanes > rounds)
    numLanes /= 2;
  if (numLanes < 2)
    return refuse(rounds == 1 ? "there is one instance in a row"
                              : "its variables in memory are too large");
  std::optional<double> scalar = model.scalar();
  std::optional<double> vector = model.vector(numLanes);
  if (!scalar || !vector)
    return refuse("this processor cannot do all of it with vectors");
  LaneWalks walks(regions, shapes, rows, target, evolution);
  auto weight = [&](const BasicBlock &block) { return model.weight(block); };
  *scalar += walks.waiting(weight);
  *vector += walks.extra(numLanes, weight);
  const double needed = isPrepared ? 1 : margin;
  if (*vector * needed > *scalar * numLanes)
    return refuse("vectors of " + Twine(numLanes) + " lanes would take " +
                  Twine(unsigned(100 * *vector / (*scalar * numLanes))) +
                  " % of the time, and pay below " +
                  Twine(unsigned(100 / needed)) + " %");
  bool isCertain =
      *vector * certainly <= *scalar * numLanes && !model.dependsOnData();
  // With lanes off, stores of rows are scattered, element by element.
  const unsigned fewest =
      rows.storeApart() ? numLanes : unsigned(*vector / *scalar) + 1;
  return LaneChoice{numLanes, fewest, isCertain,
                    *vector / (*scalar * numLanes)};
}

double partOf(const Loop &inside, const Loop &around, const LoopInfo &loops,
              const TargetTransformInfo &target, ScalarEvolution &evolution) {
  double part = 0, all = 0;
  for (const BasicBlock *block : around.blocks()) {
    double time = 0;
    for (const Instruction &instruction : *block)
      if (InstructionCost cost = target.getInstructionCost(
              &instruction, TargetTransformInfo::TCK_RecipThroughput);
          cost.isValid())
        time += double(cost.getValue());
    for (const Loop *loop = loops.getLoopFor(block); loop != &around;
         loop = loop->getParentLoop()) {
      const unsigned rounds = evolution.getSmallConstantTripCount(loop);
      time *= rounds ? rounds : usualRounds;
    }
    all += time;
    part += inside.contains(block) ? time : 0;
  }
  return all == 0 ? 0 : part / all;
}

} // namespace sluice::codegen
