//===- RunClang.h - One run of clang ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang runs in process and makes the module. Readers of languages that are
// written as calls (HPVM-C, Hetero-C++) read and rewrite these calls in the AST
// before code is generated for them. This folder knows no such language.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_CLANG_RUNCLANG_H
#define SLUICE_LIB_FRONTEND_CLANG_RUNCLANG_H

#include "sluice/Frontend/Clang/Compile.h"

#include <functional>

namespace clang {
class ASTContext;
class CodeGenerator;
class Decl;
class Preprocessor;
} // namespace clang

namespace sluice {

/// Reads one translation unit while clang compiles it.
class SourceReader {
public:
  virtual ~SourceReader() = default;

  /// Reads everything below a declaration, before code is generated for it.
  virtual void read(clang::Decl *declaration) = 0;
  /// At the end of a translation unit without errors: fills in the unit's
  /// records. May add declarations to `generator`.
  virtual void finish(clang::CodeGenerator &generator, CompiledUnit &unit) = 0;
};

/// Makes the reader of one translation unit.
using MakeReader = std::function<std::unique_ptr<SourceReader>(
    clang::ASTContext &ast, clang::Preprocessor &preprocessor,
    Diagnostics &diagnostics)>;

/// Compiles one C or C++ file, see compileSource.
llvm::Expected<CompiledUnit> runClang(llvm::StringRef path,
                                      const CompileOptions &options,
                                      llvm::LLVMContext &context,
                                      Diagnostics &diagnostics,
                                      const MakeReader &makeReader);

/// Compiles the parts without errors, see compileSoundParts.
std::optional<CompiledUnit> runClangOnSoundParts(llvm::StringRef path,
                                                 const CompileOptions &options,
                                                 llvm::LLVMContext &context,
                                                 Diagnostics &diagnostics,
                                                 std::vector<LeftOut> &leftOut,
                                                 const MakeReader &makeReader);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_CLANG_RUNCLANG_H
