//===- ParseText.h - LLVM assembly with source places ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message about handwritten IR should name its line. Assembly without debug
// information gets debug information about itself here.
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

/// Parses LLVM assembly; the buffer's name is that of the file. Returns null
/// and sets `error` if the text or the module is malformed: unlike LLVM's own
/// readers, this one never ends the process. Malformed debug information is
/// dropped with a warning. In a module without debug information, functions and
/// instructions get their places in the text.
std::unique_ptr<llvm::Module> parseText(llvm::MemoryBufferRef buffer,
                                        llvm::LLVMContext &context,
                                        llvm::SMDiagnostic &error);

} // namespace sluice

#endif // SLUICE_FRONTEND_HPVM_PARSETEXT_H
