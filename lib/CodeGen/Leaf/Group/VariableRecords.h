//===- VariableRecords.h - Variables in a group function --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records state which value, or which memory, holds a variable of the leaf.
// They are copied to the fragments of a group function together with what they
// refer to. If an instance is split, each fragment has its own copy of a
// variable: records of the previous fragment describe the last instance that
// ran there.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_VARIABLERECORDS_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_VARIABLERECORDS_H

#include "ValuePlacement.h"

#include "sluice/CodeGen/Debugging.h"

#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

struct GroupContext;
class ValueSource;

class VariableRecords {
public:
  /// Collects the records of an item function.
  VariableRecords(llvm::Function &item, Debugging debugging, bool isFissioned);

  /// Memory that each instance has in an array is at a different address for
  /// each instance. With Debugging::Memory, variables in this memory are found
  /// through a pointer, which this function creates at `builder`, in the entry
  /// block.
  void declareArrays(llvm::IRBuilderBase &builder,
                     const ValuePlacement &placement);

  /// Copies the records of a fragment whose instructions have been cloned to
  /// `blocks`.
  void copy(const GroupContext &context, const Fragment &fragment,
            ValueSource &source,
            const llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *>
                &blocks) const;

private:
  struct Array {
    llvm::DbgVariableRecord *record;
    llvm::AllocaInst *memory;
    llvm::AllocaInst *pointer; ///< null without Debugging::Memory
  };
  bool isWanted;
  bool usesPointers;
  llvm::SmallVector<Array> arrays;
  /// One record of each variable that values describe, and the records that are
  /// the only ones of their variable.
  llvm::SmallVector<llvm::DbgVariableRecord *> described, only;

  void findValues(llvm::Function &item);
  void begin(const GroupContext &context, const Fragment &fragment,
             ValueSource &source) const;
  bool isOfArray(const llvm::DbgVariableRecord &record) const;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_VARIABLERECORDS_H
