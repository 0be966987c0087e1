//===- OptionsHelp.cpp - The flags of meta-programs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of flags, and the text of --help, which is generated from it.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "sluice/Base/Text.h"

using namespace sluice;

const std::vector<OptionEntry> &sluice::optionTable() {
  static const std::vector<OptionEntry> table = {
      {"output", 'o', "FILE", &Options::output,
       "make FILE: an executable, or by its ending .mlir, .ll, .o, .svg, .dot "
       "or .html"},
      {"print", 0, "STAGE", &Options::print,
       "print graph, dfg, plan, llvm or asm instead of compiling"},
      {"run", 0, "", &Options::runs, "run here instead of compiling"},
      {"march", 0, "CPU", &Options::cpu, "CPU of the executable (x86-64-v2)"},
      {"fast-float", 0, "", &Options::fastFloat,
       "let floating-point results depend on the CPU, for speed"},
      {"serial", 0, "", &Options::serial,
       "run one task after another, as they were created"},
      {"workers", 0, "N", &Options::workers,
       "threads of a run (SLUICE_WORKERS, else all cores)"},
      {"depfile", 0, "FILE", &Options::dependencyFile,
       "write what the executable was made from, as a rule for make"},
      {"check-only", 0, "", &Options::checksOnly,
       "report problems, make nothing"},
      {"check", 0, "", &Options::checked,
       "check what tasks do to their data while they run, slowly"},
      {"remarks", 0, "", &Options::remarks,
       "say which orders follow from creation only, and more"},
      {"kernel-source", 0, "FILE", &Options::kernelSources,
       "look for C kernels in this source, object or library"},
      {"kernel-flag", 0, "FLAG", &Options::kernelFlags,
       "flag for sources of kernels"},
      {"link-flag", 0, "FLAG", &Options::linkFlags,
       "flag for linking the executable"},
      {"python-path", 0, "A:B", &Options::pythonPath,
       "folders of Python modules"},
      {"variants", 0, "", &Options::variants,
       "keep all variants of Halide tasks, for 'sluice tune'"},
      {"tuned-params", 0, "FILE", &Options::tunedParamsFile,
       "parameters of Halide tasks, by sections [task] or [generator N]"},
      {"build-args", 0, "FILE", &Options::buildArgsFile, "", true},
      {"platform", 'p', "FILE", &Options::platformFile, "", true},
      {"input", 0, "FILE", &Options::inputDescFile, "", true},
      {"models", 0, "FOLDER", &Options::modelsDir, "", true},
      {"model", 0, "FILE", &Options::modelFile, "", true},
      {"model-cp", 0, "FILE", &Options::modelCPFile, "", true},
      {"candidates", 0, "FILE", &Options::candidatesFile, "", true},
      {"profile", 0, "", &Options::profile, "", true},
      {"profiling-harness", 0, "", &Options::profilingHarness, "", true},
      {"profiling-measurements", 0, "FILE", &Options::profilingMeasurementsFile,
       "", true},
      {"profiling-samples", 0, "FILE", &Options::profilingSamplesFile, "",
       true},
  };
  return table;
}

static std::string flagText(const OptionEntry &entry) {
  std::string text = concat("--", entry.name);
  if (!entry.value.empty())
    text += concat('=', entry.value);
  return entry.letter ? concat('-', entry.letter, ", ", text) : text;
}

std::string sluice::optionHelp(std::string_view program) {
  std::string text = concat("usage: ", program, " [option...]\n\n");
  std::string ignored;
  for (const OptionEntry &entry : optionTable()) {
    if (entry.isIgnored) {
      ignored += concat(" --", entry.name);
      continue;
    }
    std::string flag = flagText(entry);
    size_t padding = flag.size() < 24 ? 24 - flag.size() : 1;
    text += concat("  ", flag, std::string(padding, ' '), entry.help, '\n');
  }
  return concat(text, "  -h, --help              print this text\n\n",
                "accepted without effect:", ignored, '\n');
}
