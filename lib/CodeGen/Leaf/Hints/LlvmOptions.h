//===- LlvmOptions.h - What LLVM does only if asked -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some of LLVM's passes can be told how to work on the command line only: here
// Sluice gives such options, where the user has not.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_LLVMOPTIONS_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_LLVMOPTIONS_H

#include "llvm/ADT/StringRef.h"

namespace sluice::codegen {

/// Gives an option of LLVM's command line a value, unless it has been given
/// one.
void setLlvmOption(llvm::StringRef name, llvm::StringRef value);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_LLVMOPTIONS_H
