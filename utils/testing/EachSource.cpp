//===- EachSource.cpp - Compiles sources alone, from where all start ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin of clang for each_source.py. Where a program says
// `#pragma sluice_each_source "PATH" ...`, the compiler forks for each path:
// the child compiles this file as its main file, which may say the same of
// more. So clang starts, and reads the precompiled headers and what these files
// include, once for all. No source sees a header that it does not include.
//
// Bodies of function templates are not instantiated, which is a third of the
// work: the build does this. Names that a source or a template lacks are found
// without it, and so is a class without a definition among the arguments of a
// template: `std::unique_ptr<Hidden>` is still destroyed. Only other mistakes
// and warnings in an instantiated body are not found here.
//
// The paths that do not compile go to standard output; diagnostics are those of
// a compilation without this plugin.
//
//===----------------------------------------------------------------------===//

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"

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

/// Forgets which functions are to be instantiated at the end of the file,
/// except those of templates whose arguments name an incomplete class.
class InstantiationDropper : public clang::SemaConsumer {
public:
  void InitializeSema(clang::Sema &given) override { sema = &given; }
  void ForgetSema() override { sema = nullptr; }

  bool HandleTopLevelDecl(clang::DeclGroupRef) override {
    if (!sema)
      return true;
    llvm::erase_if(sema->PendingInstantiations, [](const auto &pending) {
      return !hasIncompleteArgument(pending.first);
    });
    // Functions for local types would be reported as never defined.
    sema->UndefinedButUsed.remove_if([](const auto &used) {
      auto *function = llvm::dyn_cast<clang::FunctionDecl>(used.first);
      return function && function->getTemplateInstantiationPattern();
    });
    return true;
  }

private:
  static bool hasIncompleteArgument(const clang::Decl *declaration) {
    if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
      if (auto *arguments = function->getTemplateSpecializationArgs())
        if (llvm::any_of(arguments->asArray(), isIncomplete))
          return true;
    for (const clang::DeclContext *context = declaration->getDeclContext();
         context; context = context->getParent())
      if (auto *record =
              llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(context))
        if (llvm::any_of(record->getTemplateArgs().asArray(), isIncomplete))
          return true;
    return false;
  }

  static bool isIncomplete(const clang::TemplateArgument &argument) {
    if (argument.getKind() == clang::TemplateArgument::Pack)
      return llvm::any_of(argument.pack_elements(), isIncomplete);
    if (argument.getKind() != clang::TemplateArgument::Type)
      return false;
    const clang::CXXRecordDecl *record =
        argument.getAsType()->getAsCXXRecordDecl();
    if (!record)
      return false;
    if (auto *special =
            llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record))
      return llvm::any_of(special->getTemplateArgs().asArray(), isIncomplete);
    return !record->hasDefinition() && !record->isBeingDefined();
  }

  clang::Sema *sema = nullptr;
};

class EachSourceAction : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &compiler,
                    llvm::StringRef) override {
    compiler.getPreprocessor().AddPragmaHandler(
        new EachSourceHandler(compiler)); // which belongs to it
    return std::make_unique<InstantiationDropper>();
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
