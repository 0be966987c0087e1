//===- VariableRecords.h - Variables in a group function --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records say which value, or which memory, a variable of the leaf is. They are
// copied to the fragments of a group function with what they speak of. Where an
// instance is taken apart, a variable is another one in each fragment: what the
// fragment before said is about the last instance that ran there.
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
  /// Looks at the records of an item function.
  VariableRecords(llvm::Function &item, Debugging debugging, bool isFissioned);

  /// Memory that each instance has its own of, in an array, lies elsewhere for
  /// each: with Debugging::Memory, variables there are found through a pointer,
  /// which this places at `builder`, in the entry block.
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
  /// Of each variable that is described by values one record, and those that
  /// are the only ones.
  llvm::SmallVector<llvm::DbgVariableRecord *> described, only;

  void findValues(llvm::Function &item);
  void begin(const GroupContext &context, const Fragment &fragment,
             ValueSource &source) const;
  bool isOfArray(const llvm::DbgVariableRecord &record) const;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_VARIABLERECORDS_H
