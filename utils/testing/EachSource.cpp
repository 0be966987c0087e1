//===- EachSource.cpp - Compiles sources alone, from where all start ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin of clang for each_source.py. Where a program says
// `#pragma sluice_each_source "PATH" ...`, the compiler forks for each path:
// the child compiles this file as its main file, which may say the same of
// more. So clang starts, reads the precompiled headers and what these files
// include, and instantiates what most of them use, once for all. No source sees
// a header that it does not include.
//
// The paths that do not compile go to standard output; diagnostics are those of
// a compilation without this plugin.
//
//===----------------------------------------------------------------------===//

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

class EachSourceHandler : public clang::PragmaHandler {
public:
  explicit EachSourceHandler(clang::CompilerInstance &compiler)
      : PragmaHandler("sluice_each_source"), compiler(compiler) {}

  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer,
                    clang::Token &token) override {
    std::vector<std::string> paths;
    for (preprocessor.Lex(token); token.is(clang::tok::string_literal);
         preprocessor.Lex(token))
      paths.emplace_back(token.getLiteralData() + 1, token.getLength() - 2);
    compiler.getSema().PerformPendingInstantiations();
    if (token.isNot(clang::tok::eod) ||
        compiler.getDiagnostics().hasErrorOccurred())
      _exit(2);
    for (const std::string &path : paths) {
      pid_t child = ::fork();
      if (child == 0) {
        enter(preprocessor, path);
        return;
      }
      int status = 0;
      bool isRight =
          child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
      if (!isRight && ::dprintf(STDOUT_FILENO, "%s\n", path.c_str()) < 0)
        _exit(2);
    }
    _exit(0);
  }

private:
  /// As Preprocessor::EnterMainSourceFile does, so that warnings for main files
  /// are given.
  static void enter(clang::Preprocessor &preprocessor,
                    const std::string &path) {
    int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || ::dup2(nowhere, STDERR_FILENO) < 0)
      _exit(2);
    auto file = preprocessor.getFileManager().getFileRef(path);
    if (!file) {
      llvm::consumeError(file.takeError());
      _exit(1);
    }
    clang::SourceManager &sources = preprocessor.getSourceManager();
    clang::FileID id = sources.createFileID(*file, clang::SourceLocation(),
                                            clang::SrcMgr::C_User);
    sources.setMainFileID(id);
    preprocessor.getHeaderSearchInfo().getFileInfo(*file);
    preprocessor.markIncluded(*file);
    if (preprocessor.EnterSourceFile(id, nullptr, clang::SourceLocation()))
      _exit(1);
  }

  clang::CompilerInstance &compiler;
};

class EachSourceAction : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &compiler,
                    llvm::StringRef) override {
    compiler.getPreprocessor().AddPragmaHandler(
        new EachSourceHandler(compiler)); // which belongs to it
    return std::make_unique<clang::ASTConsumer>();
  }
  bool ParseArgs(const clang::CompilerInstance &,
                 const std::vector<std::string> &) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

clang::FrontendPluginRegistry::Add<EachSourceAction>
    registered("sluice-each-source", "compiles each of many sources alone");

} // namespace
