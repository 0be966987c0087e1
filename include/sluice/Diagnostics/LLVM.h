//===- LLVM.h - Messages of LLVM's passes ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM itself prints its warnings once for each copy of a loop, whatever the
// options say. This header turns them into regular messages.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_LLVM_H
#define SLUICE_DIAGNOSTICS_LLVM_H

namespace llvm {
class LLVMContext;
} // namespace llvm

namespace sluice {

/// From now on, prints warnings and remarks about code of the context as
/// messages, without duplicates. LLVM still handles errors: it ends the
/// process.
void printMessagesOf(llvm::LLVMContext &context);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_LLVM_H
