//===- FrontendWords.h - Lines for clang's front end ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words that clang's driver writes behind -cc1, as clang reads them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_CLANG_FRONTENDWORDS_H
#define SLUICE_LIB_FRONTEND_CLANG_FRONTENDWORDS_H

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>

namespace clang {
class CodeGenOptions;
class CompilerInvocation;
class DiagnosticsEngine;
} // namespace clang

namespace sluice {

/// Null after messages.
std::shared_ptr<clang::CompilerInvocation>
invocationOf(llvm::ArrayRef<std::string> words,
             clang::DiagnosticsEngine &diagnostics);

/// The same for code that passes will change and messages will name: with debug
/// information, and open to optimisation. Macros are those of `words`.
std::shared_ptr<clang::CompilerInvocation>
readingInvocationOf(llvm::ArrayRef<std::string> words,
                    clang::DiagnosticsEngine &diagnostics);

/// Opens code to optimisation although the level is a low one.
void raiseLevel(clang::CodeGenOptions &code);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_CLANG_FRONTENDWORDS_H
