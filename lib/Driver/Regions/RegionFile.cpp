//===- RegionFile.cpp - The file of an rdir module ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionFile.h"
#include "mlir/Parser/Parser.h"
#include "sluice/Diagnostics/SourceTexts.h"
#include "sluice/Driver/Program.h"
#include "sluice/RDIR/InferVersions.h"
#include "sluice/RDIR/RDIR.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

bool driver::isModuleFile(StringRef path) {
  StringRef ending = sys::path::extension(path);
  return ending == ".mlir" || ending == ".mlirbc";
}

static std::unique_ptr<mlir::MLIRContext> createContext() {
  std::unique_ptr<mlir::MLIRContext> context = createGraphContext();
  context->loadDialect<rdir::RDIRDialect>();
  context->printOpOnDiagnostic(false);
  return context;
}

/// The first operation of a dialect in the module, null if there is none.
template <typename DialectT>
static mlir::Operation *firstOf(mlir::ModuleOp module) {
  for (mlir::Operation &op : *module.getBody())
    if (isa_and_nonnull<DialectT>(op.getDialect()))
      return &op;
  return nullptr;
}

bool driver::holdsRegions(const std::string &path) {
  if (!isModuleFile(path))
    return false;
  // Both text and bytecode spell the dialect's name where they use its
  // operations.
  std::string problem;
  std::unique_ptr<MemoryBuffer> buffer = readSourceFile(path, problem);
  if (!buffer || !buffer->getBuffer().contains("rdir"))
    return false;
  // Large files are not read twice.
  if (buffer->getBufferSize() > (1 << 20))
    return true;
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic &) {});
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, context.get());
  return !module || firstOf<rdir::RDIRDialect>(*module);
}

/// Whether one thread per core can be started now.
static bool canStartThreads() {
  std::vector<std::thread> threads;
  std::mutex mutex;
  bool isGood = true;
  std::unique_lock lock(mutex); // All of the threads wait for this.
  try {
    for (unsigned i = 0; i != std::thread::hardware_concurrency(); ++i)
      threads.emplace_back([&] { std::lock_guard guard(mutex); });
  } catch (const std::system_error &) {
    isGood = false;
  }
  lock.unlock();
  for (std::thread &thread : threads)
    thread.join();
  return isGood;
}

RegionFile::RegionFile() : context(createContext()) {}

bool RegionFile::read(const std::string &path) {
  std::string problem;
  std::unique_ptr<MemoryBuffer> buffer = readSourceFile(path, problem);
  if (!buffer) {
    printError(problem);
    return false;
  }
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  printer.emplace(*context);
  // Reading is sequential. With multithreading, each attribute is looked up and
  // stored twice, and every operation's location is an attribute.
  context->disableMultithreading();
  module = mlir::parseSourceFile<mlir::ModuleOp>(sources, context.get());
  // MLIR aborts the process if it cannot start its threads.
  if (canStartThreads())
    context->enableMultithreading();
  if (!module)
    return false;
  if (!firstOf<rdir::RDIRDialect>(*module)) {
    printError("'" + path +
               "' declares no regions: it is no module of the rdir dialect");
    return false;
  }
  if (mlir::Operation *other = firstOf<dfg::DFGDialect>(*module)) {
    other->emitError("graphs of 'dfg' and 'rdir' cannot share a module; put "
                     "them into two files");
    return false;
  }
  for (rdir::GraphOp graph : module->getOps<rdir::GraphOp>())
    if (rdir::namesRegions(graph))
      inferred.insert(graph.getSymName());
  return mlir::succeeded(rdir::inferVersions(*module));
}
