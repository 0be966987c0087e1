//===- SPIRVWords.h - SPIR-V as a sequence of words ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM 22 writes SPIR-V that the translator of LLVM 15 aborts on. What that one
// knows means the same: zeros of scalar types are written as OpConstant and
// OpConstantFalse, not as OpConstantNull.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_SPIRVWORDS_H
#define SLUICE_CODEGEN_SPIRVWORDS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sluice::codegen {

/// The same module in words that llvm-spirv of LLVM 15 reads.
llvm::Expected<std::string> rewriteForOldTranslator(llvm::StringRef spirv);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_SPIRVWORDS_H
