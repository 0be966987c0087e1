//===- ParseText.h - LLVM assembly with places ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message about IR written by hand should name its line. Assembly without
// debug information gets debug information about itself here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_HPVM_PARSETEXT_H
#define SLUICE_FRONTEND_HPVM_PARSETEXT_H

#include <memory>

namespace llvm {
class LLVMContext;
class MemoryBufferRef;
class Module;
class SMDiagnostic;
} // namespace llvm

namespace sluice {

/// Parses LLVM assembly; the buffer's name is the file's. Null and `error` set
/// if the text or the module it states is malformed: unlike LLVM's own
/// readers, this one never ends the process. Debug information that is
/// malformed is dropped, with a warning. A module without debug information
/// gets the places of its functions and instructions in the text.
std::unique_ptr<llvm::Module> parseText(llvm::MemoryBufferRef buffer,
                                        llvm::LLVMContext &context,
                                        llvm::SMDiagnostic &error);

} // namespace sluice

#endif // SLUICE_FRONTEND_HPVM_PARSETEXT_H
