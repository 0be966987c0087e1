//===- CompileWatch.h - Observing a compilation by clang --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources with errors are compiled several times, and each time the positions
// of the errors are recorded: runClang with an observer.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_CLANG_COMPILEWATCH_H
#define SLUICE_LIB_FRONTEND_CLANG_COMPILEWATCH_H

#include "RunClang.h"

namespace clang {
class DiagnosticConsumer;
} // namespace clang

namespace sluice {

struct CompileWatch {
  /// Receives clang's messages; null: they go to stderr.
  clang::DiagnosticConsumer *client = nullptr;
  /// Called when the whole source has been read, also after errors.
  std::function<void(clang::ASTContext &)> atEnd = {};
};

/// As runClang.
llvm::Expected<CompiledUnit>
runClangWatched(llvm::StringRef path, const CompileOptions &options,
                llvm::LLVMContext &context, Diagnostics &diagnostics,
                const MakeReader &makeReader, const CompileWatch &watch);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_CLANG_COMPILEWATCH_H
