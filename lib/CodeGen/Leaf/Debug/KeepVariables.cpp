//===- KeepVariables.cpp - Keeping variables in memory --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record "variable V is value X from here on" becomes a store of X into the
// memory of V. Promotion to registers drops the lines of the stores it removes,
// so the lines are recorded before. Without such a note, the first store of a
// variable gets the line of the declaration. Stores of parameters belong to the
// caller, so that they have already happened at a breakpoint on the function.
//
//===----------------------------------------------------------------------===//

#include "KeepVariables.h"
#include "InstanceRecord.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace sluice::codegen {

static constexpr const char *variableMarker = "sluice.variable";

bool holdsVariable(const AllocaInst &memory) {
  return memory.getMetadata(variableMarker) != nullptr;
}

static void mark(AllocaInst &memory) {
  memory.setMetadata(variableMarker, MDNode::get(memory.getContext(), {}));
}

namespace {

/// The offset added to a record's value, and the bytes of the variable that
/// receive the sum.
struct StoredValue {
  int64_t added = 0;
  uint64_t offset = 0, size = 0;
};

/// A record, and the instruction before which it stands: the records move along
/// with stores that are inserted there.
struct PlacedRecord {
  DbgVariableRecord *record;
  Instruction *point;
};

/// One variable of a function, or of a function that is inlined there.
class Variable {
public:
  explicit Variable(const DbgVariableRecord &first)
      : variable(first.getVariable()),
        inlinedAt(first.getDebugLoc().getInlinedAt()) {}

  SmallVector<PlacedRecord> values, addresses;

  void keep(Function &function, const DominatorTree &dominators);

private:
  DILocalVariable *variable;
  DILocation *inlinedAt;

  std::optional<StoredValue> storedValue(const DbgVariableRecord &record) const;
  bool canBeStored() const;
  DILocation *place(unsigned line) const {
    return DILocation::get(variable->getContext(), line, 0,
                           variable->getScope(), inlinedAt);
  }
  void declare(AllocaInst &memory, DIExpression *expression);
  DILocation *placeOfStore(const PlacedRecord &placed, bool isFirst) const;
  void store(AllocaInst &memory, const PlacedRecord &placed, bool isFirst);
  void keepAddress(const PlacedRecord &placed, Function &function,
                   const DominatorTree &dominators);
};

} // namespace

/// In optimised code, records may refer to values that other paths compute.
static bool isComputed(const PlacedRecord &placed,
                       const DominatorTree &dominators) {
  auto *value =
      dyn_cast_or_null<Instruction>(placed.record->getVariableLocationOp(0));
  const Instruction *point = placed.point;
  if (isa<PHINode>(point))
    point = &*placed.point->getParent()->getFirstInsertionPt();
  return !value || dominators.dominates(value, point);
}

static uint64_t bytesOf(std::optional<uint64_t> bits) {
  return bits && *bits % 8 == 0 ? *bits / 8 : 0;
}

/// None if the record is more complex than a value, or a value plus a constant.
std::optional<StoredValue>
Variable::storedValue(const DbgVariableRecord &record) const {
  const DIExpression &expression = *record.getExpression();
  if (record.hasArgList())
    return std::nullopt;
  StoredValue result;
  result.size = bytesOf(record.getFragmentSizeInBits());
  for (const DIExpression::ExprOperand &operation : expression.expr_ops()) {
    switch (operation.getOp()) {
    case dwarf::DW_OP_plus_uconst:
      result.added += operation.getArg(0);
      break;
    case dwarf::DW_OP_stack_value:
      break;
    case dwarf::DW_OP_LLVM_fragment:
      if (operation.getArg(0) % 8 != 0)
        return std::nullopt;
      result.offset = operation.getArg(0) / 8;
      break;
    default:
      return std::nullopt;
    }
  }
  Type *type = record.getVariableLocationOp(0)->getType();
  if (result.size == 0 || !type->isSized() || type->isScalableTy() ||
      (result.added && !type->isIntOrPtrTy()))
    return std::nullopt;
  // Integers are truncated or extended; for other types, all bytes must fit.
  const DataLayout &layout = record.getFunction()->getDataLayout();
  if (!type->isIntegerTy() && layout.getTypeStoreSize(type) > result.size)
    return std::nullopt;
  return result;
}

bool Variable::canBeStored() const {
  bool hasValue = false;
  for (const auto &[record, point] : values) {
    if (record->isKillLocation())
      continue;
    hasValue = true;
    if (!storedValue(*record))
      return false;
  }
  return hasValue && bytesOf(variable->getSizeInBits()) != 0;
}

void Variable::declare(AllocaInst &memory, DIExpression *expression) {
  mark(memory);
  auto *record = DbgVariableRecord::createDVRDeclare(
      &memory, variable, expression, place(variable->getLine()));
  auto after = std::next(memory.getIterator());
  memory.getParent()->insertDbgRecordBefore(record, after);
}

/// The location of a record has a scope, but no line.
DILocation *Variable::placeOfStore(const PlacedRecord &placed,
                                   bool isFirst) const {
  Value *value = placed.record->getVariableLocationOp(0);
  bool isGiven = variable->getName() == instanceVariableName ||
                 (variable->isParameter() && isa<Argument>(value));
  if (isGiven)
    return inlinedAt ? inlinedAt : place(0);
  DILocation *noted = placed.record->getDebugLoc();
  if (noted->getLine())
    return noted;
  if (isFirst)
    return place(variable->getLine());
  // Computed just before, by the same statement.
  const Instruction *before = placed.point->getPrevNode();
  while (before && isa<StoreInst>(before) && before != value)
    before = before->getPrevNode();
  DILocation *location = before ? before->getDebugLoc().get() : nullptr;
  bool isSame = before == value && location &&
                location->getInlinedAt() == inlinedAt &&
                location->getScope()->getSubprogram() ==
                    variable->getScope()->getSubprogram();
  return isSame ? location : place(0);
}

