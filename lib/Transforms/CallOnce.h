//===- CallOnce.h - std::call_once as a static of a function ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libstdc++ hands the function over in thread-local variables, to code that is
// elsewhere. An instance has such variables of its own, so that this would not
// find it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_CALLONCE_H
#define SLUICE_LIB_TRANSFORMS_CALLONCE_H

#include "llvm/IR/Module.h"

namespace sluice::transforms {

/// Makes the program's calls of std::call_once, by all of its code, wait at the
/// flag as at the guard of a function's static. Flags that code elsewhere may
/// know stay as they are.
void lowerCallOnce(llvm::Module &code);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_CALLONCE_H
