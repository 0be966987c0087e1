//===- Objects.cpp - Values and tasks of meta-programs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of all values and tasks of the process, and small functions
// shared by several files.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <mutex>
#include <unordered_map>

using namespace sluice;

namespace {
/// All objects of all graphs of the process.
struct Registry {
  std::mutex mutex;
  std::unordered_map<const Value *, ValueImpl *> values;
  std::unordered_map<const Task *, TaskImpl *> tasks;
};
} // namespace

/// Never destroyed: graphs may be global objects of the program.
static Registry &registry() {
  static Registry *instance = new Registry;
  return *instance;
}

void sluice::registerValue(const Value *value, ValueImpl *impl) {
  Registry &objects = registry();
  std::lock_guard lock(objects.mutex);
  objects.values[value] = impl;
}

void sluice::registerTask(const Task *task, TaskImpl *impl) {
  Registry &objects = registry();
  std::lock_guard lock(objects.mutex);
  objects.tasks[task] = impl;
}

void sluice::forgetObjects(const TaskGraphModel &model) {
  Registry &objects = registry();
  std::lock_guard lock(objects.mutex);
  for (const std::unique_ptr<Value> &value : model.valueObjects)
    objects.values.erase(value.get());
  for (const std::unique_ptr<Task> &task : model.taskObjects)
    objects.tasks.erase(task.get());
}

ValueImpl *sluice::livingValue(const Value *value) {
  Registry &objects = registry();
  std::lock_guard lock(objects.mutex);
  auto found = objects.values.find(value);
  return found == objects.values.end() ? nullptr : found->second;
}

TaskImpl *sluice::livingTask(const Task *task) {
  Registry &objects = registry();
  std::lock_guard lock(objects.mutex);
  auto found = objects.tasks.find(task);
  return found == objects.tasks.end() ? nullptr : found->second;
}

//===----------------------------------------------------------------------===//
// Functions shared by several files
//===----------------------------------------------------------------------===//

Value::~Value() = default;
Task::~Task() = default;
CompileError::~CompileError() = default;
RunError::~RunError() = default;
ProgramState::~ProgramState() = default;
TaskGraphModel::~TaskGraphModel() { forgetObjects(*this); }

int64_t ValueImpl::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string TaskImpl::kernelText() const {
  return module.empty() || function ? callee : module + "." + callee;
}
