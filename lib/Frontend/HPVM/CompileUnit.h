//===- CompileUnit.h - One run of clang -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_COMPILEUNIT_H
#define SLUICE_LIB_FRONTEND_HPVM_COMPILEUNIT_H

#include "sluice/Frontend/HPVM/Compile.h"

#include <functional>

namespace clang {
class ASTContext;
class DiagnosticConsumer;
} // namespace clang

namespace sluice {

/// Who looks on while clang compiles.
struct CompileWatch {
  /// Receives clang's messages; null: they go to stderr.
  clang::DiagnosticConsumer *client = nullptr;
  /// Called when all is read, also after errors.
  std::function<void(clang::ASTContext &)> atEnd = {};
};

/// As compileSource.
llvm::Expected<CompiledUnit> compileUnit(llvm::StringRef path,
                                         const CompileOptions &options,
                                         llvm::LLVMContext &context,
                                         Diagnostics &diagnostics,
                                         const CompileWatch &watch);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HPVM_COMPILEUNIT_H
