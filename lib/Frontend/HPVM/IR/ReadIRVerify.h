//===- ReadIRVerify.h - Checks of IR that others wrote --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IR that another compiler made may be invalid in ways that would crash LLVM's
// passes later, so it is verified before anything else uses it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_IR_READIRVERIFY_H
#define SLUICE_LIB_FRONTEND_HPVM_IR_READIRVERIFY_H

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// What LLVM's verifier finds wrong with a module; empty if nothing. Compilers
/// of C++ invoke HPVM's intrinsics, which LLVM forbids, so such invokes become
/// calls first. Debug information that is malformed is dropped, with
/// a warning of the context.
std::string verifyForeign(llvm::Module &module);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HPVM_IR_READIRVERIFY_H
