//===- ImplicitBarriers.cpp - Where cutting a leaf pays -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop moves outside if all instances run it alike and it is
//   - free of barriers, atomics and calls but for those of math functions that
//     wait to be inlined,
//   - not so short that LLVM unrolls it completely, nor a little longer with
//     math functions or divisors in it that are constants then, or without
//     accesses of what an instance has of its own,
//   - made of loops that move as well, or are that short, and
//   - better off: it carries a floating-point sum, which LLVM must not
//     reorder, or its accesses lie side by side along x.
// A sum over accesses that lie apart is better off in lanes, which read them
// once for the loops around it, and so are a loop that goes through an array of
// an instance's own, and one in which only some instances load what all of them
// share: lanes load that once, but vectors of a moved loop gather it.
//
//===----------------------------------------------------------------------===//

#include "ImplicitBarriers.h"
#include "../Item/ItemFunction.h"
#include "AffineId.h"

#include "sluice/Analysis/LeafLocks.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/CodeGen/InlineMath.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace sluice::codegen {

/// Loops of up to this many rounds are left for LLVM to unroll.
static constexpr unsigned shortLoop = 8;
/// So are those of up to this many instructions in all rounds, if that makes
/// math functions or divisors constants.
static constexpr unsigned shortMath = 400;
/// And of up to this many, if they compute with what is in registers then.
static constexpr unsigned shortWork = 150;

namespace {

class CutFinder {
public:
  CutFinder(Function &item, InstanceUniformity &uniformity,
            const ItemSignature &signature, bool leavesToLanes, bool hasColumns)
      : uniformity(uniformity), leavesToLanes(leavesToLanes),
        hasColumns(hasColumns), dependence(item), dominators(item),
        loops(dominators), assumptions(item),
        libraryImpl(item.getParent()->getTargetTriple()), library(libraryImpl),
        evolution(item, library, assumptions, dominators, loops),
        ownX(*item.getArg(signature.id(signature.numLevels - 1, 0))),
        ownY(*item.getArg(signature.id(signature.numLevels - 1, 1))) {}

  SmallVector<BasicBlock *> find() {
    SmallVector<BasicBlock *> cuts;
    for (Loop *nest : loops)
      if (!leavesToLanes || !(isScattered(*nest) || indexesOwn(*nest)))
        for (Loop *loop : nest->getLoopsInPreorder())
          if (isWorthCutting(*loop))
            loop->getExitingBlocks(cuts);
    return cuts;
  }

private:
  InstanceUniformity &uniformity;
  bool leavesToLanes;
  bool hasColumns;
  ControlDependence dependence;
  DominatorTree dominators;
  LoopInfo loops;
  AssumptionCache assumptions;
  TargetLibraryInfoImpl libraryImpl;
  TargetLibraryInfo library;
  ScalarEvolution evolution;
  const Argument &ownX, &ownY;

  bool isShort(Loop &loop) {
    unsigned rounds = evolution.getSmallConstantTripCount(&loop);
    // A loop that is left at its top begins one round more than it ends.
    if (rounds != 0 && loop.getExitingBlock() != loop.getLoopLatch())
      --rounds;
    return rounds != 0 && rounds <= shortLoop;
  }

  /// Instructions of all rounds, at most; nothing: not known.
  std::optional<unsigned> lengthOf(Loop &loop) {
    unsigned rounds = evolution.getSmallConstantMaxTripCount(&loop);
    unsigned length = 0;
    for (Loop *inner : loop) {
      std::optional<unsigned> own = lengthOf(*inner);
      if (!own)
        return std::nullopt;
      length += *own;
    }
    for (const BasicBlock *block : loop.blocks())
      if (loops.getLoopFor(block) == &loop)
        length += block->size();
    return rounds != 0 && uint64_t(rounds) * length <= shortMath
               ? std::optional(rounds * length)
               : std::nullopt;
  }

  /// A number that is another constant in each round.
  bool countsRounds(Value *number) {
    if (auto *cast = dyn_cast<CastInst>(number);
        cast && isa<SIToFPInst, UIToFPInst>(cast))
      number = cast->getOperand(0);
    if (!evolution.isSCEVable(number->getType()))
      return false;
    const SCEV *value = evolution.getSCEV(number);
    return !isa<SCEVConstant>(value) &&
           !SCEVExprContains(value, [](const SCEV *part) {
             return isa<SCEVUnknown, SCEVCouldNotCompute>(part);
           });
  }

