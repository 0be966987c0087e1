//===- main.cpp - Describes a wrong graph, says why it is refused ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: not wrong-graphs nonsense 2>&1 | FileCheck %s
// CHECK: no program 'nonsense'
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

static std::map<std::string, Describe> &programs() {
  static std::map<std::string, Describe> all;
  return all;
}

WrongProgram::WrongProgram(const char *name, Describe describe) {
  programs()[name] = describe;
}

/// Nothing may have been compiled for a graph that is refused.
static bool isUntouched() {
  const char *cache = std::getenv("SLUICE_CACHE_DIR");
  std::filesystem::path folder = std::string(cache ? cache : ".") +
                                 "/programs";
  return !std::filesystem::exists("wrong.out") &&
         (!std::filesystem::exists(folder) ||
          std::filesystem::is_empty(folder));
}

/// Why the graph is refused; "accepted", or "something was made", if it is not
/// as it should be.
static std::string refusal(TaskGraph &graph, const Options &options) {
  try {
    compile(graph, options);
  } catch (const CompileError &error) {
    return isUntouched() ? error.what() : "something was made\n";
  } catch (const RunError &error) {
    return std::string("accepted, but it fails: ") + error.what() + '\n';
  }
  return "accepted\n";
}

int main(int argc, char **argv) {
  auto found = argc > 1 ? programs().find(argv[1]) : programs().end();
  if (found == programs().end()) {
    std::fprintf(stderr, "no program '%s'\n", argc > 1 ? argv[1] : "");
    return 2;
  }
  TaskGraph graph("wrong");
  found->second(graph);
  Options options;
  options.output = "wrong.out";
  options.pythonPath = SLUICE_WRONG_FOLDER "/Inputs";
  std::string compiled = refusal(graph, options);
  options.runs = true;
  std::string run = refusal(graph, options);
  std::fputs(compiled.c_str(), stdout);
  // Kernels are searched in more places then, so only the beginning is equal.
  size_t end = compiled.find("error:");
  if (end == std::string::npos || run.compare(0, end, compiled, 0, end) != 0) {
    std::printf("but when it is run: %s", run.c_str());
    return 1;
  }
  return 0;
}
