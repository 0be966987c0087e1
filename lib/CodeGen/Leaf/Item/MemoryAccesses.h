//===- MemoryAccesses.h - Memory accesses of instructions -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the accesses that code reports when it is checked at run time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_MEMORYACCESSES_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_MEMORYACCESSES_H

#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

#include <string>

namespace sluice::codegen {

/// True for the function that counts texts for what is reported of them.
bool isTextSize(const llvm::Function *function);

/// One access of an instruction; some instructions have two.
struct CodeAccess {
  llvm::Instruction *instruction;
  llvm::Value *address;
  /// In bytes, an integer of any width.
  llvm::Value *size;
  /// SluiceCheckKind.
  uint32_t kind;
};

/// The accesses of a function, in the order of its instructions: loads and
/// stores, atomic operations (including HPVM's), copied or filled blocks, and
/// the accesses of C++ library members to their objects.
llvm::SmallVector<CodeAccess> findMemoryAccesses(llvm::Function &function);

/// "file.c:12:3", or "in 'function'" without debug information.
std::string placeText(const llvm::Instruction &instruction);

/// The name as the program has it: static variables and datasets get others to
/// be found by variants.
std::string displayName(const llvm::GlobalVariable &global);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_MEMORYACCESSES_H
