//===- Options.h - How a task graph is compiled -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of the compiler that a meta-program may set in code or by its
// command line (Options::parse).
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

/// The graph was refused or could not be compiled. Contains all problems, one
/// per line: "file:line: error: ...".
class SLUICE_API CompileError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
  ~CompileError() override;
};
/// A task failed, or a requested result does not exist.
class SLUICE_API RunError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
  ~RunError() override;
};

/// The command line of a meta-program.
struct SLUICE_API Options {
  //===- What to make -----------------------------------------------------===//
  /// -o: an executable; with the suffix .mlir, .ll, .o, .svg, .dot or .html,
  /// that form of the program instead.
  std::string output;
  /// --print=graph|dfg|plan|llvm|asm: to stdout, instead of compiling.
  std::string print;
  /// --run: run in this process instead of compiling.
  bool runs = false;
  /// --march: CPU for executables; default x86-64-v2. Runs use this machine's
  /// CPU.
  std::string cpu;
  /// --fast-float: floating-point results may depend on the CPU for which code
  /// is compiled: products and sums use one rounding where possible, and Halide
  /// reorders sums. Otherwise runs and executables for any CPU produce bitwise
  /// equal results.
  bool fastFloat = false;
  /// --serial: run one task after another, in creation order.
  bool serial = false;
  /// --workers=N, for runs; 0: SLUICE_WORKERS or all cores.
  unsigned workers = 0;
  /// --depfile: writes a make rule with the files from which the executable was
  /// made, including headers.
  std::string dependencyFile;
  /// --check-only: report problems, produce no output.
  bool checksOnly = false;
  /// --check: C kernels report every memory access, so that a task that
  /// accesses more than it declares fails. This is slow. SLUICE_CHECK=1 does
  /// the same for runs.
  bool checked = false;
  /// Receives warnings and remarks, of one or more lines each, instead of
  /// stderr.
  std::function<void(const std::string &text)> tell;
  /// --remarks: report which orders follow only from creation order, and more.
  bool remarks = false;

  //===- Where code is found ----------------------------------------------===//
  /// --kernel-source=FILE: sources, objects and libraries of C kernels.
  std::vector<std::string> kernelSources;
  /// --kernel-flag=FLAG: for sources.
  std::vector<std::string> kernelFlags;
  /// --link-flag=FLAG: for the executable.
  std::vector<std::string> linkFlags;
  /// --python-path=A:B: folders of Python modules, searched before the source
  /// folder of the meta-program and the working directory.
  std::string pythonPath;

  //===- Variants ---------------------------------------------------------===//
  /// --variants: keep all variants of Halide tasks, for `sluice tune`.
  bool variants = false;
  /// --tuned-params=FILE: parameters of Halide tasks, as sections [task] or
  /// [generator N] with lines `name = value`; several sections of a generator
  /// are variants of its tasks.
  std::string tunedParamsFile;

  //===- Accepted as published meta-programs give them; no effect here
  //------===//
  /// Read from the command line, but not used.
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
