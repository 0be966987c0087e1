//===- ProgramReader.h - From files to graphs and code --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of readProgram, which calls them in this order (Phases.cpp). Each
// step adds its errors to a common list of messages, which is printed at the
// end.
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
  /// `progress` receives the name of each step as it begins.
  ProgramReader(const ProgramOptions &options, Progress &progress);

  /// Compiles sources, reads IR and .mlir files. False if nothing is known
  /// about a part of the program.
  bool readFiles();
  /// Whether clang has accepted all sources.
  bool areSourcesGood() const { return !isRefused && !failed; }
  /// Whether a source calls HPVM-C or Hetero-C++.
  bool callsGraphs() const;
  /// Whether a source starts teams of OpenMP.
  bool startsTeams() const;
  /// Makes canonical HPVM IR of all sources and IR, in one module.
  bool linkCode();
  /// Checks the rules and makes graphs of the calls in the code.
  bool importGraphs();
  /// Links the leaf code of graphs in .mlir files to that of the host.
  bool addLeafCode();
  /// Gives every instance of a leaf its own thread-local variables, see
  /// Reports/ThreadLocalReports.h.
  bool giveThreadLocals();
  /// Returns false if the program has races.
  bool findRaces();
  /// Whether races are errors since the command line has warnings be errors.
  bool refusesRaces() const { return areRacesErrors; }
  /// Prints all messages; returns the program if all steps were successful.
  std::unique_ptr<Program> finish(bool isGood);

private:
  void describeUnitRaces();
  void describeUnitLeft();
  void readFile(const std::string &path);
  CompileOptions compileOptions();
  llvm::Expected<CompiledUnit> compile(const std::string &path,
                                       const CompileOptions &compile);
  void compileAhead();
  void readSource(const std::string &path);
  void readCodeFile(const std::string &path, bool isLeafCode);
  void readGraphs(const std::string &path);
  void readCode(dfg::CodeOp code, llvm::StringRef path);
  void fail(const llvm::Twine &message);

  const ProgramOptions &options;
  /// Whether all sources get -fopenmp; not known before the first.
  std::optional<bool> needsOpenMP;
  Progress &progress;
  std::unique_ptr<Program> program;
  Diagnostics diagnostics;
  std::optional<CompileAhead> ahead;
  std::vector<CompiledUnit> units;
  /// Clang rejected a source. The parts with errors were left out, so that the
  /// rest can be checked.
  bool isRefused = false;
  std::vector<LeftOut> leftOut;
  /// Leaf code of graphs in .mlir files. May also be host code whose graphs
  /// were imported before (see writeProgram).
  std::vector<std::unique_ptr<llvm::Module>> leafModules;
  /// The graphs in .mlir files.
  mlir::OwningOpRef<mlir::ModuleOp> writtenGraphs;
  bool hasWrittenGraphs = false;
  /// Nothing is known about a part of the program.
  bool failed = false;
  bool areRacesErrors = false;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_PROGRAMREADER_H
