//===- CommandLine.cpp - The options of commands on programs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Inputs.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice::driver;

int usage(const Twine &message) {
  errs() << "sluice: error: " << message << '\n';
  return exitUsage;
}

int problem(const Twine &message) {
  errs() << "sluice: error: " << message << '\n';
  return exitProblems;
}

std::optional<sluice::dfg::Target> parseHint(StringRef name) {
  return StringSwitch<std::optional<sluice::dfg::Target>>(name)
      .Case("cpu", sluice::dfg::Target::Cpu)
      .Case("gpu", sluice::dfg::Target::Gpu)
      .Case("either", sluice::dfg::Target::CpuOrGpu)
      .Default(std::nullopt);
}

ProgramOptions programOptions(const CommandLine &line) {
  ProgramOptions options;
  for (const std::string &file : line.files)
    (isLinkerInput(file) ? options.linkerFlags : options.files).push_back(file);
  if (!line.cpu.empty())
    options.compilerFlags.push_back("-march=" + line.cpu);
  append_range(options.compilerFlags, line.flags.compiler);
  append_range(options.linkerFlags, line.flags.linker);
  options.optimizationLevel = line.flags.level.value_or(3);
  options.profiling = line.flags.profiling;
  options.isLegacy = line.isLegacy;
  options.isVersion05 = line.version == "0.5";
  options.isReference = line.isReference;
  bool any = !line.noTransforms;
  options.transforms = {.flattenGraphs = any && !line.noFlatten,
                        .removeDead = any && !line.noDead,
                        .fuseNodes = any && !line.noFuse,
                        .pipelineEdges = any && !line.noPipeline};
  options.isChecked = line.isChecked;
  options.hint = parseHint(line.hint);
  return options;
}

BuildOptions buildOptions(const CommandLine &line, const char *cpu) {
  BuildOptions options;
  options.program = programOptions(line);
  options.program.cpu = line.cpu.empty() ? cpu : line.cpu.getValue();
  options.deviceChip = line.chip;
  if (StringRef(cpu) == "native")
    options.findChip = chipOfMachine;
  return options;
}

std::optional<std::string> moduleOfRegions(const CommandLine &line) {
  std::optional<std::string> module;
  for (const std::string &file : line.files) {
    StringRef ending = sys::path::extension(file);
    if (ending != ".mlir" && ending != ".mlirbc")
      continue;
    if (module) {
      usage("'" + *module + "' and '" + file +
            "' are two modules; take one at a time");
      return std::nullopt;
    }
    module = file;
  }
  return module;
}
