//===- Program.h - A program on its way through the compiler --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the files of a program, whatever they are written in, to one module of
// code and one module of graphs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_PROGRAM_H
#define SLUICE_DRIVER_PROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sluice/Analysis/Races.h"
#include "sluice/CodeGen/InlineMath.h"
#include "sluice/CodeGen/KernelPipeline.h"
#include "sluice/DFG/DFG.h"
#include "sluice/Diagnostics/LLVM.h"
#include "sluice/Diagnostics/MLIR.h"
#include "sluice/Diagnostics/Proof.h"
#include "sluice/Frontend/OpenMP/LowerOpenMP.h"
#include "sluice/Transforms/Transforms.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::driver {

/// What the command line says about a program.
struct ProgramOptions {
  /// .c .cc .cpp .cxx .C: compiled; .ll .bc .mlir: read; others: linked.
  std::vector<std::string> files;
  /// For clang: -I -D -U -std= -f -W -m.
  std::vector<std::string> compilerFlags;
  /// For the linker: -l -L -Wl, objects and libraries.
  std::vector<std::string> linkerFlags;
  std::string cpu = "native";
  unsigned optimizationLevel = 3;
  codegen::Profiling profiling;
  codegen::MathLibrary math = codegen::MathLibrary::Inline;
  /// Instances with loops in them may run as lanes of vectors.
  bool makesLanes = true;
  /// Memory that many rows of instances read in their loops may be copied
  /// first.
  bool makesPanels = true;
  /// Instances at the borders of a grid may have code of their own.
  bool splitsBorders = true;
  /// .ll files are in the form of LLVM 9 and older.
  bool isLegacy = false;
  /// Target hints have the numbers of HPVM 0.5.
  bool isVersion05 = false;
  /// Plain code generation, for comparing results.
  bool isReference = false;
  /// A debugger is to see the variables of leaves (-g).
  bool isDebuggable = false;
  /// The transforms of the graphs before they become plans.
  transforms::TransformOptions transforms;
  /// Every node gets this hint, whatever the program says.
  std::optional<dfg::Target> hint;
  /// Print remarks as well: what the race check cannot decide.
  bool hasRemarks = false;
  /// Print a remark for what runs on LLVM's library of OpenMP.
  bool saysLeft = false;
  /// Read programs that race, or draw those that break a rule, all the same, to
  /// show where.
  bool keepsRaces = false;
  /// Print to stdout what the race check believes, as rdir text.
  bool printsRegions = false;
  /// Code that reports every access to memory (SLUICE_CHECK=1).
  bool isChecked = false;
  /// Several processes that MPI starts may run graphs together.
  bool isForRanks = false;
  /// The only file is a source of a program that others link, and this is its
  /// line for clang's front end (see ObjectJob).
  std::vector<std::string> frontendWords;
  /// Options of LLVM that the process has taken, which may change code.
  std::vector<std::string> llvmFlags;
  /// Build the program even if it is in the cache: its passes are to be seen.
  bool showsPasses = false;
};

/// A program after import: all checks passed.
struct Program {
  Program() { printMessagesOf(codeContext); }

  llvm::LLVMContext codeContext;
  std::unique_ptr<mlir::MLIRContext> graphContext;
  /// Prints messages of all phases about the graphs.
  std::unique_ptr<MLIRPrinter> printer;
  /// Host and leaf code; calls `llvm.hpvm.*`.
  std::unique_ptr<llvm::Module> code;
  /// The graphs.
  mlir::OwningOpRef<mlir::ModuleOp> graphs;
  /// The results of lowering loops of OpenMP.
  OpenMPSummary openMP;
  /// The results of the race check; without races unless they are to be kept.
  RaceReport races;
  /// The drawing of a program that breaks a rule, which has no graphs, for
  /// Graphviz; only if wanted.
  std::string refused;
  /// Files the program was made from, headers included.
  std::vector<std::string> dependencies;

  /// The graphs that the host launches: no node runs such a graph.
  std::vector<dfg::GraphOp> getRoots();
  /// Functions of the code that are node functions.
  std::vector<llvm::Function *> getNodeFunctions();
  /// Functions of the code that are leaves.
  std::vector<llvm::Function *> getLeaves();

  /// How much of the program is proven to be free of races.
  ProofReport proof;
  /// Node functions that belong to no graph.
  std::vector<std::string> unusedNodeFunctions;
  /// Mutable data of leaves, which variants share with the program.
  std::vector<std::string> exports;
  /// Others link the code into a program.
  bool isUnit = false;
};

/// A context with the dialects that graphs use.
std::unique_ptr<mlir::MLIRContext> createGraphContext();

/// Reads and checks a program. Prints every problem to stderr; null if there
/// was one, but for what ProgramOptions::keepsRaces keeps.
std::unique_ptr<Program> readProgram(const ProgramOptions &options);

/// Runs the graph transforms over the program. Prints an error and returns
/// false if the result is not valid.
bool transformProgram(Program &program,
                      const transforms::TransformOptions &options);

/// Writes the program as one .mlir text: graphs, and the code as bitcode.
void writeProgram(Program &program, llvm::raw_ostream &os);

/// Reads what writeProgram wrote.
llvm::Expected<std::unique_ptr<Program>>
readSerializedProgram(llvm::StringRef path);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_PROGRAM_H
