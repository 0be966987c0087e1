//===- Objects.h - Values and tasks of meta-programs ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions with which TaskGraph creates values and tasks, and checks whether a
// pointer from the program is valid.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TASKGRAPH_OBJECTS_H
#define SLUICE_LIB_TASKGRAPH_OBJECTS_H

#include "sluice/TaskGraph/Model.h"

namespace sluice {

/// Registers an object of a graph, so that livingValue finds it.
void registerValue(const Value *value, ValueImpl *impl);
void registerTask(const Task *task, TaskImpl *impl);
void forgetObjects(const TaskGraphModel &model);

/// Adds a value of class `T`.
template <typename T>
T &addValue(TaskGraphModel &model, ValueImpl::Kind kind, Place place) {
  auto impl = std::make_unique<ValueImpl>();
  impl->graph = &model;
  impl->kind = kind;
  impl->place = place;
  auto object = std::make_unique<T>(impl.get());
  T &result = *object;
  registerValue(&result, impl.get());
  model.values.push_back(std::move(impl));
  model.valueObjects.push_back(std::move(object));
  ++model.revision;
  return result;
}

/// Adds a task of class `T`.
template <typename T>
T &addTask(TaskGraphModel &model, TaskImpl::Kind kind, Place place) {
  auto impl = std::make_unique<TaskImpl>();
  impl->graph = &model;
  impl->kind = kind;
  impl->place = place;
  auto object = std::make_unique<T>(impl.get());
  T &result = *object;
  registerTask(&result, impl.get());
  model.tasks.push_back(std::move(impl));
  model.taskObjects.push_back(std::move(object));
  ++model.revision;
  return result;
}

/// "2 x 3".
std::string shapeText(const std::vector<int64_t> &shape);

/// True if `text` is a name of C and of Python.
bool isIdentifier(const std::string &text);
/// Python names may have letters of all alphabets, and names of modules dots.
bool isPythonName(const std::string &text);
bool isModuleName(const std::string &text);

} // namespace sluice

#endif // SLUICE_LIB_TASKGRAPH_OBJECTS_H
