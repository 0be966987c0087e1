//===- LinkCode.h - Modules put together, in our words --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's linker of modules reports errors in its own words, or ends the
// process. This wrapper returns an error that users understand.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_LINKCODE_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_LINKCODE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace sluice::driver {

/// Adds `added` to `code`, which takes the target from it if it has none.
llvm::Error linkCode(llvm::Module &code, std::unique_ptr<llvm::Module> added);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_LINKCODE_H
