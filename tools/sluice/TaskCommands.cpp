//===- TaskCommands.cpp - The commands of sluice on task graphs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskCommands.h"
#include "sluice/Diagnostics/MLIR.h"
#include "sluice/Driver/Draw.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static bool isModuleFile(StringRef file) {
  StringRef ending = sys::path::extension(file);
  return ending == ".mlir" || ending == ".mlirbc";
}

std::optional<TaskFiles> taskFiles(const BuildOptions &options,
                                   const std::string &root) {
  TaskFiles files;
  files.options.build = options;
  files.options.root = root;
  for (const std::string &file : options.program.files) {
    if (!isModuleFile(file)) {
      files.options.kernelSources.push_back(file);
      continue;
    }
    if (!files.graph.empty()) {
      printError("'" + files.graph + "' and '" + file +
                 "' are two modules; take one at a time");
      return std::nullopt;
    }
    files.graph = file;
  }
  files.options.folder = sys::path::parent_path(files.graph).str();
  return files;
}

namespace {
/// The module of a file. Prints errors in the module during its lifetime.
struct ReadTasks {
  explicit ReadTasks(const TaskFiles &files)
      : context(createGraphContext()), printer(*context) {
    context->printOpOnDiagnostic(false);
    module = readTaskGraph(files.graph, *context);
  }

  std::unique_ptr<mlir::MLIRContext> context;
  MLIRPrinter printer;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

CachedFile cacheTasks(const TaskFiles &files) {
  ReadTasks read(files);
  return read.module ? cachedTaskGraph(*read.module, files.options,
                                       /*isShared=*/false)
                     : CachedFile();
}

bool buildTasks(const TaskFiles &files, const std::string &output) {
  ReadTasks read(files);
  return read.module && buildTaskGraph(*read.module, files.options, output);
}

static std::string counted(size_t number, StringRef one) {
  return (Twine(number) + " " + one + (number == 1 ? "" : "s")).str();
}

std::optional<ProofState> checkTasks(const TaskFiles &files) {
  ReadTasks read(files);
  if (!read.module || !checkTaskGraph(*read.module, files.options))
    return std::nullopt;
  size_t numTasks = 0;
  read.module->walk([&](dfg::TaskOp) { ++numTasks; });
  outs() << "no problems in a graph of " << counted(numTasks, "task") << '\n';
  if (numTasks == 0)
    outs() << "nothing was checked\n";
  // The declarations of tasks are trusted where the code of their kernels is
  // not available.
  return numTasks == 0 ? ProofState::Nothing : ProofState::Assumed;
}

bool drawTasks(const TaskFiles &files, TracedNodes *traced, Picture &picture) {
  ReadTasks read(files);
  if (!read.module)
    return false;
  const std::string &root = files.options.root;
  picture = driver::drawTasks(*read.module, root, traced);
  if (!root.empty() && picture.title.empty()) {
    printError("'" + files.graph + "' has no task graph '" + root + "'");
    return false;
  }
  return true;
}
