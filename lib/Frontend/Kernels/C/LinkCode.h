//===- LinkCode.h - Linking modules with readable errors ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's module linker reports errors in its own terms, or ends the process.
// This wrapper returns an error that users understand.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_LINKCODE_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_LINKCODE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace sluice::driver {

/// Adds `added` to `code`. If `code` has no target, it takes that of `added`.
llvm::Error linkCode(llvm::Module &code, std::unique_ptr<llvm::Module> added);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_LINKCODE_H
