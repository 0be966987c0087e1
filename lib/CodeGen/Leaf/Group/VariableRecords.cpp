//===- VariableRecords.cpp - Variables in a group function ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableRecords.h"
#include "GroupContext.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace sluice::codegen {

//===----------------------------------------------------------------------===//
// The item function
//===----------------------------------------------------------------------===//

VariableRecords::VariableRecords(Function &item, Debugging debugging,
                                 bool isFissioned)
    : isWanted(debugging != Debugging::Lines),
      usesPointers(debugging == Debugging::Memory) {
  if (isWanted && isFissioned)
    findValues(item);
  if (!isWanted)
    return;
  for (Instruction &instruction : instructions(item))
    for (DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange()))
      if (record.isAddressOfVariable() && !record.isKillLocation())
        if (auto *memory =
                dyn_cast<AllocaInst>(record.getVariableLocationOp(0)))
          arrays.push_back({&record, memory, nullptr});
}

void VariableRecords::findValues(Function &item) {
  MapVector<DebugVariable, SmallVector<DbgVariableRecord *>> parts;
  MapVector<DebugVariableAggregate, DbgVariableRecord *> variables;
  for (Instruction &instruction : instructions(item))
    for (DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange())) {
      if (!record.isDbgValue())
        continue;
      parts[DebugVariable(&record)].push_back(&record);
      variables.insert({DebugVariableAggregate(&record), &record});
    }
  for (auto &[variable, record] : variables)
    described.push_back(record);
  for (auto &[part, records] : parts)
    if (records.size() == 1)
      only.push_back(records.front());
}

void VariableRecords::declareArrays(IRBuilderBase &builder,
                                    const ValuePlacement &placement) {
  erase_if(arrays, [&](const Array &array) {
    return !placement.isExpanded(array.memory);
  });
  if (!usesPointers)
    return;
  for (Array &array : arrays) {
    array.pointer = builder.CreateAlloca(builder.getPtrTy(), nullptr,
                                         array.memory->getName() + ".address");
    DbgVariableRecord *record = array.record->clone();
    record->replaceVariableLocationOp(0u, array.pointer);
    record->setExpression(DIExpression::prepend(record->getExpression(),
                                                DIExpression::DerefBefore));
    // Declarations apply to the whole function; this one must wait until the
    // pointer has its value.
    Instruction *point = builder.CreateStore(
        ConstantPointerNull::get(builder.getPtrTy()), array.pointer);
    point->getParent()->insertDbgRecordBefore(record, point->getIterator());
  }
}

bool VariableRecords::isOfArray(const DbgVariableRecord &record) const {
  return record.isAddressOfVariable() &&
         any_of(arrays,
                [&](const Array &array) { return array.record == &record; });
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// The value of `value` in the fragment, if the fragment has it.
static Value *valueIn(const GroupContext &context, ValueSource &source,
                      Value *value) {
  if (isa<Constant>(value))
    return value;
  if (Value *known = source.known.lookup(value))
    return known;
  if (isa<Argument>(value))
    return source.get(value);
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return nullptr;
  bool isThere = context.storage.alloca(instruction) ||
                 context.storage.scalar(instruction) ||
                 context.placement[instruction] == PlacementKind::PerInstance ||
                 context.placement[instruction] == PlacementKind::Recomputed;
  return isThere ? source.get(value) : nullptr;
}

/// A copy of `record` that refers to the fragment's values.
static DbgVariableRecord *copyOf(const DbgVariableRecord &record,
                                 const GroupContext &context,
                                 ValueSource &source) {
  DbgVariableRecord *copy = record.clone();
  if (record.isKillLocation())
    return copy;
  for (unsigned i = 0; i != record.getNumVariableLocationOps(); ++i) {
    Value *value = valueIn(context, source, record.getVariableLocationOp(i));
    if (!value) {
      copy->setKillLocation();
      break;
    }
    copy->replaceVariableLocationOp(i, value);
  }
  return copy;
}

/// The records that apply where an instance enters the fragment.
void VariableRecords::begin(const GroupContext &context,
                            const Fragment &fragment,
                            ValueSource &source) const {
  Instruction *point = source.instancePoint;
  auto insert = [&](DbgVariableRecord *record) {
    point->getParent()->insertDbgRecordBefore(record, point->getIterator());
  };
  IRBuilder<> builder(point);
  for (const Array &array : arrays) {
    Value *address = source.get(array.memory);
    if (array.pointer) {
      builder.CreateStore(address, array.pointer);
      continue;
    }
    DILocation *place = array.record->getDebugLoc();
    insert(DbgVariableRecord::createDbgVariableRecord(
        address, array.record->getVariable(),
        DIExpression::prepend(array.record->getExpression(),
                              DIExpression::DerefBefore),
        place));
  }
  for (const DbgVariableRecord *record : described) {
    DbgVariableRecord *end = record->clone();
    end->setKillLocation();
    end->setExpression(DIExpression::get(builder.getContext(), {}));
    insert(end);
  }
  for (const DbgVariableRecord *record : only)
    if (!record->hasArgList() && !record->isKillLocation() &&
        isa<Argument, Constant>(record->getVariableLocationOp(0)))
      insert(copyOf(*record, context, source));
  for (const Instruction &instruction : *fragment.from)
    for (const DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange()))
      if (!isOfArray(record))
        insert(copyOf(record, context, source));
}

void VariableRecords::copy(
    const GroupContext &context, const Fragment &fragment, ValueSource &source,
    const DenseMap<const BasicBlock *, BasicBlock *> &blocks) const {
  if (!isWanted)
    return;
  begin(context, fragment, source);
  for (const BasicBlock *block : fragment.blocks) {
    BasicBlock *target = blocks.at(block);
    // Records of instructions without a clone go before the next clone.
    SmallVector<const DbgVariableRecord *> waiting;
    for (const Instruction &instruction : *block) {
      for (const DbgVariableRecord &record :
           filterDbgVars(instruction.getDbgRecordRange()))
        if (!isOfArray(record))
          waiting.push_back(&record);
      auto *clone =
          dyn_cast_or_null<Instruction>(source.known.lookup(&instruction));
      if (!clone || clone->getParent() != target || isa<PHINode>(clone))
        continue;
      for (const DbgVariableRecord *record : waiting)
        target->insertDbgRecordBefore(copyOf(*record, context, source),
                                      clone->getIterator());
      waiting.clear();
    }
  }
}

} // namespace sluice::codegen
