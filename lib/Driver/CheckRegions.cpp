//===- CheckRegions.cpp - Checking modules of the rdir dialect ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/CheckRegions.h"
#include "Progress.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "sluice/Base/Text.h"
#include "sluice/Driver/Program.h"
#include "sluice/RDIR/CheckModule.h"
#include "sluice/RDIR/Order.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static bool isModuleFile(StringRef path) {
  StringRef ending = sys::path::extension(path);
  return ending == ".mlir" || ending == ".mlirbc";
}

static std::unique_ptr<mlir::MLIRContext> createContext() {
  std::unique_ptr<mlir::MLIRContext> context = createGraphContext();
  context->loadDialect<rdir::RDIRDialect>();
  return context;
}

template <typename DialectT> static bool holds(mlir::ModuleOp module) {
  return any_of(*module.getBody(), [](mlir::Operation &op) {
    return isa_and_nonnull<DialectT>(op.getDialect());
  });
}

bool driver::isRegionFile(const std::string &path) {
  if (!isModuleFile(path))
    return false;
  // Text and bytecode both spell the dialect's name.
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer || !(*buffer)->getBuffer().contains("rdir"))
    return false;
  // Large files are graphs; the others are read twice.
  if ((*buffer)->getBufferSize() > (1 << 20))
    return true;
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic &) {});
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, context.get());
  return !module || holds<rdir::RDIRDialect>(*module);
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// "main", or "main, body of '%l'".
static std::string titleOf(const rdir::ImportedGraph &imported) {
  if (!imported.parent)
    return cast<rdir::GraphOp>(imported.op).getSymName().str();
  return titleOf(*imported.parent) + ", body of " +
         imported.parent->name(imported.owner);
}

static void printOrder(const rdir::ImportedGraph &imported, raw_ostream &os) {
  rdir::TaskOrder order = rdir::taskOrder(imported.graph);
  rdir::Schedule schedule = rdir::schedule(order);
  os << titleOf(imported) << ": "
     << countOf(order.tasks.size(), "task", "tasks") << " in "
     << countOf(schedule.criticalPath, "step", "steps") << ", at most "
     << schedule.width << " at a time\n";
  for (auto [index, task] : enumerate(order.tasks)) {
    mlir::Operation *op = imported.operations[task];
    os << "  " << index + 1 << ". " << imported.name(task);
    if (auto function = op->getAttrOfType<mlir::FlatSymbolRefAttr>("function");
        function && !rdir::isUnnamed(op))
      os << " @" << function.getValue();
    os << ", step " << schedule.steps[index] + 1 << '\n';
  }
  for (const auto &nested : imported.nested)
    printOrder(*nested, os);
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

namespace {
/// What a module has, bodies included.
struct Counts {
  size_t tasks = 0, data = 0, edges = 0;

  void add(const rdir::ImportedGraph &imported) {
    for (const rdir::Node &node : imported.graph.allNodes()) {
      tasks += rdir::isTaskLike(node.kind);
      data += !rdir::isCompute(node.kind);
    }
    edges += imported.graph.allEdges().size();
    for (const auto &nested : imported.nested)
      add(*nested);
  }
};

/// The module of one file; it stays readable for diagnostics.
class RegionFile {
public:
  RegionFile() : context(createContext()) {}

  bool read(const std::string &path);

  std::unique_ptr<mlir::MLIRContext> context;
  SourceMgr sources;
  std::optional<mlir::SourceMgrDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

bool RegionFile::read(const std::string &path) {
  std::string problem;
  auto buffer = mlir::openInputFile(path, &problem);
  if (!buffer) {
    errs() << "sluice: error: " << problem << '\n';
    return false;
  }
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  handler.emplace(sources, context.get(), errs());
  module = mlir::parseSourceFile<mlir::ModuleOp>(sources, context.get());
  if (!module)
    return false;
  if (holds<dfg::DFGDialect>(*module)) {
    for (mlir::Operation &op : *module->getBody())
      if (isa_and_nonnull<dfg::DFGDialect>(op.getDialect())) {
        op.emitError("graphs of 'dfg' and 'rdir' cannot share a module; put "
                     "them into two files");
        return false;
      }
  }
  return true;
}

static void printProof(const rdir::ImportedModule &imported, raw_ostream &os) {
  Counts counts;
  for (const auto &graph : imported.graphs)
    counts.add(*graph);
  os << "no problems in " << countOf(imported.graphs.size(), "graph", "graphs")
     << " with " << countOf(counts.tasks, "task", "tasks") << ", "
     << countOf(counts.data, "version", "versions") << " of regions and "
     << countOf(counts.edges, "edge", "edges") << '\n'
     << "proven free of races and serializable\n";
}

bool driver::checkRegions(const RegionCheckOptions &options, raw_ostream &os) {
  Progress progress;
  progress.begin("reading " + options.file);
  // Lives until the process ends: freeing a large module takes long.
  RegionFile &file = *new RegionFile;
  if (!file.read(options.file))
    return false;
  progress.begin("building the graphs of " + options.file);
  rdir::ImportedModule &imported = *rdir::importModule(*file.module).release();
  progress.begin("checking " + options.file);
  rdir::ModuleCheck check = rdir::checkModule(imported);
  progress.finish();
  rdir::emitFindings(check, /*hasRemarks=*/true);
  if (check.hasErrors())
    return false;
  printProof(imported, os);
  if (options.hasOrder)
    for (const auto &graph : imported.graphs)
      printOrder(*graph, os);
  return true;
}