  /// Unrolling makes constants of math functions, or of divisors.
  bool hasConstantMath(Loop &loop) {
    auto isMath = [&](const Instruction &instruction) {
      if (const auto *operation = dyn_cast<BinaryOperator>(&instruction))
        return (operation->isIntDivRem() ||
                operation->getOpcode() == Instruction::FDiv) &&
               countsRounds(operation->getOperand(1));
      const auto *call = dyn_cast<CallBase>(&instruction);
      return call && isLateMath(*call);
    };
    return any_of(loop.blocks(),
                  [&](const BasicBlock *block) {
                    return any_of(*block, isMath);
                  }) &&
           lengthOf(loop);
  }

  /// Unrolled, it needs no memory for what it carries, and instances run as
  /// vectors with as few registers as one of them has.
  bool isShortWork(Loop &loop) {
    std::optional<unsigned> length = lengthOf(loop);
    if (!loop.isInnermost() || !length || *length > shortWork)
      return false;
    return all_of(loop.blocks(), [&](const BasicBlock *block) {
      return all_of(*block, [&](const Instruction &instruction) {
        const Value *pointer = getLoadStorePointerOperand(&instruction);
        return !pointer || (idCoefficient(*pointer, ownX) == 0 &&
                            !isa<AllocaInst>(getUnderlyingObject(pointer)));
      });
    });
  }

  bool isRunAlike(const Loop &loop) {
    SmallVector<BasicBlock *> blocks;
    loop.getExitingBlocks(blocks);
    blocks.push_back(loop.getHeader());
    SmallVector<BasicBlock *> branches = dependence.allControllers(blocks);
    loop.getExitingBlocks(branches);
    return none_of(branches, [&](BasicBlock *block) {
      return uniformity.hasDivergentTerminator(*block);
    });
  }

  static bool isPlain(const Instruction &instruction) {
    if (instruction.isAtomic() || instruction.isVolatile() ||
        instruction.isEHPad() || isBarrier(instruction))
      return false;
    const auto *call = dyn_cast<CallBase>(&instruction);
    return !call || isa<IntrinsicInst>(call) || isLateMath(*call);
  }

  bool carriesFloatingPoint(const Loop &loop) {
    return any_of(loop.getHeader()->phis(), [&](const PHINode &phi) {
      return phi.getType()->isFPOrFPVectorTy() && !uniformity.isUniform(&phi);
    });
  }

  struct Accesses {
    unsigned number = 0;
    /// Accesses in which neighbouring instances access neighbouring elements or
    /// the same one. Accesses that do not depend on the row become contiguous
    /// when they are copied.
    unsigned numContiguous = 0;
    /// The accesses without those of elements that all instances of a row share
    /// and without those of private memory, which do not depend on the order of
    /// instances.
    unsigned numDistinct = 0, numDistinctContiguous = 0;
  };
  Accesses countAccesses(const Loop &loop) {
    Accesses result;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        const Value *pointer = getLoadStorePointerOperand(&instruction);
        if (!pointer)
          continue;
        int64_t size = instruction.getDataLayout().getTypeStoreSize(
            getLoadStoreType(&instruction));
        std::optional<int64_t> stride = idCoefficient(*pointer, ownX);
        bool isContiguous = (stride && (*stride == 0 || *stride == size)) ||
                            (hasColumns && isa<LoadInst>(instruction) &&
                             idCoefficient(*pointer, ownY) == 0);
        ++result.number;
        result.numContiguous += isContiguous;
        if (stride == 0 || isa<AllocaInst>(getUnderlyingObject(pointer)))
          continue;
        ++result.numDistinct;
        result.numDistinctContiguous += isContiguous;
      }
    return result;
  }

