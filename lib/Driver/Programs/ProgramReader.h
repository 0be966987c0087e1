//===- ProgramReader.h - The files of a program to graphs and code --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of readProgram, which calls them in this order (Phases.cpp). Each
// adds what is wrong to the messages of all, which are printed at the end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_PROGRAMREADER_H
#define SLUICE_LIB_DRIVER_PROGRAMS_PROGRAMREADER_H

#include "CompileAhead.h"
#include "sluice/Base/Progress.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Driver/Program.h"
#include "sluice/Frontend/Clang/Compile.h"

#include <memory>
#include <string>
#include <vector>

namespace sluice::driver {

class ProgramReader {
public:
  /// `progress` is told what begins.
  ProgramReader(const ProgramOptions &options, Progress &progress);

  /// Compiles sources, reads IR and .mlir files. False if nothing is known
  /// about a part of the program.
  bool readFiles();
  /// Makes canonical HPVM IR of all sources and IR, in one module.
  bool linkCode();
  /// Checks the rules and makes graphs of the calls in the code.
  bool importGraphs();
  /// Links the leaf code of graphs in .mlir files to that of the host.
  bool addLeafCode();
  /// Gives every instance of a leaf its own thread-local variables, see
  /// Reports/ThreadLocals.h.
  bool giveThreadLocals();
  /// False if the program is racy.
  bool findRaces();
  /// Prints all messages; the program if all steps were good.
  std::unique_ptr<Program> finish(bool isGood);

private:
  void readFile(const std::string &path);
  CompileOptions compileOptions() const;
  llvm::Expected<CompiledUnit> compile(const std::string &path,
                                       const CompileOptions &compile);
  void compileAhead();
  void readSource(const std::string &path);
  void readCodeFile(const std::string &path, bool isLeafCode);
  void readGraphs(const std::string &path);
  void readCode(dfg::CodeOp code, llvm::StringRef path);
  void fail(const llvm::Twine &message);

  const ProgramOptions &options;
  Progress &progress;
  std::unique_ptr<Program> program;
  Diagnostics diagnostics;
  std::optional<CompileAhead> ahead;
  std::vector<CompiledUnit> units;
  /// Clang refused a source; what it could not read was left out, so that the
  /// rest can be looked at.
  bool isRefused = false;
  std::vector<LeftOut> leftOut;
  /// Leaf code of graphs in .mlir files; may also be host code whose graphs
  /// have been imported before (see writeProgram).
  std::vector<std::unique_ptr<llvm::Module>> leafModules;
  /// Graphs that stand in .mlir files.
  mlir::OwningOpRef<mlir::ModuleOp> writtenGraphs;
  bool hasWrittenGraphs = false;
  /// Nothing is known about a part of the program.
  bool failed = false;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_PROGRAMREADER_H
