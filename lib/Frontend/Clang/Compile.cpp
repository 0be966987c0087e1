//===- Compile.cpp - Clang in process -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's driver finds the resource folder, the C++ library and the target;
// its code generator writes the module; a SourceReader sees every declaration
// first.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/Clang/Compile.h"

#include "CompileWatch.h"
#include "Coroutines.h"
#include "FrontendWords.h"
#include "OpenMPSources.h"
#include "RecordFiles.h"
#include "sluice/Base/Progress.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Diagnostics/SourceTexts.h"
#include "sluice/Toolchain/Manifest.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace sluice;

//===----------------------------------------------------------------------===//
// The action
//===----------------------------------------------------------------------===//

namespace {
/// Stands before the code generator.
class ReadingConsumer : public clang::ASTConsumer {
public:
  ReadingConsumer(clang::CodeGenerator &generator,
                  clang::Preprocessor &preprocessor,
                  const MakeReader &makeReader, Diagnostics &diagnostics,
                  const CompileWatch &watch, CompiledUnit &unit)
      : generator(generator), preprocessor(preprocessor),
        makeReader(makeReader), diagnostics(diagnostics), watch(watch),
        unit(unit) {}

  void Initialize(clang::ASTContext &ast) override {
    reader = makeReader(ast, preprocessor, diagnostics);
  }
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group)
      reader->read(declaration);
    return true;
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl *function) override {
    reader->read(function);
  }
  void
  HandleCXXStaticMemberVarInstantiation(clang::VarDecl *variable) override {
    reader->read(variable);
  }
  void HandleTranslationUnit(clang::ASTContext &ast) override {
    if (watch.atEnd)
      watch.atEnd(ast);
    if (ast.getDiagnostics().hasErrorOccurred())
      return;
    reader->finish(generator, unit);
  }

private:
  clang::CodeGenerator &generator;
  clang::Preprocessor &preprocessor;
  const MakeReader &makeReader;
  Diagnostics &diagnostics;
  const CompileWatch &watch;
  CompiledUnit &unit;
  std::unique_ptr<SourceReader> reader;
};

/// Sees the macros that stand for the time.
class TimeReader : public clang::PPCallbacks {
public:
  explicit TimeReader(std::vector<std::string> &dependencies)
      : dependencies(dependencies) {}

  void MacroExpands(const clang::Token &token, const clang::MacroDefinition &,
                    clang::SourceRange, const clang::MacroArgs *) override {
    const clang::IdentifierInfo *name = token.getIdentifierInfo();
    if (!name)
      return;
    bool isFixed = std::getenv("SOURCE_DATE_EPOCH") != nullptr;
    if (name->isStr("__DATE__") && !isFixed)
      dependencies.push_back(dependsOnDay);
    if ((name->isStr("__TIME__") && !isFixed) || name->isStr("__TIMESTAMP__"))
      dependencies.push_back(dependsOnMore);
  }

private:
  std::vector<std::string> &dependencies;
};

class CompileAction : public clang::ASTFrontendAction {
public:
  CompileAction(llvm::LLVMContext &context, const MakeReader &makeReader,
                Diagnostics &diagnostics, const CompileWatch &watch,
                CompiledUnit &unit)
      : context(context), makeReader(makeReader), diagnostics(diagnostics),
        watch(watch), unit(unit) {}

  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &compiler,
                    llvm::StringRef file) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<TimeReader>(unit.dependencies));
    std::unique_ptr<clang::CodeGenerator> owned =
        clang::CreateLLVMCodeGen(compiler, file, context);
    generator = owned.get();
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<ReadingConsumer>(
        *generator, compiler.getPreprocessor(), makeReader, diagnostics, watch,
        unit));
    consumers.push_back(std::move(owned));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  /// What was precompiled has been opened.
  void ExecuteAction() override {
    raiseLevel(getCompilerInstance().getCodeGenOpts());
    ASTFrontendAction::ExecuteAction();
  }

  void EndSourceFileAction() override {
    unit.module.reset(generator->ReleaseModule().release());
  }

