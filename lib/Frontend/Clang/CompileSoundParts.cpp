//===- CompileSoundParts.cpp - Compiling sources without errors -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang generates no code for a source with errors. So the functions with
// errors are removed from its text, and the rest is compiled again. If the
// error is in a function's body, only the body is removed; if it is before the
// body, the whole definition is. Functions that used removed code then have
// errors, and are removed in the next round. Lines keep their numbers.
//
//===----------------------------------------------------------------------===//

#include "CompileWatch.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"

using namespace sluice;

namespace {
/// Records where errors are in the main file, and prints nothing.
class ErrorFinder : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error)
      return;
    bool isKnown = level == clang::DiagnosticsEngine::Error &&
                   info.hasSourceManager() && info.getLocation().isValid();
    if (isKnown) {
      const clang::SourceManager &sources = info.getSourceManager();
      clang::SourceLocation place = sources.getFileLoc(info.getLocation());
      if (sources.isInMainFile(place)) {
        offsets.push_back(sources.getFileOffset(place));
        return;
      }
    }
    areElsewhere = true;
  }

  std::vector<unsigned> offsets;
  /// There are errors in other files, or errors that end the compilation.
  bool areElsewhere = false;
};

/// A function that the main file defines, with offsets in its text.
struct Definition {
  std::string name;
  unsigned line = 0, lastLine = 0;
  /// The first character, the brace before the body, and the last character.
  unsigned begin = 0, body = 0, end = 0;
};

class DefinitionFinder : public clang::RecursiveASTVisitor<DefinitionFinder> {
public:
  DefinitionFinder(const clang::SourceManager &sources,
                   std::vector<Definition> &found)
      : sources(sources), found(found) {}

  bool TraverseDecl(clang::Decl *declaration) {
    if (declaration && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
        !sources.isInMainFile(sources.getFileLoc(declaration->getLocation())))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (!function->doesThisDeclarationHaveABody() || function->isImplicit())
      return true;
    const clang::FunctionTemplateDecl *pattern =
        function->getDescribedFunctionTemplate();
    clang::SourceLocation begin =
        pattern ? pattern->getBeginLoc() : function->getBeginLoc();
    if (function->getNumTemplateParameterLists() != 0)
      begin = function->getTemplateParameterList(0)->getTemplateLoc();
    const clang::Stmt *body = function->getBody();
    auto offsetOf = [&](clang::SourceLocation place) {
      return sources.getFileOffset(sources.getFileLoc(place));
    };
    Definition definition;
    definition.name = function->getNameAsString();
    definition.line = sources.getPresumedLineNumber(function->getLocation());
    definition.lastLine = sources.getPresumedLineNumber(function->getEndLoc());
    definition.begin = offsetOf(begin);
    definition.body = offsetOf(body ? body->getBeginLoc() : begin);
    definition.end = offsetOf(function->getEndLoc());
    found.push_back(std::move(definition));
    return true;
  }

private:
  const clang::SourceManager &sources;
  std::vector<Definition> &found;
};
} // namespace

/// The innermost definition around a character; null if there is none.
static const Definition *around(unsigned offset,
                                const std::vector<Definition> &all) {
  const Definition *best = nullptr;
  for (const Definition &definition : all)
    if (definition.begin <= offset && offset <= definition.end &&
        (!best || best->begin < definition.begin))
      best = &definition;
  return best;
}

/// Replaces everything except line ends by blanks.
static void blank(std::string &text, unsigned from, unsigned to) {
  for (unsigned i = from; i < to && i < text.size(); ++i)
    if (text[i] != '\n')
      text[i] = ' ';
}

/// Removes only the body if that is enough, otherwise the whole definition. The
/// replacement body ends the program at the original position, so that the
/// function's lines stay known.
static void takeOut(std::string &text, const Definition &definition,
                    bool isInBody) {
  bool hasBraces = definition.body < definition.end &&
                   definition.end < text.size() &&
                   text[definition.body] == '{' && text[definition.end] == '}';
  if (!isInBody || !hasBraces)
    return blank(text, definition.begin, definition.end + 1);
  blank(text, definition.body + 1, definition.end);
  text.insert(definition.end, "__builtin_trap();");
}

/// Removes the definitions that contain the errors; false if an error is in no
/// function.
static bool takeOut(std::string &text, const std::vector<unsigned> &errors,
                    const std::vector<Definition> &definitions,
                    llvm::StringRef path, std::vector<LeftOut> &leftOut) {
  std::vector<std::pair<const Definition *, bool>> broken;
  for (unsigned offset : errors) {
    const Definition *definition = around(offset, definitions);
    if (!definition)
      return false;
    bool isInBody = offset > definition->body;
    auto known = llvm::find_if(
        broken, [&](const auto &entry) { return entry.first == definition; });
    if (known == broken.end())
      broken.push_back({definition, isInBody});
    else
      known->second &= isInBody;
  }
  // From the back, so that offsets stay valid.
  llvm::sort(broken, [](const auto &a, const auto &b) {
    return a.first->begin > b.first->begin;
  });
  for (const auto &[definition, isInBody] : broken) {
    leftOut.push_back(
        {definition->name, path.str(), definition->line, definition->lastLine});
    bool isInside =
        llvm::any_of(broken, [&, inner = definition](const auto &b) {
          return b.first != inner && b.first->begin <= inner->begin &&
                 inner->end <= b.first->end;
        });
    if (!isInside)
      takeOut(text, *definition, isInBody);
  }
  return !broken.empty();
}

std::optional<CompiledUnit> sluice::runClangOnSoundParts(
    llvm::StringRef path, const CompileOptions &options,
    llvm::LLVMContext &context, Diagnostics &diagnostics,
    std::vector<LeftOut> &leftOut, const MakeReader &makeReader) {
  constexpr unsigned maxRounds = 8;
  CompileOptions again = options;
  // Warnings that a flag turns into errors do not make a function invalid.
  for (const char *flag : {"-ferror-limit=0", "-w"})
    again.arguments.push_back(flag);
  llvm::SmallString<128> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  std::string text;
  for (unsigned round = 0; round != maxRounds; ++round) {
    ErrorFinder errors;
    std::vector<Definition> definitions;
    CompileWatch watch{
        &errors, [&](clang::ASTContext &ast) {
          const clang::SourceManager &sources = ast.getSourceManager();
          text = sources.getBufferData(sources.getMainFileID()).str();
          DefinitionFinder(sources, definitions).TraverseAST(ast);
        }};
    Diagnostics found = diagnostics;
    llvm::Expected<CompiledUnit> unit =
        runClangWatched(path, again, context, found, makeReader, watch);
    if (unit) {
      diagnostics = std::move(found);
      return std::move(*unit);
    }
    llvm::consumeError(unit.takeError());
    if (errors.areElsewhere ||
        !takeOut(text, errors.offsets, definitions, path, leftOut))
      return std::nullopt;
    again.memoryFiles = options.memoryFiles;
    again.memoryFiles.insert(again.memoryFiles.begin(),
                             MemoryFile{absolute.str().str(), text});
  }
  return std::nullopt;
}
