//===- ReadIRVerify.h - Verifying IR from other compilers -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IR from another compiler may be invalid in ways that would crash LLVM's
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

/// Returns the verifier's errors for a module; empty if there are none. C++
/// compilers invoke HPVM's intrinsics, which LLVM forbids, so such invokes are
/// turned into calls first. Malformed debug information is dropped, with a
/// warning of the context.
std::string verifyForeign(llvm::Module &module);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HPVM_IR_READIRVERIFY_H
