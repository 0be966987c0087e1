//===- LinkTasks.cpp - Linking task graphs --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A symbol that the linker does not find is an error of a task: the one whose
// kernel needs the symbol.
//
//===----------------------------------------------------------------------===//

#include "../Link.h"
#include "TaskCompilation.h"
#include "sluice/Diagnostics/ToolOutput.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

std::vector<TaskPlace> driver::placesOf(const TaskProgram &tasks) {
  std::vector<TaskPlace> places;
  for (dfg::TaskOp task : tasks.order.tasks)
    places.push_back({task.getLoc(), task.getCallee().str()});
  return places;
}

/// The symbols that the linker did not find, each with the functions that use
/// it.
using Undefined = std::map<std::string, std::vector<std::string>>;

/// From "undefined symbol: NAME" and the lines ">>> ... FILE:(FUNCTION)" after
/// it.
static Undefined undefinedNames(StringRef messages) {
  Undefined found;
  std::vector<std::string> *users = nullptr;
  while (!messages.empty()) {
    auto [line, rest] = messages.split('\n');
    messages = rest;
    StringRef name = line.split("undefined symbol: ").second;
    if (!name.empty())
      users = &found[name.str()];
    else if (users && line.starts_with(">>>") && line.ends_with(")"))
      users->push_back(line.rsplit('(').second.drop_back().str());
    else if (!line.starts_with(">>>"))
      users = nullptr;
  }
  return found;
}

/// A function of OpenMP's library.
static bool isOpenMP(StringRef name) {
  return name.starts_with("__kmpc_") || name.starts_with("omp_");
}

/// Reports an error for each name, at the tasks whose kernels need it.
static void reportUndefined(mlir::ModuleOp module, const TaskProgram &tasks,
                            ArrayRef<TaskPlace> places,
                            const Undefined &names) {
  const char *others = "; name the source, object or library that does, by "
                       "addKernelSource, --kernel-source or --link-flag";
  bool hasOpenMP = false;
  for (const auto &[name, users] : names) {
    // There are many of these symbols, and one flag provides them all.
    if (isOpenMP(name) && std::exchange(hasOpenMP, true))
      continue;
    auto found = tasks.neededBy.find(name);
    std::vector<unsigned> needing;
    if (found != tasks.neededBy.end())
      needing = found->second;
    for (auto [index, place] : enumerate(places))
      if (is_contained(users, place.kernel) && !is_contained(needing, index))
        needing.push_back(unsigned(index));
    const char *way = isOpenMP(name)
                          ? "; --link-flag=-fopenmp links OpenMP's library"
                          : others;
    if (needing.empty()) {
      module.emitError() << "nothing defines '" << demangle(name)
                         << "', which the kernels need" << way;
      continue;
    }
    for (unsigned task : needing)
      mlir::emitError(places[task].place)
          << "'" << places[task].kernel << "' needs '" << demangle(name)
          << "', which nothing defines" << way;
  }
}

static LinkOptions linkOptions(const TaskProgram &tasks,
                               const TaskBuildOptions &options,
                               TaskOutput kind) {
  LinkOptions linking;
  linking.isShared = kind == TaskOutput::SharedObject;
  // The executable has no other runtime available; Python's side uses its own.
  linking.isStatic = !linking.isShared;
  linking.hasPython = tasks.hasPython;
  const codegen::Profiling &profiling = options.build.program.profiling;
  linking.isProfiled = profiling.kind == codegen::Profiling::Kind::Generate;
  linking.flags = options.libraries;
  append_range(linking.flags, tasks.linkInputs);
  append_range(linking.flags, options.build.program.linkerFlags);
  return linking;
}

bool driver::linkTasks(mlir::ModuleOp module, TaskProgram &tasks,
                       ArrayRef<TaskPlace> places, ArrayRef<char> object,
                       const TaskBuildOptions &options, TaskOutput kind,
                       StringRef output) {
  std::string messages;
  LinkOptions linking = linkOptions(tasks, options, kind);
  linking.messages = &messages;
  linking.inputs = tasks.dependencies;
  linking.dependencies = &tasks.dependencies;
  append_values(linking.flags, "-Wl,--no-demangle");
  if (linking.isShared)
    append_values(linking.flags, "-Wl,-z,defs",
                  "-Wl,--warn-unresolved-symbols");
  Error error = linkObject(object, linking, output);
  Undefined names = undefinedNames(messages);
  // This process may define the symbols.
  bool isFound = false;
  if (linking.isShared)
    std::erase_if(names, [&](const auto &entry) {
      bool isHere = dlsym(RTLD_DEFAULT, entry.first.c_str()) != nullptr;
      isFound |= isHere;
      return isHere;
    });
  if (!names.empty()) {
    consumeError(std::move(error));
    if (linking.isShared) // in the work folder
      sys::fs::remove(output);
    reportUndefined(module, tasks, places, names);
    return false;
  }
  if (!isFound || error) // with the reasons
    printToolOutput(messages, error ? Severity::Error : Severity::Warning);
  if (!error)
    return true;
  module.emitError(toString(std::move(error)));
  return false;
}
