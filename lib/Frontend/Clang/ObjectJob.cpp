//===- ObjectJob.cpp - One source on its way to an object file ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's back end writes the object, so that all flags for objects have the
// effect that they have for clang: sections, relocations, debug information.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/Clang/ObjectJob.h"

#include "FrontendWords.h"

#include "clang/Basic/TargetInfo.h"
#include "clang/CodeGen/BackendUtil.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace sluice;

namespace {
/// Reads a job's line; what is wrong with it, the compilation will say.
struct JobReader {
  explicit JobReader(const ObjectJob &job)
      : files(llvm::vfs::getRealFileSystem()),
        diagnostics(clang::CompilerInstance::createDiagnostics(
            *files, options, new clang::IgnoringDiagConsumer())),
        invocation(invocationOf(job.words, *diagnostics)) {}

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files;
  clang::DiagnosticOptions options;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics;
  std::shared_ptr<clang::CompilerInvocation> invocation;
};
} // namespace

//===----------------------------------------------------------------------===//
// What a job says
//===----------------------------------------------------------------------===//

ObjectCode sluice::codeOf(const ObjectJob &job) {
  JobReader reader(job);
  ObjectCode result;
  if (!reader.invocation)
    return result;
  const clang::TargetOptions &target = reader.invocation->getTargetOpts();
  result.cpu = target.CPU;
  for (const std::string &feature : target.FeaturesAsWritten)
    result.cpu += "," + feature;
  const clang::CodeGenOptions &code = reader.invocation->getCodeGenOpts();
  result.optimizationLevel = code.OptimizationLevel;
  result.hasVariables =
      code.getDebugInfo() > llvm::codegenoptions::DebugLineTablesOnly;
  return result;
}

std::string sluice::whyOnlyClang(const ObjectJob &job) {
  static constexpr llvm::StringLiteral onlyClang[] = {"-fsanitize=",
                                                      "-fprofile-",
                                                      "-fcoverage-mapping",
                                                      "-coverage-",
                                                      "-pg",
                                                      "-finstrument-",
                                                      "-fxray-",
                                                      "-fembed-",
                                                      "-flto",
                                                      "-mllvm",
                                                      "-load",
                                                      "-plugin",
                                                      "-fpass-plugin",
                                                      "-fopenmp-targets",
                                                      "-fopenmp-is-target",
                                                      "-fopenmp-host-ir",
                                                      "-fsplit-stack",
                                                      "-ftime-",
                                                      "-fcs-profile",
                                                      "-opt-record",
                                                      "-disable-llvm-passes",
                                                      "-femit-",
                                                      "-fplugin",
                                                      "-fdebug-pass",
                                                      "-print-",
                                                      "-fthinlto",
                                                      "-mspeculative-load",
                                                      "-fpatchable-",
                                                      "-fclangir"};
  llvm::StringRef previous;
  for (llvm::StringRef word : job.words) {
    if (previous == "-x" &&
        !llvm::is_contained({"c", "c++", "cpp-output", "c++-cpp-output"}, word))
      return "its language is '" + word.str() + "'";
    if (previous == "-triple") {
      llvm::Triple wanted(word), own(llvm::sys::getDefaultTargetTriple());
      if (wanted.getArch() != own.getArch() || wanted.getOS() != own.getOS() ||
          wanted.getEnvironment() != own.getEnvironment())
        return "it is compiled for '" + word.str() + "'";
    }
    if (llvm::any_of(onlyClang, [&](llvm::StringRef start) {
          return word.starts_with(start);
        }))
      return "'" + word.str() + "' is given";
    if (word.starts_with("-mcmodel=") && word != "-mcmodel=small")
      return "'" + word.str() + "' is given";
    previous = word;
  }
  if (!llvm::is_contained(job.words, "-emit-obj"))
    return "its output is no object file";
  llvm::sys::fs::file_status status;
  return llvm::sys::fs::status(job.source, status) ||
                 !llvm::sys::fs::is_regular_file(status)
             ? "it is no file"
             : "";
}

//===----------------------------------------------------------------------===//
// Sources as text
//===----------------------------------------------------------------------===//

namespace {
/// Looks for words in a source and the headers of its project.
class WordSearch {
public:
  explicit WordSearch(const clang::CompilerInvocation &invocation);

  bool find(llvm::StringRef path);

private:
  bool hasWord(llvm::StringRef text) const;
  bool findIncluded(llvm::StringRef line, llvm::StringRef path);

  static constexpr unsigned maxFiles = 512;
  std::vector<std::string> folders;
  std::vector<llvm::StringRef> words = {"hpvm", "hetero"};
  llvm::StringSet<> seen;
};
} // namespace

