//===- SPIRVWords.h - SPIR-V as a sequence of words ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What drivers that take SPIR need in the SPIR-V it is made of.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_SPIRVWORDS_H
#define SLUICE_CODEGEN_SPIRVWORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sluice::codegen {

/// The same module in words that llvm-spirv of LLVM 15 reads. It aborts on what
/// LLVM 22 writes for zeros of scalar types: they become OpConstant and
/// OpConstantFalse.
llvm::Expected<std::string> rewriteForOldTranslator(llvm::StringRef spirv);

/// The same module, whose kernels with barriers ask that their loops are not
/// unrolled. A driver for CPUs keeps what is live at a barrier in memory for
/// each item, and of an unrolled loop that is an address for each turn; OpenCL
/// C compiled by such a driver asks for the same.
llvm::Expected<std::string> keepLoopsNearBarriers(llvm::StringRef spirv);

/// An instruction; the first word has its size and its code.
using SPIRVInstruction = llvm::ArrayRef<uint32_t>;
inline uint32_t codeOf(SPIRVInstruction instruction) {
  return instruction[0] & 0xFFFF;
}

/// Calls `add` with each instruction, which appends what stands for it.
llvm::Expected<std::string>
rewriteSPIRV(llvm::StringRef spirv,
             llvm::function_ref<void(SPIRVInstruction,
                                     llvm::SmallVectorImpl<uint32_t> &)>
                 add);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_SPIRVWORDS_H