private:
  llvm::LLVMContext &context;
  const MakeReader &makeReader;
  Diagnostics &diagnostics;
  const CompileWatch &watch;
  CompiledUnit &unit;
  clang::CodeGenerator *generator = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace {
/// Turns clang's messages into ours.
class MessageCollector : public clang::DiagnosticConsumer {
public:
  explicit MessageCollector(Diagnostics &diagnostics)
      : diagnostics(diagnostics) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    SourcePlace place = placeOf(info);
    std::string message = text.str().str();
    if (level >= clang::DiagnosticsEngine::Error)
      last = &diagnostics.error(place, message);
    else if (level == clang::DiagnosticsEngine::Warning)
      last = &diagnostics.warning(place, message);
    else if (level == clang::DiagnosticsEngine::Remark)
      last = &diagnostics.remark(place, message);
    else if (last)
      last->note(place, message);
    if (!last)
      return;
    last->isFromClang = true;
    if (level > clang::DiagnosticsEngine::Note)
      addRange(info, *last);
    // What a note offers is a way out of what it belongs to.
    if (!last->fix)
      addFix(info, message, *last);
  }

private:
  static SourcePlace placeOf(const clang::Diagnostic &info) {
    return info.hasSourceManager()
               ? placeOf(info.getLocation(), info.getSourceManager())
               : SourcePlace();
  }

  static SourcePlace placeOf(clang::SourceLocation location,
                             const clang::SourceManager &sources) {
    if (location.isInvalid())
      return {};
    clang::PresumedLoc place = sources.getPresumedLoc(location);
    if (place.isInvalid())
      return {};
    return {place.getFilename(), place.getLine(), place.getColumn()};
  }

  static SourcePlace endOf(const clang::CharSourceRange &range,
                           const clang::SourceManager &sources) {
    clang::SourceLocation end = range.getEnd();
    if (range.isTokenRange())
      end = clang::Lexer::getLocForEndOfToken(end, 0, sources,
                                              clang::LangOptions());
    return placeOf(end, sources);
  }

  /// What clang underlines behind the place.
  static void addRange(const clang::Diagnostic &info, Diagnostic &diagnostic) {
    if (!info.hasSourceManager())
      return;
    const clang::SourceManager &sources = info.getSourceManager();
    for (const clang::CharSourceRange &range : info.getRanges())
      if (placeOf(range.getBegin(), sources) == diagnostic.place)
        diagnostic.end = endOf(range, sources);
  }

  /// The change that clang offers; not one within a macro.
  static void addFix(const clang::Diagnostic &info, const std::string &title,
                     Diagnostic &diagnostic) {
    Fix fix = {title, {}};
    for (const clang::FixItHint &hint : info.getFixItHints()) {
      const clang::SourceManager &sources = info.getSourceManager();
      // Texts that are to be copied from elsewhere are not in the hint.
      if (hint.RemoveRange.getBegin().isMacroID() ||
          hint.RemoveRange.getEnd().isMacroID() ||
          hint.InsertFromRange.isValid())
        return;
      fix.edits.push_back({placeOf(hint.RemoveRange.getBegin(), sources),
                           endOf(hint.RemoveRange, sources),
                           hint.CodeToInsert});
    }
    if (!fix.edits.empty())
      diagnostic.fix = std::move(fix);
  }

  Diagnostics &diagnostics;
  /// What notes belong to.
  Diagnostic *last = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

std::string sluice::findHeaderFolder() {
  static int anchor;
  std::string tool = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<128> folder(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(tool)));
  llvm::sys::path::append(folder, "include", "sluice", "hpvm");
  if (llvm::sys::fs::exists(folder + "/hpvm.h"))
    return folder.str().str();
  return SLUICE_HEADER_FOLDER;
}

static bool decideAboutOpenMP(const std::vector<std::string> &arguments) {
  return llvm::any_of(arguments, [](llvm::StringRef argument) {
    return argument.starts_with("-fopenmp") ||
           argument.starts_with("-fno-openmp");
  });
}

