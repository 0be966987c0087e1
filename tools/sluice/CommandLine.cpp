//===- CommandLine.cpp - The options of commands on programs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "InputFiles.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice::driver;

int usage(const Twine &message) {
  sluice::printError(message);
  return exitUsage;
}

int problem(const Twine &message) {
  sluice::printError(message);
  return exitProblems;
}

static std::optional<sluice::dfg::Target> parseHint(StringRef name) {
  return StringSwitch<std::optional<sluice::dfg::Target>>(name)
      .Case("cpu", sluice::dfg::Target::Cpu)
      .Case("gpu", sluice::dfg::Target::Gpu)
      .Case("either", sluice::dfg::Target::CpuOrGpu)
      .Default(std::nullopt);
}

bool printsPasses(const CommandLine &line) {
  return line.has(OPT_print_after) || line.has(OPT_print_before) ||
         line.has(OPT_print_changed);
}

bool showsPasses(const CommandLine &line) {
  return printsPasses(line) || line.has(OPT_time_passes) ||
         line.has(OPT_stats) || !line.flags.llvm.empty();
}

ProgramOptions programOptions(const CommandLine &line) {
  ProgramOptions options;
  for (const std::string &file : line.files)
    (isLinkerInput(file) ? options.linkerFlags : options.files).push_back(file);
  if (line.has(OPT_march))
    options.compilerFlags.push_back("-march=" + line.value(OPT_march));
  append_range(options.compilerFlags, line.flags.compiler);
  append_range(options.linkerFlags, line.flags.linker);
  options.optimizationLevel = line.flags.level.value_or(3);
  options.profiling = line.flags.profiling;
  options.llvmFlags = line.flags.llvm;
  options.showsPasses = showsPasses(line);
  options.isLegacy = line.has(OPT_legacy);
  options.isVersion05 = line.value(OPT_hpvm_version) == "0.5";
  options.isReference = line.has(OPT_reference);
  options.isDebuggable = line.flags.isDebuggable;
  if (line.value(OPT_math) == "libm")
    options.math = sluice::codegen::MathLibrary::Libm;
  options.makesLanes = !line.has(OPT_no_lanes);
  options.makesPanels = !line.has(OPT_no_panels);
  options.splitsBorders = !line.has(OPT_no_borders);
  bool any = !line.has(OPT_no_transforms);
  options.transforms = {.flattenGraphs = any && !line.has(OPT_no_flatten),
                        .removeDead = any && !line.has(OPT_no_dead),
                        .fuseNodes = any && !line.has(OPT_no_fuse),
                        .tileNodes = any && !line.has(OPT_no_tile),
                        .pipelineEdges = any && !line.has(OPT_no_pipeline)};
  options.isChecked = line.has(OPT_checked);
  options.hint = parseHint(line.value(OPT_hint));
  return options;
}

BuildOptions buildOptions(const CommandLine &line, const char *cpu) {
  BuildOptions options;
  options.program = programOptions(line);
  options.program.cpu = line.has(OPT_march) ? line.value(OPT_march) : cpu;
  options.deviceChip = line.value(OPT_device_arch);
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
