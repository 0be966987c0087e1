//===- MemoryAccesses.h - What instructions access --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code that is checked while it runs reports of itself.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_MEMORYACCESSES_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_MEMORYACCESSES_H

#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

#include <string>

namespace sluice::codegen {

/// One access of an instruction; some instructions have two.
struct CodeAccess {
  llvm::Instruction *instruction;
  llvm::Value *address;
  /// Bytes, an integer of any width.
  llvm::Value *size;
  /// SluiceCheckKind.
  uint32_t kind;
};

/// The accesses of a function, in the order of its instructions: loads and
/// stores, atomic operations, also those of HPVM, blocks that are copied or
/// filled, and what members of C++'s library do to their objects.
llvm::SmallVector<CodeAccess> findMemoryAccesses(llvm::Function &function);

/// "file.c:12:3", or "in 'function'" without debug information.
std::string placeText(const llvm::Instruction &instruction);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_MEMORYACCESSES_H
