//===- Options.h - How a task graph is compiled -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a meta-program may ask of the compiler: in code, or by its command line
// (Options::parse).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_OPTIONS_H
#define SLUICE_TASKGRAPH_OPTIONS_H

#include "sluice/TaskGraph/Export.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice {

/// The graph was refused, or could not be compiled: all problems, a line each,
/// "file:line: error: ...".
class SLUICE_API CompileError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
  ~CompileError() override;
};
/// A task failed, or a result was asked for that is not there.
class SLUICE_API RunError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
  ~RunError() override;
};

/// The command line of a meta-program.
struct SLUICE_API Options {
  //===- What to make -----------------------------------------------------===//
  /// -o: an executable; with the ending .mlir, .ll, .o, .svg, .dot or .html
  /// that form of the program instead.
  std::string output;
  /// --print=graph|dfg|plan|llvm|asm: to stdout, instead of compiling.
  std::string print;
  /// --run: run in this process instead of compiling.
  bool runs = false;
  /// --march: CPU for executables; default x86-64-v2. Runs are for this CPU.
  std::string cpu;
  /// --fast-float: floating-point results may depend on the CPU that code is
  /// compiled for: products and sums round once where it can, and Halide
  /// reorders sums. Else runs and executables for any CPU give the same bits.
  bool fastFloat = false;
  /// --serial: one task after another, in the order in which they are created.
  bool serial = false;
  /// --workers=N, for runs; 0: SLUICE_WORKERS or all cores.
  unsigned workers = 0;
  /// --depfile: writes a rule for make with the files that the executable was
  /// made from, headers included.
  std::string dependencyFile;
  /// --check-only: report problems, make nothing.
  bool checksOnly = false;
  /// --check: C kernels that report every access to memory, so that what tasks
  /// do beside what they say fails them, slowly. SLUICE_CHECK=1 does the same
  /// for runs.
  bool checked = false;
  /// Gets warnings and remarks, a line each or more, instead of stderr.
  std::function<void(const std::string &text)> tell;
  /// --remarks: say which orders follow from creation only, and more.
  bool remarks = false;

  //===- Where code is found ----------------------------------------------===//
  /// --kernel-source=FILE: sources, objects and libraries of C kernels.
  std::vector<std::string> kernelSources;
  /// --kernel-flag=FLAG: for sources.
  std::vector<std::string> kernelFlags;
  /// --link-flag=FLAG: for the executable.
  std::vector<std::string> linkFlags;
  /// --python-path=A:B: folders of Python modules, before the source folder of
  /// the meta-program and the working directory.
  std::string pythonPath;

  //===- Variants ---------------------------------------------------------===//
  /// --variants: keep all variants of Halide tasks, for `sluice tune`.
  bool variants = false;
  /// --tuned-params=FILE: parameters of Halide tasks: sections [task] or
  /// [generator N] of lines `name = value`; several of a generator are
  /// variants of its tasks.
  std::string tunedParamsFile;

  //===- Accepted as published meta-programs give them; no effect here
  //------===//
  /// Taken from the command line, and not used.
  ///@{
  std::string buildArgsFile, platformFile, modelsDir, inputDescFile;
  std::string profilingMeasurementsFile, profilingSamplesFile;
  std::string modelFile, modelCPFile, candidatesFile;
  bool profilingHarness = false, profile = false;
  ///@}

  /// Reads the command line; throws std::invalid_argument.
  void parse(int argc, char **argv);
  /// The same, but prints the problem or the help and exits (2 or 0).
  void parseOrExit(int argc, char **argv);
};

} // namespace sluice

#endif // SLUICE_TASKGRAPH_OPTIONS_H