/// The command line of clang's driver. The level of optimisation comes last:
/// no pass runs here, but -O0 would mark the code as not to be optimised, and
/// -O1 its loops as not to be unrolled. The folder of `hpvm.h` lies two below
/// that of `sluice-c/Runtime.h`.
static std::vector<std::string> commandLine(llvm::StringRef path,
                                            const CompileOptions &options,
                                            llvm::vfs::FileSystem &files) {
  std::string folder =
      options.headerFolder.empty() ? findHeaderFolder() : options.headerFolder;
  // A file with zero bytes is damaged; clang would show each of them.
  std::vector<std::string> line = {SLUICE_CLANG, "-Werror=null-character"};
  // What the program says of OpenMP, if it says something, comes later.
  if (!decideAboutOpenMP(options.arguments) && hasOpenMPDirectives(path, files))
    line.push_back("-fopenmp");
  line.insert(line.end(), options.arguments.begin(), options.arguments.end());
  llvm::StringRef level = "-O2";
  for (llvm::StringRef argument : options.arguments)
    if (argument == "-Os" || argument == "-Oz") // marks functions
      level = argument;
  for (llvm::StringRef ours :
       {llvm::StringRef("-fsyntax-only"), level, llvm::StringRef("-g"),
        llvm::StringRef("-gcolumn-info"),
        llvm::StringRef("-fno-discard-value-names"),
        llvm::StringRef("-Qunused-arguments")})
    line.push_back(ours.str());
  for (const std::string &headers : {folder, folder + "/../.."}) {
    // Named again, the system's folder would come before that of C++, whose
    // headers then miss those of C.
    if (llvm::sys::fs::equivalent(headers, "/usr/include"))
      continue;
    line.push_back("-isystem");
    line.push_back(headers);
  }
  // Clang believes that a file of the same size and time is the same, so no
  // module outlives the process.
  if (llvm::any_of(options.arguments, [](llvm::StringRef argument) {
        return argument == "-fmodules" || argument == "-fcxx-modules";
      }))
    if (Result<std::string> modules = workPath(".modules"); modules.ok())
      line.push_back("-fmodules-cache-path=" + *modules);
  if (options.version == HPVMVersion::V0_5)
    line.push_back("-DSLUICE_HPVM_VERSION=50");
  line.push_back(path.str());
  return line;
}

/// The disk, below what editors have not saved yet and the files in memory.
static llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
fileSystem(const CompileOptions &options,
           llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk) {
  if (options.memoryFiles.empty() && unsavedTexts().empty())
    return disk;
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const MemoryFile &file : options.memoryFiles)
    memory->addFile(file.path, /*ModificationTime=*/0,
                    llvm::MemoryBuffer::getMemBufferCopy(file.text, file.path));
  for (const auto &[path, text] : unsavedTexts())
    memory->addFile(path, /*ModificationTime=*/0,
                    llvm::MemoryBuffer::getMemBufferCopy(text, path));
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(disk);
  files->pushOverlay(memory);
  return files;
}

bool sluice::needOpenMPFlag(llvm::ArrayRef<std::string> paths,
                            const CompileOptions &options) {
  if (decideAboutOpenMP(options.arguments))
    return false;
  auto files = fileSystem(options, llvm::vfs::getRealFileSystem());
  return llvm::any_of(paths, [&](const std::string &path) {
    return hasOpenMPDirectives(path, *files);
  });
}

/// Files that flags name: -fprofile-use=FILE.
static void noteFilesOfFlags(const CompileOptions &options,
                             std::vector<std::string> &dependencies) {
  for (llvm::StringRef argument : options.arguments)
    if (auto [flag, file] = argument.split('=');
        flag.starts_with("-f") && file.contains('/'))
      dependencies.push_back(file.str());
    else if (flag.starts_with("-f") && llvm::sys::fs::exists(file))
      dependencies.push_back(file.str());
}

static bool readsFiles(llvm::StringRef assembly) {
  return assembly.contains(".incbin") || assembly.contains(".include");
}

/// Whether the assembler will read files, of which it tells nobody.
static bool readsFiles(const llvm::Module &module) {
  if (readsFiles(module.getModuleInlineAsm()))
    return true;
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (auto *code =
                llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
          if (readsFiles(code->getAsmString()))
            return true;
  return false;
}

namespace {
/// Clang's own messages on stderr.
class TextPrinter : public clang::TextDiagnosticPrinter {
public:
  explicit TextPrinter(clang::DiagnosticOptions &options)
      : TextDiagnosticPrinter(llvm::errs(), options) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    // Notes belong to what was said before.
    if (level != clang::DiagnosticsEngine::Note)
      isShown = level >= clang::DiagnosticsEngine::Error ||
                verbosity() != Verbosity::Quiet;
    if (!isShown)
      return;
    hideProgress();
    TextDiagnosticPrinter::HandleDiagnostic(level, info);
  }
  /// Clang says next how many there were.
  void EndSourceFile() override {
    hideProgress();
    TextDiagnosticPrinter::EndSourceFile();
  }

private:
  bool isShown = true;
};
} // namespace

