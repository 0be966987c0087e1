//===- CompilerWrapper.cpp - 'sluice cc' and 'sluice c++' -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sluice's part of the work of clang's driver: compiling sources with graphs
// (buildObject), and adding the libraries that programs with graphs need.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/CompilerWrapper.h"

#include "sluice/Driver/Build.h"
#include "sluice/Frontend/Clang/CompilerCommand.h"
#include "sluice/Toolchain/Toolchain.h"
#include "sluice/Toolchain/Tools.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static BuildOptions unitOptions(const ObjectJob &job) {
  BuildOptions build;
  ObjectCode code = codeOf(job);
  ProgramOptions &options = build.program;
  options.files = {job.source};
  options.frontendWords = job.words;
  options.compilerFlags = job.flags;
  options.cpu = code.cpu;
  options.optimizationLevel = code.optimizationLevel;
  options.isDebuggable = code.hasVariables;
  options.saysLeft = job.saysLeft;
  return build;
}

/// Programs without graphs do not need the runtime: it is linked if something
/// refers to it.
static std::vector<std::string> runtimeWords(const LinkRequest &request) {
  std::string folder = libraryFolder();
  std::vector<std::string> words = {"-L" + folder,
                                    "-Wl,--push-state,--as-needed"};
  if (request.isStatic) {
    words.push_back("-l:libSluiceRuntime.a");
    if (!request.namesLibraries)
      for (const char *library : {"-lstdc++", "-lm", "-lpthread", "-ldl"})
        words.push_back(library);
  } else {
    words.push_back("-lSluiceRuntime");
  }
  words.push_back("-Wl,--pop-state");
  auto addRunPath = [&](const std::string &path) {
    if (!request.isStatic)
      for (const char *word : {"-Xlinker", "-rpath", "-Xlinker"})
        words.push_back(word);
    if (!request.isStatic)
      words.push_back(path);
  };
  addRunPath(folder);
  // The system's may be of another version.
  if (request.usesOpenMP)
    addRunPath(SLUICE_LLVM_BIN "/../lib");
  return words;
}

int driver::compile(ArrayRef<const char *> words, bool isCpp) {
  auto compileJob = [](const ObjectJob &job) -> std::optional<int> {
    std::optional<bool> isDone = buildObject(unitOptions(job), job);
    if (!isDone)
      return std::nullopt;
    return *isDone ? 0 : 1;
  };
  return runCompilerCommand(words, isCpp,
                            {.compile = compileJob, .link = runtimeWords});
}
