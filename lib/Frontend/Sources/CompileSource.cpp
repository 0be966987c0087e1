//===- CompileSource.cpp - Clang, with all readers of calls ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source may be written in HPVM-C, in Hetero-C++ or in both. The reader of
// HPVM-C visits every function, and runs the reader of Hetero-C++ first, since
// hints in regions belong to the regions.
//
//===----------------------------------------------------------------------===//

#include "../Clang/RunClang.h"
#include "../HPVM/Calls/ReadCalls.h"
#include "../Hetero/HeteroCalls.h"
#include "sluice/Frontend/Sources/Sources.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Preprocessor.h"

using namespace sluice;

namespace {
class UnitReader : public SourceReader {
public:
  UnitReader(clang::ASTContext &ast, clang::Preprocessor &preprocessor,
             HPVMVersion version, Diagnostics &diagnostics)
      : preprocessor(preprocessor), calls(ast, version, diagnostics),
        regions(ast, calls) {
    calls.setRegionReader(&regions);
  }

  void read(clang::Decl *declaration) override { calls.read(declaration); }

  void finish(clang::CodeGenerator &generator, CompiledUnit &unit) override {
    regions.finish(generator, unit);
    calls.finish(generator, unit);
    unit.isSequential = preprocessor.isMacroDefined("HETERO_SEQUENTIAL");
  }

private:
  clang::Preprocessor &preprocessor;
  CallReader calls;
  HeteroReader regions;
};
} // namespace

static MakeReader makeReader(HPVMVersion version) {
  return [version](clang::ASTContext &ast, clang::Preprocessor &preprocessor,
                   Diagnostics &diagnostics) {
    return std::make_unique<UnitReader>(ast, preprocessor, version,
                                        diagnostics);
  };
}

llvm::Expected<CompiledUnit>
sluice::compileSource(llvm::StringRef path, const CompileOptions &options,
                      llvm::LLVMContext &context, Diagnostics &diagnostics) {
  return runClang(path, options, context, diagnostics,
                  makeReader(options.version));
}

std::optional<CompiledUnit>
sluice::compileSoundParts(llvm::StringRef path, const CompileOptions &options,
                          llvm::LLVMContext &context, Diagnostics &diagnostics,
                          std::vector<LeftOut> &leftOut) {
  return runClangOnSoundParts(path, options, context, diagnostics, leftOut,
                              makeReader(options.version));
}
