//===- ArtificialFunction.h - Debug information of made code ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of leaves is inlined into functions that no source has. A function
// without debug information would take that of the leaves away.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_DEBUG_ARTIFICIALFUNCTION_H
#define SLUICE_LIB_CODEGEN_LEAF_DEBUG_ARTIFICIALFUNCTION_H

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

namespace sluice::codegen {

/// Gives `function` debug information of its own under the name `name`, at the
/// place of `model`. Returns the place of code in it.
llvm::DILocation *describeArtificial(llvm::Function &function,
                                     llvm::StringRef name,
                                     const llvm::DISubprogram &model);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_DEBUG_ARTIFICIALFUNCTION_H