  /// Where instances go different ways with what all of them share, lanes are
  /// better: they read it once as well.
  bool isContiguousAlongX(const Loop &loop) {
    Accesses accesses = countAccesses(loop);
    bool isForLanes = leavesToLanes && accesses.numDistinct == 0 &&
                      any_of(loop.blocks(), [&](BasicBlock *block) {
                        return uniformity.hasDivergentTerminator(*block);
                      });
    return !isForLanes && 2 * accesses.numContiguous > accesses.number;
  }

  bool isScattered(const Loop &loop) {
    Accesses accesses = countAccesses(loop);
    return accesses.numDistinct != 0 &&
           2 * accesses.numDistinctContiguous <= accesses.numDistinct;
  }

  /// Memory of an instance's own is accessed at indices that unrolling does not
  /// make constants: it lies near in lanes, but apart for instances of a tile.
  bool indexesOwn(const Loop &loop) {
    auto isIndex = [&](const SCEV *part) {
      if (const auto *row = dyn_cast<SCEVAddRecExpr>(part))
        return !isShort(*const_cast<Loop *>(row->getLoop()));
      const auto *unknown = dyn_cast<SCEVUnknown>(part);
      return unknown && isa<Instruction>(unknown->getValue()) &&
             !isa<AllocaInst>(unknown->getValue());
    };
    return any_of(loop.blocks(), [&](BasicBlock *block) {
      return any_of(*block, [&](Instruction &instruction) {
        Value *pointer =
            const_cast<Value *>(getLoadStorePointerOperand(&instruction));
        return pointer && isa<AllocaInst>(getUnderlyingObject(pointer)) &&
               SCEVExprContains(evolution.getSCEV(pointer), isIndex);
      });
    });
  }

  /// Only some instances load what all of them share.
  bool loadsSharedForSome(const Loop &loop) {
    auto isShared = [&](const Instruction &instruction) {
      const auto *load = dyn_cast<LoadInst>(&instruction);
      return load && uniformity.isUniform(load->getPointerOperand());
    };
    auto isForSome = [&](BasicBlock *block) {
      return any_of(dependence.allControllers({block}),
                    [&](BasicBlock *branch) {
                      return loop.contains(branch) &&
                             uniformity.hasDivergentTerminator(*branch);
                    });
    };
    return any_of(loop.blocks(), [&](BasicBlock *block) {
      return any_of(*block, isShared) && isForSome(block);
    });
  }

  /// Something in the loop differs between instances.
  bool hasOwnWork(const Loop &loop) {
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block)
        if (!instruction.getType()->isVoidTy() &&
            !uniformity.isUniform(&instruction))
          return true;
    return false;
  }

  bool isCuttable(Loop &loop) {
    if (!loop.getLoopPreheader() || !isRunAlike(loop))
      return false;
    for (BasicBlock *block : loop.blocks())
      if (!all_of(*block, isPlain))
        return false;
    return all_of(loop, [&](Loop *inner) {
      return isShort(*inner) || isCuttable(*inner);
    });
  }

  bool isWorthCutting(Loop &loop) {
    if (isShort(loop) || !isCuttable(loop) || !hasOwnWork(loop) ||
        hasConstantMath(loop) || isShortWork(loop) ||
        (leavesToLanes && loadsSharedForSome(loop)))
      return false;
    return carriesFloatingPoint(loop) || isContiguousAlongX(loop);
  }
};

} // namespace

/// A function must not be cut if instances use memory of their thread, such as
/// `errno`, which the next instance would overwrite; if they hold locks, which
/// would block the next instance; or if they have arrays of variable length,
/// which are on the stack.
static bool mustStayWhole(const Function &item) {
  return takesTurns(item) ||
         any_of(instructions(item), [](const Instruction &instruction) {
           const auto *alloca = dyn_cast<AllocaInst>(&instruction);
           return isOfThread(instruction) ||
                  (alloca && !alloca->isStaticAlloca());
         });
}

SmallVector<BasicBlock *> findImplicitCuts(Function &item,
                                           InstanceUniformity &uniformity,
                                           const ItemSignature &signature,
                                           bool leavesToLanes,
                                           bool hasColumns) {
  if (mustStayWhole(item))
    return {};
  return CutFinder(item, uniformity, signature, leavesToLanes, hasColumns)
      .find();
}

} // namespace sluice::codegen
