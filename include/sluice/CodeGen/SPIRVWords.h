//===- SPIRVWords.h - SPIR-V as a sequence of words ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms SPIR-V to meet the requirements of drivers that accept SPIR.
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

/// Rewrites a module for llvm-spirv of LLVM 15, which aborts on the form that
/// LLVM 22 writes for zeros of scalar types: they become OpConstant and
/// OpConstantFalse.
llvm::Expected<std::string> rewriteForOldTranslator(llvm::StringRef spirv);

/// Marks the loops of kernels with barriers so that they are not unrolled. A
/// driver for CPUs keeps values that are live at a barrier in memory for each
/// item, and for an unrolled loop this is an address for each iteration. OpenCL
/// C compiled by such a driver marks its loops in the same way.
llvm::Expected<std::string> keepLoopsNearBarriers(llvm::StringRef spirv);

/// An instruction; the first word contains its size and its opcode.
using SPIRVInstruction = llvm::ArrayRef<uint32_t>;
inline uint32_t codeOf(SPIRVInstruction instruction) {
  return instruction[0] & 0xFFFF;
}

/// Calls `add` with each instruction; `add` appends its replacement.
llvm::Expected<std::string>
rewriteSPIRV(llvm::StringRef spirv,
             llvm::function_ref<void(SPIRVInstruction,
                                     llvm::SmallVectorImpl<uint32_t> &)>
                 add);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_SPIRVWORDS_H
