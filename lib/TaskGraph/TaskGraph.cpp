//===- TaskGraph.cpp - The graph itself -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of class TaskGraph that create neither values nor tasks: names,
// files, options of the graph.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "sluice/Base/Text.h"

#include <cctype>

using namespace sluice;

static bool isGraphName(const std::string &name) {
  for (unsigned char character : name)
    if (!std::isalnum(character) && character != '_' && character != '-' &&
        character != '.')
      return false;
  return !name.empty() && name[0] != '-' && name[0] != '.';
}

TaskGraph::TaskGraph(const std::string &name, Place place)
    : model(std::make_unique<TaskGraphModel>(name, place)) {
  if (!isGraphName(name))
    model->error(place, concat(quoted(name),
                               " is not the name of a graph: expected letters, "
                               "digits, '_', '-' and '.', and none of the last "
                               "two first"));
}

TaskGraph::~TaskGraph() = default;

const std::string &TaskGraph::getName() const { return model->name; }

void TaskGraph::setDatPrint(bool enable) {
  model->printsData = enable;
  ++model->revision;
}

void TaskGraph::registerPyGenerator(const std::string &module,
                                    const std::string &function, Place place) {
  ++model->revision;
  if (!isModuleName(module) || !isPythonName(function)) {
    model->error(place,
                 concat("the generator ", quoted(module + "." + function),
                        " is not a module and a function of Python"));
    return;
  }
  for (const PythonGenerator &other : model->generators)
    if (other.module == module && other.function != function)
      model
          ->error(place, concat("module ", quoted(module),
                                " has the generator ", quoted(other.function),
                                " already, not ", quoted(function)))
          .notes.push_back({other.place, "it is registered here"});
  model->generators.push_back({place, module, function});
}

void TaskGraph::addKernelSource(const std::string &path,
                                std::vector<std::string> flags, Place place) {
  ++model->revision;
  if (path.empty())
    model->error(place, "the path of this kernel source is empty");
  else if (!findFile(path, place))
    model->error(place, concat("cannot find the kernel source ", quoted(path)));
  model->sources.push_back({place, path, std::move(flags)});
}

//===----------------------------------------------------------------------===//
// Names that are set later
//===----------------------------------------------------------------------===//

/// Names appear in messages, tables and pictures, so each must be one line of
/// text.
static std::string nameProblem(const std::string &name, std::string_view what) {
  if (name.empty())
    return concat("the name of this ", what, " is empty");
  for (unsigned char character : name)
    if (std::iscntrl(character))
      return concat("the name of this ", what, " has control characters");
  return "";
}

Value &Value::setName(const std::string &name) {
  std::string problem = nameProblem(name, "dataset");
  if (!problem.empty())
    impl->graph->error(impl->place, problem);
  impl->name = name;
  ++impl->graph->revision;
  return *this;
}

Task &Task::setName(const std::string &name) {
  std::string problem = nameProblem(name, "task");
  if (!problem.empty())
    impl->graph->error(impl->place, problem);
  impl->name = name;
  ++impl->graph->revision;
  return *this;
}

/// Adds a file to one of a task's lists.
static void addFile(TaskImpl &task, std::vector<std::string> &files,
                    const std::string &path) {
  if (path.empty())
    task.graph->error(task.place, "the name of a file of this task is empty");
  files.push_back(path);
  ++task.graph->revision;
}

Task &Task::writesFile(const std::string &path) {
  addFile(*impl, impl->writtenFiles, path);
  return *this;
}

Task &Task::readsFile(const std::string &path) {
  addFile(*impl, impl->readFiles, path);
  return *this;
}

Task &Task::independent() {
  impl->isIndependent = true;
  ++impl->graph->revision;
  return *this;
}
