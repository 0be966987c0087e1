//===- RulesReductions.cpp - Reductions declared by leaves ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime must know three facts about a reduction before any instance runs:
// the memory, its size, and how to join two copies. So the declaration is at
// the start of the leaf and names parameters, constants and functions. Rule
// `reduce` of docs/hpvm-rules.md.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportProgram.h"
#include "sluice/Analysis/ReductionUses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

using Op = LeafReduction::Op;

namespace {
class ReductionCheck {
public:
  ReductionCheck(const NodeFunction &node, Diagnostics &diagnostics)
      : node(node), diagnostics(diagnostics) {}

  void run() {
    for (const LeafReduction &reduction : reductionsOf(*node.function))
      check(reduction);
  }

private:
  void check(const LeafReduction &reduction);
  bool checkMemory(const LeafReduction &reduction);
  bool checkOperator(const LeafReduction &reduction);
  void checkSize(const LeafReduction &reduction);
  bool fail(const LeafReduction &reduction, const std::string &message) {
    diagnostics.error(placeOf(*reduction.call), message, "reduce");
    return false;
  }

  const NodeFunction &node;
  Diagnostics &diagnostics;
  SmallPtrSet<const Argument *, 4> seen;
};
} // namespace

/// "sluice_reduce".
static std::string nameOf(const LeafReduction &reduction) {
  using Kind = LeafReduction::Kind;
  std::string name = reduction.kind == Kind::Reduce ? "sluice_reduce"
                     : reduction.kind == Kind::Scan ? "sluice_scan"
                                                    : "sluice_scan_exclusive";
  return quoted(name + (reduction.op == Op::User ? "_with" : ""));
}

/// "a scan".
static std::string nounOf(const LeafReduction &reduction) {
  return "a " + spellNoun(reduction.kind).str();
}

bool ReductionCheck::checkMemory(const LeafReduction &reduction) {
  std::string name = nameOf(reduction);
  const Argument *memory = reduction.memory;
  if (!memory || !memory->getType()->isPointerTy())
    return fail(reduction,
                name + " is given something else than a pointer parameter of " +
                    quoted(node.name()) +
                    "; pass the parameter itself: it holds for the elements "
                    "from the first on");
  if (!seen.insert(memory).second)
    return fail(reduction,
                node.describeInput(memory->getArgNo()) + " is declared as " +
                    nounOf(reduction) +
                    " twice; one declaration holds for all of its elements");
  if (!isBeforeBranches(*reduction.call))
    return fail(reduction, name +
                               " stands behind a branch, but it holds for all "
                               "instances; call it at the start of " +
                               quoted(node.name()));
  if (node.access(memory->getArgNo()) != dfg::Access::InOut)
    return fail(reduction,
                node.describeInput(memory->getArgNo()) + " is " +
                    nounOf(reduction) +
                    ", which reads and writes what is there; mark it in and "
                    "out");
  return true;
}

bool ReductionCheck::checkOperator(const LeafReduction &reduction) {
  if (!reduction.op)
    return fail(reduction,
                "the operator of " + nameOf(reduction) +
                    " must be a constant of the code, one of SLUICE_SUM to "
                    "SLUICE_XOR");
  if (*reduction.op == Op::User) {
    if (reduction.elementBytes == 0)
      return fail(reduction, "the size of an element that " +
                                 nameOf(reduction) +
                                 " is given must be a constant and not 0");
    if (!reduction.identity || !reduction.combine ||
        reduction.identity->isDeclaration() ||
        reduction.combine->isDeclaration())
      return fail(reduction,
                  nameOf(reduction) +
                      " must name two functions of this program: one writes "
                      "what changes nothing, the other one joins two elements");
    return true;
  }
  bool isBitwise = *reduction.op == Op::And || *reduction.op == Op::Or ||
                   *reduction.op == Op::Xor;
  if (isBitwise && reduction.type->isFloatingPointTy())
    return fail(reduction,
                "the operator '" + spellReduction(*reduction.op).str() +
                    "' is for integers, but the elements are " +
                    spellType(reduction.type) +
                    "; use sum, product, min or max, or functions of the "
                    "program");
  return true;
}

void ReductionCheck::checkSize(const LeafReduction &reduction) {
  if (!followsFromArguments(*reduction.bytes)) {
    fail(reduction,
         "the size that " + nameOf(reduction) +
             " is given must be the same for all instances; compute it from "
             "constants and parameters of " +
             quoted(node.name()) + ", without a division");
    return;
  }
  auto *known = dyn_cast<ConstantInt>(reduction.bytes);
  if (known && known->getZExtValue() % reduction.elementBytes != 0)
    fail(reduction, nameOf(reduction) + " is given " +
                        std::to_string(known->getZExtValue()) +
                        " bytes, which is no multiple of the " +
                        std::to_string(reduction.elementBytes) +
                        " bytes of an element");
}

void ReductionCheck::check(const LeafReduction &reduction) {
  if (!checkMemory(reduction) || !checkOperator(reduction))
    return;
  checkSize(reduction);
  for (const ReductionMisuse &misuse : findReductionMisuses(reduction))
    diagnostics.error(placeOf(*misuse.place),
                      node.describeInput(misuse.memory->getArgNo()) +
                          " is declared as " + nounOf(reduction) +
                          ", but the leaf " + misuse.what,
                      "reduce");
}

void sluice::hpvm::checkReductions(const NodeFunction &node,
                                   Diagnostics &diagnostics) {
  ReductionCheck(node, diagnostics).run();
}
