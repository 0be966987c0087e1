//===- Codegen.h - Code generation by user-defined datatypes --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subclass of farc::Datatype may emit its own LLVM IR. While its packCodegen
// or unpackCodegen runs, these functions return the insertion point and its
// context. The subclass may call packCodegen of other types (including built-in
// ones) to emit their code at the same place. Rules:
//  * `inbuf` and `outbuf` are `ptr`, `count` is an `i64`; the code changes none
//    of them, reads `count` instances and advances by extent on the strided
//    side, by size on the packed side;
//  * the code may be emitted several times, at several places of one function,
//    also in loops, and is compiled once per layout;
//  * the builder is left where the code ends, in a block without terminator;
//  * external functions are found by name in the running program; no C++
//    exception may leave the code.
// Link the program with libSluicePackJIT and LLVM 22's shared library.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_CODEGEN_H
#define SLUICE_PACKJIT_CODEGEN_H

#include "sluice/Pack/Datatype.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace farc {

/// Marks functions that the library exports.
#define SLUICE_PACKJIT_API __attribute__((visibility("default")))

/// The current builder, at the place where code is to be added. Throws Error
/// (NO_COMPILER) outside packCodegen and unpackCodegen.
SLUICE_PACKJIT_API llvm::IRBuilder<> &codegenBuilder();
/// The current function and its module.
///@{
SLUICE_PACKJIT_API llvm::Function &codegenFunction();
SLUICE_PACKJIT_API llvm::Module &codegenModule();
///@}
/// Emits `for (i64 index = 0; index < count; ++index) body(index)`; `count`
/// is an i64 value, at most 2^63 - 1, and is compared as a signed number.
SLUICE_PACKJIT_API void
codegenLoop(llvm::Value *count,
            const std::function<void(llvm::Value *index)> &body);
/// The address `bytes` (an i64 value) after `pointer`.
///@{
SLUICE_PACKJIT_API llvm::Value *codegenOffset(llvm::Value *pointer,
                                              llvm::Value *bytes);
SLUICE_PACKJIT_API llvm::Value *codegenOffset(llvm::Value *pointer,
                                              int64_t bytes);
///@}

} // namespace farc

#endif // SLUICE_PACKJIT_CODEGEN_H
