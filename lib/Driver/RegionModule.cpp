//===- RegionModule.cpp - The rdir module of a program --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionModule.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "sluice/Driver/Regions.h"
#include "sluice/RDIR/Import.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static bool fail(const Twine &message) {
  errs() << "sluice: error: " << message << '\n';
  return false;
}

/// Text and bytecode both spell the dialect's name where its operations are.
static bool mayHoldRegions(StringRef path) {
  if (sys::path::extension(path) != ".mlir")
    return false;
  auto buffer = MemoryBuffer::getFile(path);
  return buffer && (*buffer)->getBuffer().contains("rdir");
}

static std::unique_ptr<mlir::MLIRContext> createContext() {
  std::unique_ptr<mlir::MLIRContext> context = createGraphContext();
  context->loadDialect<rdir::RDIRDialect>();
  return context;
}

static bool isRegionModule(mlir::ModuleOp module) {
  return any_of(*module.getBody(), [](mlir::Operation &op) {
    return isa_and_nonnull<rdir::RDIRDialect>(op.getDialect());
  });
}

/// True unless the file is a module of another dialect. What is wrong in it is
/// said later.
static bool holdsRegions(const std::string &path) {
  if (!mayHoldRegions(path))
    return false;
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic &) {});
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, context.get());
  return !module || isRegionModule(*module);
}

bool driver::hasRegions(const ProgramOptions &options) {
  return any_of(options.files, holdsRegions);
}

/// The only .mlir file of the program; empty after an error.
static std::string moduleFile(const ProgramOptions &options) {
  std::string found;
  for (const std::string &file : options.files) {
    if (sys::path::extension(file) != ".mlir")
      continue;
    if (!found.empty()) {
      fail("'" + found + "' and '" + file +
           "' are two modules, but a program over regions is one; put the "
           "graphs of both into one file");
      return "";
    }
    found = file;
  }
  if (found.empty())
    fail("no .mlir file given: a program over regions is a module of the rdir "
         "dialect and the sources of its tasks");
  return found;
}

/// Reports what is wrong with a graph and the bodies in it.
static bool check(const rdir::ImportedGraph &imported) {
  rdir::CheckOptions options;
  options.name = imported.namer();
  rdir::CheckResult result = rdir::checkGraph(imported.graph, options);
  for (const rdir::Problem &problem : result.problems) {
    if (problem.severity != rdir::Severity::Error)
      continue;
    auto error = imported.operations[problem.node]->emitError();
    error << problem.message << " [" << rdir::ruleName(problem.rule) << "]";
    for (const rdir::ProblemNote &note : problem.notes)
      error.attachNote(imported.operations[note.node]->getLoc()) << note.text;
  }
  bool isGood = !result.hasErrors();
  for (const auto &nested : imported.nested)
    isGood &= check(*nested);
  return isGood;
}

static bool lowerChecked(CheckedRegions &regions) {
  bool isGood = true;
  std::unique_ptr<rdir::ImportedModule> imported =
      rdir::importModule(*regions.module);
  for (const auto &graph : imported->graphs)
    isGood &= check(*graph);
  if (!isGood)
    return false;
  mlir::FailureOr<codegen::RegionProgram> program =
      codegen::lowerRegionProgram(*regions.module);
  if (mlir::failed(program))
    return false;
  regions.program = std::move(*program);
  regions.program.name = sys::path::stem(regions.path);
  return true;
}

std::unique_ptr<CheckedRegions>
driver::readRegions(const ProgramOptions &options) {
  auto regions = std::make_unique<CheckedRegions>();
  regions->path = moduleFile(options);
  if (regions->path.empty())
    return nullptr;
  std::string problem;
  auto buffer = mlir::openInputFile(regions->path, &problem);
  if (!buffer) {
    fail(problem);
    return nullptr;
  }
  regions->context = createContext();
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, regions->context.get(),
                                           errs());
  regions->module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, regions->context.get());
  if (!regions->module)
    return nullptr;
  if (!isRegionModule(*regions->module)) {
    fail("'" + regions->path +
         "' declares no regions: it is no module of the rdir dialect");
    return nullptr;
  }
  return lowerChecked(*regions) ? std::move(regions) : nullptr;
}