WordSearch::WordSearch(const clang::CompilerInvocation &invocation) {
  for (const auto &entry : invocation.getHeaderSearchOpts().UserEntries)
    if (entry.Group == clang::frontend::Quoted ||
        entry.Group == clang::frontend::Angled)
      folders.push_back(entry.Path);
  if (invocation.getLangOpts().OpenMP)
    words.push_back("omp");
}

/// "omp", but not "compute"; names of HPVM's functions have underscores around.
bool WordSearch::hasWord(llvm::StringRef text) const {
  for (llvm::StringRef word : words)
    for (size_t at = text.find(word); at != llvm::StringRef::npos;
         at = text.find(word, at + 1)) {
      char before = at ? text[at - 1] : ' ';
      size_t end = at + word.size();
      char after = end < text.size() ? text[end] : ' ';
      if (!llvm::isAlnum(before) && !llvm::isAlnum(after))
        return true;
    }
  return false;
}

bool WordSearch::findIncluded(llvm::StringRef line, llvm::StringRef path) {
  line = line.ltrim();
  if (!line.consume_front("#"))
    return false;
  line = line.ltrim();
  if (!line.consume_front("include"))
    return false;
  line = line.ltrim();
  bool isQuoted = line.starts_with("\"");
  if (!isQuoted && !line.starts_with("<"))
    return false;
  llvm::StringRef name =
      line.drop_front().take_until([](char c) { return c == '"' || c == '>'; });
  if (llvm::sys::path::is_absolute(name))
    return find(name);
  if (isQuoted) {
    llvm::SmallString<128> header(llvm::sys::path::parent_path(path));
    llvm::sys::path::append(header, name);
    if (llvm::sys::fs::exists(header))
      return find(header);
  }
  for (const std::string &folder : folders) {
    llvm::SmallString<128> header(folder);
    llvm::sys::path::append(header, name);
    if (llvm::sys::fs::exists(header))
      return find(header);
  }
  return false;
}

bool WordSearch::find(llvm::StringRef path) {
  if (seen.size() == maxFiles) // nobody knows
    return true;
  if (!seen.insert(path).second)
    return false;
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status) ||
      !llvm::sys::fs::is_regular_file(status))
    return false;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return false;
  llvm::StringRef text = (*buffer)->getBuffer();
  if (hasWord(text))
    return true;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (findIncluded(line, path))
      return true;
    text = rest;
  }
  return false;
}

bool sluice::mayConcernSluice(const ObjectJob &job) {
  JobReader reader(job);
  if (!reader.invocation)
    return false;
  WordSearch search(*reader.invocation);
  const clang::PreprocessorOptions &before =
      reader.invocation->getPreprocessorOpts();
  llvm::StringRef precompiled = before.ImplicitPCHInclude;
  if (precompiled.consume_back(".pch") || precompiled.consume_back(".gch"))
    if (search.find(precompiled))
      return true;
  return search.find(job.source) ||
         llvm::any_of(before.Includes, [&](const std::string &path) {
           return search.find(path);
         });
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// Leaves only what the job asks for.
static void reduceDebugInfo(const clang::CodeGenOptions &code,
                            llvm::Module &module) {
  if (code.getDebugInfo() <= llvm::codegenoptions::LocTrackingOnly)
    llvm::StripDebugInfo(module);
  else if (code.getDebugInfo() <= llvm::codegenoptions::DebugLineTablesOnly)
    llvm::stripNonLineTableDebugInfo(module);
}

llvm::Error sluice::emitObject(const ObjectJob &job, llvm::Module &module,
                               bool isOptimized,
                               llvm::SmallVectorImpl<char> &object) {
  JobReader reader(job);
  if (!reader.invocation)
    return llvm::createStringError("clang refused its options for '" +
                                   job.source + "'");
  clang::CompilerInstance compiler(reader.invocation);
  compiler.createVirtualFileSystem(reader.files);
  // The front end has said what is wrong with options, and written its files.
  clang::DiagnosticOptions &said = compiler.getDiagnosticOpts();
  said.Warnings.push_back("no-unknown-warning-option");
  said.DiagnosticSerializationFile.clear();
  said.DiagnosticLogFile.clear();
  compiler.createDiagnostics();
  if (!compiler.createTarget())
    return llvm::createStringError("clang knows no target for '" + job.source +
                                   "'");
  clang::CodeGenOptions &code = compiler.getCodeGenOpts();
  reduceDebugInfo(code, module);
  code.DisableLLVMPasses = true;
  if (isOptimized && code.OptimizationLevel == 0)
    code.OptimizationLevel = 2;
  clang::emitBackendOutput(compiler, code,
                           compiler.getTarget().getDataLayoutString(), &module,
                           clang::Backend_EmitObj, reader.files,
                           std::make_unique<llvm::raw_svector_ostream>(object));
  if (compiler.getDiagnostics().hasErrorOccurred())
    return llvm::createStringError("no code can be generated for '" +
                                   job.source + "'");
  return llvm::Error::success();
}
