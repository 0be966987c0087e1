//===- ReadTasks.cpp - Task graphs from files -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the task graph of an MLIR file, after finding out whether the file
// holds one.
//
//===----------------------------------------------------------------------===//

#include "../Regions/RegionFile.h"
#include "mlir/Parser/Parser.h"
#include "sluice/DFG/DFG.h"
#include "sluice/Diagnostics/MLIR.h"
#include "sluice/Diagnostics/SourceTexts.h"
#include "sluice/Driver/TaskGraphs.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Both text and bytecode spell the op's name where it is used.
static bool holdsTaskGraph(const std::string &path) {
  if (!isModuleFile(path))
    return false;
  std::string problem;
  std::unique_ptr<MemoryBuffer> buffer = readSourceFile(path, problem);
  if (!buffer || !buffer->getBuffer().contains("task_graph"))
    return false;
  std::unique_ptr<mlir::MLIRContext> context = createGraphContext();
  mlir::ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic &) {});
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, context.get());
  // Errors in it are reported when it is read.
  return !module || !module->getOps<dfg::TaskGraphOp>().empty();
}

bool driver::hasTaskGraphs(const ProgramOptions &options) {
  return any_of(options.files, holdsTaskGraph);
}

mlir::OwningOpRef<mlir::ModuleOp>
driver::readTaskGraph(StringRef path, mlir::MLIRContext &context) {
  std::string problem;
  std::unique_ptr<MemoryBuffer> buffer = readSourceFile(path.str(), problem);
  if (!buffer) {
    printError(problem);
    return nullptr;
  }
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  MLIRPrinter printer(context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (module && module->getOps<dfg::TaskGraphOp>().empty()) {
    printError("'" + path + "' has no task graph");
    return nullptr;
  }
  return module;
}