void Variable::store(AllocaInst &memory, const PlacedRecord &placed,
                     bool isFirst) {
  DbgVariableRecord &record = *placed.record;
  if (record.isKillLocation())
    return;
  Instruction *point = placed.point;
  BasicBlock *block = point->getParent();
  IRBuilder<> builder(block, isa<PHINode>(point) ? block->getFirstInsertionPt()
                                                 : point->getIterator());
  StoredValue stored = *storedValue(record);
  Value *value = record.getVariableLocationOp(0);
  builder.SetCurrentDebugLocation(placeOfStore(placed, isFirst));
  if (value->getType()->isPointerTy() && stored.added)
    value = builder.CreatePtrAdd(value, builder.getInt64(stored.added));
  else if (stored.added)
    value = builder.CreateAdd(
        value, ConstantInt::getSigned(value->getType(), stored.added));
  if (value->getType()->isIntegerTy()) {
    Type *whole = builder.getIntNTy(stored.size * 8);
    value = variable->getSignedness() == DIBasicType::Signedness::Signed &&
                    !value->getType()->isIntegerTy(1)
                ? builder.CreateSExtOrTrunc(value, whole)
                : builder.CreateZExtOrTrunc(value, whole);
  }
  Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                                      &memory, stored.offset);
  builder.CreateAlignedStore(value, address, Align(1));
}

/// The variable is in memory that a value points to and that the function does
/// not own. The address is stored in memory.
void Variable::keepAddress(const PlacedRecord &placed, Function &function,
                           const DominatorTree &dominators) {
  DbgVariableRecord &record = *placed.record;
  Value *address = record.getVariableLocationOp(0);
  if (auto *memory = dyn_cast_or_null<AllocaInst>(address)) {
    if (memory->isStaticAlloca())
      mark(*memory);
    return;
  }
  if (!address || record.isKillLocation() ||
      !address->getType()->isPointerTy() || !isComputed(placed, dominators))
    return;
  IRBuilder<> entry(&function.getEntryBlock(),
                    function.getEntryBlock().begin());
  entry.SetCurrentDebugLocation(DebugLoc());
  AllocaInst *memory = entry.CreateAlloca(address->getType());
  IRBuilder<> builder(placed.point);
  builder.SetCurrentDebugLocation(inlinedAt ? inlinedAt : place(0));
  builder.CreateStore(address, memory);
  declare(*memory, DIExpression::prepend(record.getExpression(),
                                         DIExpression::DerefBefore));
  record.eraseFromParent();
}

void Variable::keep(Function &function, const DominatorTree &dominators) {
  for (const PlacedRecord &placed : addresses)
    keepAddress(placed, function, dominators);
  // Variables that are in memory anyway have notes of assignments, too.
  if (!addresses.empty())
    for (const PlacedRecord &placed : values)
      placed.record->eraseFromParent();
  if (!addresses.empty() || !canBeStored())
    return;
  uint64_t bytes = bytesOf(variable->getSizeInBits());
  IRBuilder<> entry(&function.getEntryBlock(),
                    function.getEntryBlock().begin());
  entry.SetCurrentDebugLocation(DebugLoc());
  AllocaInst *memory = entry.CreateAlloca(
      ArrayType::get(entry.getInt8Ty(), bytes), nullptr, variable->getName());
  memory->setAlignment(Align(bytes >= 16 ? 16 : 8));
  bool isFirst = true;
  const PlacedRecord *last = nullptr;
  for (const PlacedRecord &placed : values) {
    // A note, and the record that promotion makes for the same assignment.
    bool isSame = last && last->point == placed.point &&
                  last->record->isIdenticalToWhenDefined(*placed.record);
    last = &placed;
    if (isSame || !isComputed(placed, dominators))
      continue;
    store(*memory, placed, isFirst);
    isFirst &= placed.record->isKillLocation();
  }
  for (const PlacedRecord &placed : values)
    placed.record->eraseFromParent();
  declare(*memory, DIExpression::get(function.getContext(), {}));
}

void noteAssignments(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *memory = dyn_cast<AllocaInst>(&instruction);
      if (!memory || !isAllocaPromotable(memory))
        continue;
      for (DbgVariableRecord *declaration : findDVRDeclares(memory))
        for (User *user : memory->users()) {
          auto *store = dyn_cast<StoreInst>(user);
          if (!store || !store->getDebugLoc() ||
              declaration->getVariable()->isParameter())
            continue;
          auto *record = DbgVariableRecord::createDbgVariableRecord(
              store->getValueOperand(), declaration->getVariable(),
              declaration->getExpression(), store->getDebugLoc());
          store->getParent()->insertDbgRecordBefore(record,
                                                    store->getIterator());
        }
    }
}

void keepVariablesInMemory(Function &function) {
  MapVector<DebugVariableAggregate, Variable> variables;
  for (Instruction &instruction : instructions(function))
    for (DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange())) {
      Variable &variable =
          variables.try_emplace(DebugVariableAggregate(&record), record)
              .first->second;
      if (record.isAddressOfVariable())
        variable.addresses.push_back({&record, &instruction});
      else if (record.isDbgValue())
        variable.values.push_back({&record, &instruction});
    }
  if (variables.empty())
    return;
  const DominatorTree dominators(function);
  for (auto &[key, variable] : variables)
    variable.keep(function, dominators);
}

} // namespace sluice::codegen