llvm::Expected<CompiledUnit> sluice::runClang(llvm::StringRef path,
                                              const CompileOptions &options,
                                              llvm::LLVMContext &context,
                                              Diagnostics &diagnostics,
                                              const MakeReader &makeReader) {
  // Clang prints its own messages, unless somebody else wants them.
  Diagnostics received;
  MessageCollector collector(options.collectsMessages ? diagnostics : received);
  CompileWatch watch;
  if (options.collectsMessages || areDiagnosticsRedirected())
    watch.client = &collector;
  llvm::Expected<CompiledUnit> unit =
      runClangWatched(path, options, context, diagnostics, makeReader, watch);
  received.print(llvm::errs());
  return unit;
}

/// What clang is to do; null after messages.
static std::shared_ptr<clang::CompilerInvocation>
makeInvocation(llvm::StringRef path, const CompileOptions &options,
               const clang::CreateInvocationOptions &creation) {
  if (!options.frontendWords.empty())
    return readingInvocationOf(options.frontendWords, *creation.Diags);
  std::vector<std::string> line = commandLine(path, options, *creation.VFS);
  std::vector<const char *> arguments;
  for (const std::string &argument : line)
    arguments.push_back(argument.c_str());
  return clang::createInvocation(arguments, creation);
}

llvm::Expected<CompiledUnit>
sluice::runClangWatched(llvm::StringRef path, const CompileOptions &options,
                        llvm::LLVMContext &context, Diagnostics &diagnostics,
                        const MakeReader &makeReader,
                        const CompileWatch &watch) {
  auto disk = llvm::makeIntrusiveRefCnt<RecordingFileSystem>(
      llvm::vfs::getRealFileSystem());
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem =
      ::fileSystem(options, disk);
  if (!fileSystem->exists(path))
    return llvm::createStringError("'" + path + "' does not exist");
  clang::DiagnosticConsumer *client = watch.client;
  clang::DiagnosticOptions diagnosticOptions;
  diagnosticOptions.ShowColors = hasColors(llvm::errs());
  clang::CreateInvocationOptions creation;
  creation.VFS = fileSystem;
  creation.Diags = clang::CompilerInstance::createDiagnostics(
      *fileSystem, diagnosticOptions, client, /*ShouldOwnClient=*/!client);
  std::shared_ptr<clang::CompilerInvocation> invocation =
      makeInvocation(path, options, creation);
  if (!invocation || creation.Diags->hasErrorOccurred())
    return llvm::createStringError("clang refused its options for '" + path +
                                   "'");
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getCodeGenOpts().ClearASTBeforeBackend = false;

  // Where recursion gets deep, clang looks how far it is from here.
  clang::noteBottomOfStack(/*ForceSet=*/true);
  CompiledUnit unit;
  unit.path = path.str();
  diagnostics.spellFile(unit.path);
  clang::CompilerInstance compiler(std::move(invocation));
  if (options.frontendWords.empty())
    compiler.getDiagnosticOpts().ShowColors = diagnosticOptions.ShowColors;
  if (client) // no count of errors on stderr
    compiler.getDiagnosticOpts().ShowCarets = false;
  compiler.createVirtualFileSystem(fileSystem);
  compiler.createDiagnostics(
      client ? client : new TextPrinter(compiler.getDiagnosticOpts()),
      /*ShouldOwnClient=*/!client);
  CompileAction action(context, makeReader, diagnostics, watch, unit);
  bool good = compiler.ExecuteAction(action);
  if (!good || !unit.module || compiler.getDiagnostics().hasErrorOccurred())
    return llvm::createStringError("'" + path + "' does not compile");
  lowerCoroutines(*unit.module);
  if (readsFiles(*unit.module))
    unit.dependencies.push_back(dependsOnMore);
  noteFilesOfFlags(options, unit.dependencies);
  unit.dependencies.insert(unit.dependencies.end(), disk->getPaths().begin(),
                           disk->getPaths().end());
  return unit;
}
