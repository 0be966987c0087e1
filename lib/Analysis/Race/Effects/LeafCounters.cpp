//===- LeafCounters.cpp - Variables that count instances ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances are counted from 0, but loops of programs may begin elsewhere.
// Messages name both numbers, so debug information is searched for loop
// variables whose value follows from an id. Variables of loops within the leaf
// do not count.
//
//===----------------------------------------------------------------------===//

#include "LeafAddresses.h"
#include "LeafCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"

#include <map>
#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

bool LeafCounter::isId() const {
  Symbol id;
  id.dimension = dimension;
  return value == Polynomial::of(id);
}

/// Whether ids of the leaf's own instances give a number for `value`.
static bool followsFromIds(const Polynomial &value) {
  return value.isValid() && all_of(value.symbols(), [](const Symbol &symbol) {
           if (!symbol.derivation)
             return symbol.kind == Symbol::Kind::Id && symbol.index == 0;
           return symbol.derivation->op != Derivation::Op::Opaque &&
                  all_of(symbol.derivation->operands, followsFromIds);
         });
}

/// The counter that has `value`; none if it is no counter of the leaf's own
/// instances.
static std::optional<LeafCounter> counterOf(const Polynomial &value) {
  std::vector<Symbol> symbols = value.symbols();
  // Kept in an `int`, which holds it where it matters.
  if (symbols.size() == 1 && symbols.front().derivation &&
      symbols.front().derivation->op == Derivation::Op::Wrap &&
      symbols.front().derivation->bits >= 32 &&
      value == Polynomial::of(symbols.front()))
    return counterOf(symbols.front().derivation->operands[0]);
  std::vector<Symbol> ids = value.baseSymbols();
  if (ids.empty() || !followsFromIds(value) ||
      any_of(ids, [&](const Symbol &id) {
        return id.dimension != ids.front().dimension;
      }))
    return std::nullopt;
  LeafCounter counter;
  counter.dimension = ids.front().dimension;
  counter.value = value;
  return counter;
}

/// True if clang made the variable for a loop of OpenMP, or for a clause of its
/// directive. The code of the loop is a separate function.
static bool isOfOpenMP(const DILocalVariable &variable) {
  const auto *function = dyn_cast<DISubprogram>(variable.getScope());
  return function && function->isArtificial() && variable.isArtificial() &&
         variable.getArg() == 0 && !variable.getName().starts_with(".");
}

/// The number that an expression adds to its operand, if it only adds, and at
/// most truncates the sum to an `int`. Ids fit an `int`.
static std::optional<int64_t> addedBy(const DIExpression &expression) {
  int64_t sum = 0;
  std::optional<uint64_t> constant;
  for (auto operation : expression.expr_ops()) {
    switch (operation.getOp()) {
    case dwarf::DW_OP_plus_uconst:
      sum += int64_t(operation.getArg(0));
      break;
    case dwarf::DW_OP_constu:
      constant = operation.getArg(0);
      break;
    case dwarf::DW_OP_plus:
    case dwarf::DW_OP_minus:
      if (!constant)
        return std::nullopt;
      sum += operation.getOp() == dwarf::DW_OP_plus ? int64_t(*constant)
                                                    : -int64_t(*constant);
      constant.reset();
      break;
    case dwarf::DW_OP_LLVM_convert:
      if (operation.getArg(0) < 32)
        return std::nullopt;
      break;
    case dwarf::DW_OP_stack_value:
      break;
    default:
      return std::nullopt;
    }
    if (sum > INT32_MAX || sum < INT32_MIN)
      return std::nullopt;
  }
  return constant ? std::nullopt : std::optional(sum);
}

/// The only value that a record computes from; null if there are several, or
/// none.
static Value *valueIn(const DbgVariableRecord &record) {
  return record.isDbgValue() && !record.isKillLocation() &&
                 record.getNumVariableLocationOps() == 1
             ? record.getVariableLocationOp(0)
             : nullptr;
}

namespace {
class CounterSearch {
public:
  CounterSearch(Function &leaf, LeafValues &values);
  std::vector<LeafCounter> run();

private:
  void visit(DbgVariableRecord &record, Instruction &place);
  bool mayCount(const DbgVariableRecord &record) const;

  static constexpr unsigned maxRecords = 200;
  Function &leaf;
  LeafValues &values;
  std::map<const DILocalVariable *, std::set<const Value *>> valuesOf;
  std::vector<LeafCounter> counters;
  unsigned numRecords = 0;
  /// No memory was accessed since the last counter was found: clang sets all
  /// variables of collapsed loops before anything else.
  bool isAtStart = false;
};
} // namespace

CounterSearch::CounterSearch(Function &leaf, LeafValues &values)
    : leaf(leaf), values(values) {
  for (Instruction &instruction : instructions(leaf))
    for (DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange())) {
      Value *value =
          record.isDbgValue() && record.getNumVariableLocationOps() == 1
              ? record.getVariableLocationOp(0)
              : nullptr;
      // Clang sets the variable once more, to ask for the first iteration.
      if (!isOfOpenMP(*record.getVariable()) ||
          !isa_and_nonnull<Constant>(value))
        valuesOf[record.getVariable()].insert(value);
    }
}

bool CounterSearch::mayCount(const DbgVariableRecord &record) const {
  const DILocalVariable &variable = *record.getVariable();
  auto known = valuesOf.find(&variable);
  if (known == valuesOf.end() || known->second.size() != 1)
    return false;
  // A loop has its own scope.
  return isOfOpenMP(variable) ||
         (isa<DILexicalBlock>(variable.getScope()) &&
          !(record.getDebugLoc() && record.getDebugLoc()->getInlinedAt()));
}

void CounterSearch::visit(DbgVariableRecord &record, Instruction &place) {
  Value *value = valueIn(record);
  std::optional<int64_t> added = addedBy(*record.getExpression());
  if (!value || !added || isa<Constant>(value) ||
      !value->getType()->isIntegerTy() || !mayCount(record) ||
      ++numRecords > maxRecords)
    return;
  std::string reason;
  std::optional<Polynomial> number =
      values.number(value, /*isSigned=*/true, *place.getParent(), reason);
  std::optional<LeafCounter> counter =
      number ? counterOf(*number + Polynomial(*added)) : std::nullopt;
  if (!counter)
    return;
  counter->name = record.getVariable()->getName().str();
  const bool isCollapsed =
      isAtStart && isOfOpenMP(*record.getVariable()) &&
      any_of(counters, [](const LeafCounter &other) {
        return any_of(other.value.symbols(), [](const Symbol &symbol) {
          return symbol.derivation != nullptr;
        });
      });
  if (any_of(counters, [&](const LeafCounter &other) {
        return other.name == counter->name ||
               (other.dimension == counter->dimension && !isCollapsed);
      }))
    return;
  counters.push_back(std::move(*counter));
  isAtStart = true;
}

std::vector<LeafCounter> CounterSearch::run() {
  for (Instruction &instruction : instructions(leaf)) {
    for (DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange()))
      visit(record, instruction);
    if (instruction.mayReadOrWriteMemory())
      isAtStart = false;
  }
  // As messages list ids.
  std::vector<LeafCounter> sorted;
  for (unsigned dimension : {0, 1, 2})
    copy_if(counters, std::back_inserter(sorted),
            [&](const LeafCounter &counter) {
              return counter.dimension == dimension;
            });
  return sorted;
}

std::vector<LeafCounter> races::findCounters(Function &leaf,
                                             LeafValues &values) {
  return CounterSearch(leaf, values).run();
}
