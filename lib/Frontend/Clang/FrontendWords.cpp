//===- FrontendWords.cpp - Lines for clang's front end --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendWords.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;

std::shared_ptr<clang::CompilerInvocation>
sluice::invocationOf(llvm::ArrayRef<std::string> words,
                     clang::DiagnosticsEngine &diagnostics) {
  std::vector<const char *> line;
  for (const std::string &word : words)
    line.push_back(word.c_str());
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, line,
                                                 diagnostics))
    return nullptr;
  return invocation;
}

static bool hasWord(llvm::ArrayRef<std::string> words, llvm::StringRef start) {
  return llvm::any_of(
      words, [&](llvm::StringRef word) { return word.starts_with(start); });
}

void sluice::raiseLevel(clang::CodeGenOptions &code) {
  if (code.OptimizationLevel >= 2)
    return;
  code.OptimizationLevel = 2;
  code.UnrollLoops = true;
  if (code.getInlining() == clang::CodeGenOptions::OnlyAlwaysInlining)
    code.setInlining(clang::CodeGenOptions::NormalInlining);
}

/// The last of each option counts. No pass runs on this code, but -O0 would
/// mark it as not to be optimised, and -O1 its loops as not to be unrolled.
/// Where clang compares the level with that of a precompiled header or module,
/// raiseLevel comes later.
std::shared_ptr<clang::CompilerInvocation>
sluice::readingInvocationOf(llvm::ArrayRef<std::string> words,
                            clang::DiagnosticsEngine &diagnostics) {
  std::vector<std::string> line = words.vec();
  std::string level = "-O0", debug;
  for (llvm::StringRef word : words) {
    if (word.size() <= 3 && word.starts_with("-O"))
      level = word.str();
    if (word.starts_with("-debug-info-kind="))
      debug = word.str();
  }
  bool isCompared =
      hasWord(words, "-include-pch") || hasWord(words, "-fmodule-file=");
  // -Os and -Oz mark functions.
  if (level != "-Os" && level != "-Oz" && !isCompared)
    line.push_back("-O2");
  if (debug.empty() || llvm::StringRef(debug).ends_with("=line-tables-only") ||
      llvm::StringRef(debug).ends_with("=line-directives-only"))
    line.push_back("-debug-info-kind=constructor");
  if (!hasWord(words, "-dwarf-version="))
    line.push_back("-dwarf-version=5");
  if (!hasWord(words, "-debugger-tuning="))
    line.push_back("-debugger-tuning=gdb");
  std::shared_ptr<clang::CompilerInvocation> invocation =
      invocationOf(line, diagnostics);
  if (!invocation)
    return nullptr;
  if (level == "-O0" && !isCompared) {
    clang::PreprocessorOptions &macros = invocation->getPreprocessorOpts();
    macros.addMacroUndef("__OPTIMIZE__");
    macros.addMacroUndef("__NO_INLINE__");
    macros.addMacroDef("__NO_INLINE__=1");
  }
  clang::CodeGenOptions &code = invocation->getCodeGenOpts();
  code.DebugColumnInfo = true;
  code.DiscardValueNames = false;
  return invocation;
}
