//===- EachSource.cpp - Compiles sources alone, from where all start ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin of clang for each_source.py. It compiles a short program with the
// precompiled headers of many sources, and forks for each of them where that
// program says `#pragma sluice_each_source`: the child compiles the source as
// its main file. So clang starts, reads what most sources use of the
// precompiled headers, and instantiates it, once for all of them. No source
// sees a header that it does not include.
//
// SLUICE_EACH_SOURCE names a file with the paths, one a line. The paths that do
// not compile go to standard output; diagnostics are those of a compilation
// without this plugin.
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
#include <cstdlib>
#include <fstream>
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
                    clang::Token &) override {
    preprocessor.DiscardUntilEndOfDirective();
    compiler.getSema().PerformPendingInstantiations();
    if (compiler.getDiagnostics().hasErrorOccurred())
      _exit(2);
    const char *list = std::getenv("SLUICE_EACH_SOURCE");
    std::ifstream paths(list ? list : "");
    for (std::string path; std::getline(paths, path);) {
      pid_t child = ::fork();
      if (child == 0) {
        enter(preprocessor, path);
        return;
      }
      int status = 0;
      if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0)
        std::printf("%s\n", path.c_str());
    }
    bool isWhole = list && paths.eof() && std::fflush(stdout) == 0;
    _exit(isWhole ? 0 : 2);
  }

private:
  /// As Preprocessor::EnterMainSourceFile does, so that warnings for main files
  /// are given.
  static void enter(clang::Preprocessor &preprocessor,
                    const std::string &path) {
    int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || ::dup2(nowhere, 1) < 0 || ::dup2(nowhere, 2) < 0)
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
