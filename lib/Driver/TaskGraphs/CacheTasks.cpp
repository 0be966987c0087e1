//===- CacheTasks.cpp - Compiled task graphs kept by content --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key holds the module with its locations, which messages of the program
// name, and all options; the manifest beside the program holds every file.
//
//===----------------------------------------------------------------------===//

#include "../CacheKey.h"
#include "FreshLibraries.h"
#include "TaskProgram.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "sluice/Base/Hash.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Toolchain/FileHash.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static std::string taskKey(mlir::ModuleOp module,
                           const TaskBuildOptions &options, bool isShared) {
  CacheKey key(options.build.program.cpu);
  SmallString<0> text;
  raw_svector_ostream os(text);
  (void)mlir::writeBytecodeToFile(module, os);
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
  // Generators are code of this process, and kernels may be. A process may open
  // another library of generators than the one before it.
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
        [&](const Twine &problem) { module.emitError(problem); }, isShared);
  };
  std::string key = taskKey(module, options, isShared);
  CachedFile file = find(key);
  if (!isShared || file.path.empty())
    return file;
  std::vector<std::string> replaced = findReplaced(file.watched);
  if (replaced.empty())
    return file;
  // Only for this process, which has the ones before open: its folder's name is
  // its own, which its number is not for long.
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
