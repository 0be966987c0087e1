//===- ReductionHints.cpp - Reductions that nobody declared ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for the one operator by which a leaf updates memory, and does nothing
// else with it.
//
//===----------------------------------------------------------------------===//

#include "ReductionHints.h"

#include "sluice/Analysis/ReductionUses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace sluice;
using namespace sluice::races;

/// True if a value that is compared with an element of `memory` is stored there
/// if it is greater: `if (value > *memory) *memory = value`.
static bool isMaximum(const llvm::Argument &memory) {
  for (const llvm::Instruction &instruction :
       llvm::instructions(*memory.getParent())) {
    const auto *compare = llvm::dyn_cast<llvm::CmpInst>(&instruction);
    if (!compare)
      continue;
    auto isElement = [&](const llvm::Value *value) {
      const auto *load = llvm::dyn_cast<llvm::LoadInst>(value);
      return load &&
             llvm::getUnderlyingObject(load->getPointerOperand()) == &memory;
    };
    bool isLeft = isElement(compare->getOperand(0));
    if (!isLeft && !isElement(compare->getOperand(1)))
      continue;
    llvm::CmpInst::Predicate predicate =
        isLeft ? compare->getSwappedPredicate() : compare->getPredicate();
    bool isGreater =
        llvm::is_contained({llvm::CmpInst::FCMP_OGT, llvm::CmpInst::FCMP_OGE,
                            llvm::CmpInst::FCMP_UGT, llvm::CmpInst::FCMP_UGE,
                            llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_SGE,
                            llvm::CmpInst::ICMP_UGT, llvm::CmpInst::ICMP_UGE},
                           predicate);
    // Stored, or chosen, where the comparison holds, or where it does not.
    for (const llvm::User *user : compare->users()) {
      if (const auto *select = llvm::dyn_cast<llvm::SelectInst>(user))
        return isGreater != isElement(select->getTrueValue());
      const auto *branch = llvm::dyn_cast<llvm::BranchInst>(user);
      if (!branch || !branch->isConditional())
        continue;
      bool storesIfTrue = llvm::any_of(
          *branch->getSuccessor(0), [&](const llvm::Instruction &next) {
            const auto *store = llvm::dyn_cast<llvm::StoreInst>(&next);
            return store && llvm::getUnderlyingObject(
                                store->getPointerOperand()) == &memory;
          });
      return isGreater == storesIfTrue;
    }
  }
  return false;
}

static std::string declarationFor(const PlacedAccess &access) {
  using Op = LeafReduction::Op;
  if (access.access->memory.kind != LeafMemory::Kind::Parameter ||
      access.origins.empty())
    return "";
  const llvm::Function &leaf = *access.origins.front()->getFunction();
  unsigned number = access.access->memory.index;
  if (number >= leaf.arg_size() || hasReductions(leaf))
    return "";
  auto nameOf = [&](unsigned number, llvm::StringRef other) {
    return number < leaf.arg_size() && leaf.getArg(number)->hasName()
               ? leaf.getArg(number)->getName()
               : other;
  };
  for (Op op :
       {Op::Sum, Op::Product, Op::Min, Op::Max, Op::And, Op::Or, Op::Xor}) {
    LeafReduction reduction;
    reduction.memory = leaf.getArg(number);
    reduction.op = op;
    if (findReductionMisuses(reduction).empty() &&
        (op != Op::Min || !isMaximum(*reduction.memory)))
      return ("sluice_reduce(" + nameOf(number, "memory") + ", " +
              nameOf(number + 1, "bytes") + ", SLUICE_" +
              spellReduction(op).upper() + ")")
          .str();
  }
  return "";
}

const std::string &races::declarationOf(Explorer &explorer,
                                        const PlacedAccess &access) {
  static const std::string none;
  if (access.access->memory.kind != LeafMemory::Kind::Parameter ||
      access.origins.empty())
    return none;
  auto [known, isNew] = explorer.declarations.try_emplace(
      {access.origins.front()->getFunction(), access.access->memory.index});
  if (isNew)
    known->second = declarationFor(access);
  return known->second;
}

bool races::isAccumulation(const PlacedAccesses &accesses, Explorer &explorer,
                           const TreeNode &first, const PlacedAccess &a,
                           const TreeNode &second, const PlacedAccess &b,
                           const Relation &relation) {
  auto mayCount = [](const PlacedAccess &access) {
    if (access.offset)
      return !access.isCertain &&
             !access.offset->containsAny([](const Symbol &symbol) {
               return symbol.kind == Symbol::Kind::Id;
             });
    return access.followed && access.isCertain && access.conditions.empty();
  };
  return relation.kind == RaceKind::Instances && &first == &second &&
         mayCount(a) && mayCount(b) && a.access->memory == b.access->memory &&
         !declarationOf(explorer, a).empty() &&
         accesses.readsFreeInputs(first, a.target.object);
}
