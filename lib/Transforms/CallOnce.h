//===- CallOnce.h - std::call_once as a static of a function ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libstdc++ passes the function in thread-local variables to code in another
// library. An instance of a leaf has its own copies of such variables, where
// that code would not find the function.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_CALLONCE_H
#define SLUICE_LIB_TRANSFORMS_CALLONCE_H

#include "llvm/IR/Module.h"

namespace sluice::transforms {

/// Makes all of the program's calls of std::call_once wait at the flag as at
/// the guard of a function's static. Leaves flags unchanged that code elsewhere
/// may know.
void lowerCallOnce(llvm::Module &code);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_CALLONCE_H
