//===- LLVM.h - What LLVM's passes say of a program -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM prints its warnings itself, once for each copy of a loop, whatever the
// options say. Here they become messages like all others.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_LLVM_H
#define SLUICE_DIAGNOSTICS_LLVM_H

namespace llvm {
class LLVMContext;
} // namespace llvm

namespace sluice {

/// From now on, warnings and remarks about code of the context are printed as
/// messages, each once. Errors stay LLVM's own: it ends the process.
void printMessagesOf(llvm::LLVMContext &context);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_LLVM_H
