//===- CheckArguments.cpp - Checks of a task's arguments ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses arguments of other graphs, and uses that the kind of task does not
// allow.
//
//===----------------------------------------------------------------------===//

#include "CheckArguments.h"
#include "Objects.h"
#include "sluice/Base/Text.h"

using namespace sluice;

static bool takesObjects(TaskImpl::Kind kind) {
  return kind == TaskImpl::Kind::Python || kind == TaskImpl::Kind::Fem;
}

/// The reason why no task of the graph may have this argument; empty if it may.
static std::string ownershipProblem(const TaskGraphModel &graph,
                                    const Argument &argument,
                                    const ValueImpl *value) {
  if (!argument.value)
    return "is null";
  if (!value)
    return "belongs to no graph, or to one that is gone";
  if (value->graph != &graph)
    return concat("belongs to graph ", quoted(value->graph->name), ", not to ",
                  quoted(graph.name));
  return "";
}

/// The reason why this task may not use `value` in this way; empty if it may.
static std::string useProblem(const TaskImpl &task, const Argument &argument,
                              const ValueImpl &value) {
  if (value.kind == ValueImpl::Kind::Object && !takesObjects(task.kind))
    return "is a Python dictionary, which only Python tasks take";
  if (value.kind == ValueImpl::Kind::Scalar && argument.isStated &&
      argument.mode != AccessMode::Read)
    return "is a scalar passed by value, which the task cannot write: wrap it "
           "with createPtrScalar";
  return "";
}

static AccessMode modeOf(const Argument &argument, const ValueImpl &value) {
  return value.kind == ValueImpl::Kind::Scalar ? AccessMode::Read
                                               : argument.mode;
}

static void addArgument(TaskImpl &task, size_t index,
                        const Argument &argument) {
  ValueImpl *value = livingValue(argument.value);
  std::string problem = ownershipProblem(*task.graph, argument, value);
  if (problem.empty())
    problem = useProblem(task, argument, *value);
  if (problem.empty()) {
    task.arguments.push_back({value, modeOf(argument, *value)});
    return;
  }
  Diagnostic &error =
      task.graph->error(task.place, concat("argument ", index, " of ",
                                           quoted(task.callee), ' ', problem));
  if (value)
    error.notes.push_back({value->place, "it is created here"});
}

void sluice::addArguments(TaskImpl &task, const Arguments &arguments) {
  for (size_t index = 0; index < arguments.size(); ++index)
    addArgument(task, index, arguments[index]);
}

void sluice::addDependencies(TaskImpl &task,
                             const std::vector<Task *> &dependencies) {
  for (size_t index = 0; index < dependencies.size(); ++index) {
    TaskImpl *before = livingTask(dependencies[index]);
    std::string problem;
    if (!dependencies[index])
      problem = "is null";
    else if (!before)
      problem = "belongs to no graph, or to one that is gone";
    else if (before->graph != task.graph)
      problem = concat("belongs to graph ", quoted(before->graph->name),
                       ", not to ", quoted(task.graph->name));
    else if (before == &task)
      problem = "is the task itself";
    if (problem.empty()) {
      task.dependencies.push_back(before);
      continue;
    }
    Diagnostic &error = task.graph->error(
        task.place, concat("dependence ", index, " of ", quoted(task.callee),
                           ' ', problem));
    if (before)
      error.notes.push_back({before->place, "that task is created here"});
  }
}
