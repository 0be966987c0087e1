//===- ForgetVariables.cpp - Variables without a value --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForgetVariables.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"

using namespace llvm;

namespace sluice::codegen {

void forgetVariables(Value &value) {
  SmallVector<DbgVariableRecord *> records;
  findDbgUsers(&value, records);
  for (DbgVariableRecord *record : records)
    record->setKillLocation();
}

void forgetVariablesOf(ArrayRef<BasicBlock *> originals, BasicBlock &place) {
  MapVector<DebugVariableAggregate, const DbgVariableRecord *> variables;
  for (BasicBlock *block : originals)
    for (Instruction &instruction : *block)
      for (DbgVariableRecord &record :
           filterDbgVars(instruction.getDbgRecordRange()))
        if (record.isDbgValue())
          variables.insert({DebugVariableAggregate(&record), &record});
  BasicBlock::iterator start = place.getFirstNonPHIIt();
  for (auto &[variable, known] : variables) {
    DbgVariableRecord *record = known->clone();
    record->setKillLocation();
    record->setExpression(DIExpression::get(place.getContext(), {}));
    place.insertDbgRecordBefore(record, start);
  }
}

} // namespace sluice::codegen
