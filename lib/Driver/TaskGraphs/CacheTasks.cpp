//===- CacheTasks.cpp - Compiled task graphs cached by content ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key holds the module and all options; the manifest next to the program
// holds every file. Messages of an executable contain locations of the module,
// so these are in its key. A program that runs in this process gets its
// locations when it is opened.
//
//===----------------------------------------------------------------------===//

#include "../CacheKey.h"
#include "FreshLibraries.h"
#include "TaskCompilation.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "sluice/Base/Hash.h"
#include "sluice/Base/Temporary.h"
#include "sluice/DFG/Given.h"
#include "sluice/Toolchain/FileHash.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// The text of a module without locations and the graph's name, which are not
/// part of the code. Empty if some task is a graph or a grid, whose code
/// depends on them.
static std::string textWithoutNames(mlir::ModuleOp module) {
  auto graphs = module.getOps<dfg::TaskGraphOp>();
  if (!llvm::hasSingleElement(graphs))
    return "";
  dfg::TaskGraphOp graph = *graphs.begin();
  bool isPlain = true;
  graph.walk([&](dfg::TaskOp task) {
    isPlain &= task.getKind() != dfg::TaskKind::HPVM && !task.getExtents();
  });
  if (!isPlain)
    return "";
  mlir::StringAttr name = graph.getSymNameAttr();
  graph.setSymName("graph");
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, mlir::OpPrintingFlags().printGenericOpForm());
  graph.setSymNameAttr(name);
  return text;
}

static std::string taskKey(mlir::ModuleOp module,
                           const TaskBuildOptions &options, bool isShared) {
  CacheKey key(options.build.program.cpu);
  // The values given to scalars are not part of the code.
  std::vector<std::pair<dfg::ScalarOp, mlir::Attribute>> given;
  for (auto scalar : module.getOps<dfg::ScalarOp>())
    if (mlir::Attribute value = scalar->getAttr(dfg::givenName)) {
      given.push_back({scalar, value});
      scalar->setAttr(dfg::givenName, mlir::UnitAttr::get(module.getContext()));
    }
  std::string text = isShared ? textWithoutNames(module) : "";
  if (text.empty()) {
    raw_string_ostream os(text);
    (void)mlir::writeBytecodeToFile(module, os);
  }
  for (auto &[scalar, value] : given)
    scalar->setAttr(dfg::givenName, value);
  key.add(text);
  key.addOptions(options.build.program);
  key.addDevices(options.build);
  key.addAll(options.kernelSources);
  key.addAll({options.root, options.folder, options.pythonPath,
              options.tunedParameters});
  key.add(std::string(isShared ? "s" : "e") +
          (options.keepsVariants ? "v" : "-") + (options.isSerial ? "1" : "-") +
          (options.isFastFloat ? "f" : "-"));
  if (const char *candidates = std::getenv("SLUICE_TUNE_CANDIDATES");
      candidates && options.keepsVariants)
    key.add(candidates);
  // Generators are code of this process, and kernels may be too. Another
  // process may load a different library of generators.
  if (options.hasGenerators)
    for (const std::string &file : generatorFiles())
      key.addAll({file, hashInput(file)});
  else if (isShared)
    key.add(hashInput(sys::fs::getMainExecutable(nullptr, nullptr)));
  return key.text();
}

CachedFile driver::cachedTaskGraph(mlir::ModuleOp module,
                                   const TaskBuildOptions &options,
                                   bool isShared) {
  TaskBuildOptions building = options;
  building.isInProcess = isShared;
  auto find = [&](const std::string &key) {
    // Building changes the module.
    mlir::OwningOpRef<mlir::ModuleOp> copy;
    return cachedFile(
        key, isShared ? ".so" : "",
        [&](StringRef path, std::vector<std::string> &dependencies) {
          copy = module.clone();
          return buildTaskProgram(*copy, building,
                                  isShared ? TaskOutput::SharedObject
                                           : TaskOutput::Executable,
                                  path, &dependencies);
        },
        [&](const Twine &problem) { module.emitError(problem); }, isShared,
        options.build.program.showsPasses);
  };
  std::string key = taskKey(module, options, isShared);
  CachedFile file = find(key);
  if (!isShared || file.path.empty())
    return file;
  std::vector<std::string> replaced = findReplaced(file.watched);
  if (replaced.empty())
    return file;
  // For this process only, which still has the earlier files open. The folder's
  // name is unique; the process's number is not, since it may be reused.
  Result<std::string> folder = workFolder();
  if (!folder.ok()) {
    module.emitError(folder.status().message());
    return {};
  }
  ContentHash hash;
  hash.add(key).add(*folder);
  for (const std::string &library : replaced) {
    hash.add(library).add(hashInput(library));
    std::string copy = copyUnderOtherName(library);
    if (copy.empty()) {
      module.emitError("'") << library
                            << "' has been replaced since this process opened "
                               "it, and cannot be copied to be opened again";
      return {};
    }
    building.libraries.push_back(copy);
  }
  return find(hash.text());
}
