//===- ArtificialFunction.h - Debug info of generated code ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of leaves is inlined into generated functions, which are in no source.
// If such a function had no debug information, that of the leaves would be
// lost.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_DEBUG_ARTIFICIALFUNCTION_H
#define SLUICE_LIB_CODEGEN_LEAF_DEBUG_ARTIFICIALFUNCTION_H

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

namespace sluice::codegen {

/// Gives `function` its own debug information under the name `name`, at the
/// location of `model`. Returns the location for code in it.
llvm::DILocation *describeArtificial(llvm::Function &function,
                                     llvm::StringRef name,
                                     const llvm::DISubprogram &model);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_DEBUG_ARTIFICIALFUNCTION_H
