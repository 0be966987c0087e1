//===- LoadedProgram.cpp - A compiled task graph in this process ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedProgram.h"
#include "NamedTables.h"
#include "sluice/Base/Text.h"
#include "sluice/TaskGraph/Import.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace sluice;
using namespace sluice::driver;

/// Everything of the options that a loaded program depends on.
static std::string keyOf(const Options &options) {
  std::string key =
      concat(int(options.serial), int(options.variants), int(options.fastFloat),
             int(options.checked), options.workers, '\n', options.pythonPath,
             '\n', options.tunedParamsFile);
  for (const auto *list :
       {&options.kernelSources, &options.kernelFlags, &options.linkFlags}) {
    key += '\n';
    for (const std::string &text : *list)
      key += concat(text, '\0');
  }
  return key;
}

static const SluiceTaskProgram &openProgram(const std::string &path) {
  // Never unloaded: kernels may have started threads or handlers.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    throw RunError(concat("cannot open the compiled graph: ", dlerror()));
  void *program = dlsym(library, "sluice_task_program");
  if (!program)
    throw RunError(
        concat("the compiled graph ", quoted(path), " has no tables"));
  return *static_cast<const SluiceTaskProgram *>(program);
}

LoadedProgram::LoadedProgram(const CachedFile &file,
                             const TaskGraphModel &model,
                             const Options &options)
    : key(keyOf(options)), watched(file.watched), state(file.watchedState),
      revision(model.revision) {
  program = &withNamesOf(model, openProgram(file.path));
  SluiceTaskRunOptions settings{};
  settings.size = sizeof settings;
  settings.keepsData = 1;
  settings.isSerial = options.serial;
  settings.numWorkers = options.workers;
  const char *problem = nullptr;
  run = sluiceTaskRunCreate(program, &settings, &problem);
  if (!run) {
    dropNames(*program);
    throw RunError(concat("graph ", quoted(model.name), ": ", problem));
  }
  std::unordered_map<std::string, uint32_t> byName;
  for (uint32_t index = 0; index < program->numData; ++index)
    byName[program->data[index].name] = index;
  std::vector<std::string> names = symbolNames(model);
  for (size_t index = 0; index < names.size(); ++index)
    if (auto found = byName.find(names[index]); found != byName.end())
      numbers[model.values[index].get()] = found->second;
  for (const std::unique_ptr<ValueImpl> &value : model.values)
    setInitial(*value);
  try {
    for (const std::unique_ptr<ValueImpl> &value : model.values)
      if (value->bound)
        bind(*value);
  } catch (...) {
    sluiceTaskRunDestroy(run);
    dropNames(*program);
    throw;
  }
  for (uint32_t index = 0; index < model.tasks.size(); ++index)
    if (model.tasks[index]->function)
      sluiceTaskRunSetFunction(run, index, model.tasks[index]->function);
}

LoadedProgram::~LoadedProgram() {
  sluiceTaskRunDestroy(run);
  dropNames(*program);
}

bool LoadedProgram::isFor(const TaskGraphModel &model,
                          const Options &options) const {
  return revision == model.revision && key == keyOf(options) &&
         state == watchedState(watched);
}

void LoadedProgram::setInitial(const ValueImpl &value) {
  auto number = numbers.find(&value);
  if (number == numbers.end() || !value.hasInitial)
    return;
  if (value.kind == ValueImpl::Kind::Scalar) {
    uint64_t word = 0; // as much memory as each scalar has
    std::memcpy(&word, value.initial.data(), value.initial.size());
    sluiceTaskRunSetInitial(run, number->second, &word);
  } else {
    sluiceTaskRunSetInitial(run, number->second, value.initial.data());
  }
}

void LoadedProgram::bind(const ValueImpl &value) {
  auto number = numbers.find(&value);
  if (number == numbers.end())
    return;
  hasResults &= value.bound != nullptr; // those of its own memory are old
  if (const char *problem = sluiceTaskRunBind(run, number->second, value.bound,
                                              value.isBoundReadOnly))
    throw RunError(concat(textOf(value.place), ": error: ", problem));
}

void LoadedProgram::execute(const TaskGraphModel &model) {
  hasResults = false;
  for (const auto &[value, number] : numbers)
    sluiceTaskRunKeep(run, number, !value->isDropped);
  if (const char *problem = sluiceTaskRunExecute(run))
    throw RunError(problem);
  hasResults = true;
}

void LoadedProgram::tune(const TaskGraphModel &model, const std::string &file) {
  hasResults = false;
  if (const char *problem = sluiceTaskRunTune(run, file.c_str()))
    throw RunError(problem);
  hasResults = true;
}

const void *LoadedProgram::memoryOf(const ValueImpl &value) const {
  auto number = numbers.find(&value);
  return hasResults && number != numbers.end()
             ? sluiceTaskRunData(run, number->second)
             : nullptr;
}
