//===- LeafCounters.cpp - Variables that count instances ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances are counted from 0, loops of programs often from elsewhere.
// Messages say both, so debug information is searched for variables of loops
// whose value is an id times a number and a number. A loop within the leaf
// changes its own.
//
//===----------------------------------------------------------------------===//

#include "LeafAddresses.h"
#include "LeafCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"

#include <map>
#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

/// The counter that has `value`; none if it is no counter of the leaf's own
/// instances.
static std::optional<LeafCounter> counterOf(const Polynomial &value) {
  LeafCounter counter;
  std::vector<Symbol> symbols = value.symbols();
  // Kept in an `int`, which holds it where it matters.
  if (symbols.size() == 1 && symbols.front().derivation &&
      symbols.front().derivation->op == Derivation::Op::Wrap &&
      symbols.front().derivation->bits >= 32 &&
      value == Polynomial::of(symbols.front()))
    return counterOf(symbols.front().derivation->operands[0]);
  if (symbols.size() != 1 || symbols.front().kind != Symbol::Kind::Id ||
      symbols.front().index != 0)
    return std::nullopt;
  std::optional<Polynomial> factor = value.coefficientOf(symbols.front());
  std::optional<int64_t> step = factor ? factor->asConstant() : std::nullopt;
  if (!step)
    return std::nullopt;
  counter.dimension = symbols.front().dimension;
  counter.start = value.constantTerm();
  counter.step = *step;
  return counter;
}

std::vector<LeafCounter> races::findCounters(Function &leaf,
                                             LeafValues &values) {
  constexpr unsigned maxRecords = 200;
  unsigned numRecords = 0;
  std::vector<LeafCounter> counters;
  std::map<const DILocalVariable *, std::set<const Value *>> valuesOf;
  for (Instruction &instruction : instructions(leaf))
    for (DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange()))
      valuesOf[record.getVariable()].insert(
          record.isDbgValue() && record.getNumVariableLocationOps() == 1
              ? record.getVariableLocationOp(0)
              : nullptr);
  for (Instruction &instruction : instructions(leaf))
    for (DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange())) {
      if (!record.isDbgValue() || record.isKillLocation() ||
          record.getNumVariableLocationOps() != 1 ||
          record.getExpression()->getNumElements() != 0 ||
          // A loop has a scope of its own.
          !isa<DILexicalBlock>(record.getVariable()->getScope()) ||
          valuesOf[record.getVariable()].size() != 1 ||
          (record.getDebugLoc() && record.getDebugLoc()->getInlinedAt()))
        continue;
      Value *value = record.getVariableLocationOp(0);
      if (!value || isa<Constant>(value) || !value->getType()->isIntegerTy())
        continue;
      if (++numRecords > maxRecords)
        continue;
      std::string reason;
      std::optional<Polynomial> number = values.number(
          value, /*isSigned=*/true, *instruction.getParent(), reason);
      std::optional<LeafCounter> counter =
          number ? counterOf(*number) : std::nullopt;
      if (!counter || any_of(counters, [&](const LeafCounter &other) {
            return other.dimension == counter->dimension;
          }))
        continue;
      counter->name = record.getVariable()->getName().str();
      counters.push_back(std::move(*counter));
    }
  // As messages list ids.
  llvm::sort(counters, [](const LeafCounter &a, const LeafCounter &b) {
    return a.dimension < b.dimension;
  });
  return counters;
}
