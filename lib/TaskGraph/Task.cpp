//===- Task.cpp - Creating tasks ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the tasks of each kind, and sets properties that a program changes
// later.
//
//===----------------------------------------------------------------------===//

#include "CheckArguments.h"
#include "Objects.h"
#include "sluice-c/TaskProgram.h"
#include "sluice/Base/Text.h"

using namespace sluice;

//===----------------------------------------------------------------------===//
// Names of kernels
//===----------------------------------------------------------------------===//

/// Refuses a kernel name that is empty or not a name in its language.
static void checkName(TaskImpl &task, const std::string &name,
                      std::string_view what, bool isName) {
  if (name.empty())
    task.graph->error(task.place,
                      concat("the name of the ", what, " is empty"));
  else if (!isName)
    task.graph->error(task.place,
                      concat(quoted(name), " is not the name of a ", what));
}

/// Symbols made by compilers may also contain dots and dollar signs.
static bool isSymbol(std::string name) {
  for (char &character : name)
    if (character == '.' || character == '$')
      character = '_';
  return isIdentifier(name);
}

static void checkSource(TaskImpl &task) {
  if (!task.source.empty() && !findFile(task.source, task.place))
    task.graph->error(task.place,
                      concat("cannot find ", quoted(task.source),
                             ", the source of kernel ", quoted(task.callee)));
}

/// The common part of all kinds of tasks.
template <typename T>
static T &createTaskOf(TaskGraphModel &model, TaskImpl::Kind kind,
                       const KernelBase &kernel, const Arguments &arguments,
                       const std::vector<Task *> &dependencies, Place place) {
  T &task = addTask<T>(model, kind, place);
  task.getImpl()->callee = kernel.func;
  addArguments(*task.getImpl(), arguments);
  addDependencies(*task.getImpl(), dependencies);
  return task;
}

//===----------------------------------------------------------------------===//
// One function per kind
//===----------------------------------------------------------------------===//

HalideTask &TaskGraph::createTask(HalideKernel kern, Arguments args,
                                  std::vector<Task *> deps, Place place) {
  auto &task = createTaskOf<HalideTask>(*model, TaskImpl::Kind::Halide, kern,
                                        args, deps, place);
  TaskImpl &impl = *task.getImpl();
  checkName(impl, kern.func, "Halide generator", isIdentifier(kern.func));
  for (const auto &[name, value] : kern.parameters)
    if (!isSymbol(name))
      model->error(place,
                   concat(quoted(name), " is not the name of a parameter of ",
                          quoted(kern.func)));
  impl.variants.push_back(std::move(kern.parameters));
  return task;
}

CTask &TaskGraph::createTask(CKernel kern, Arguments args,
                             std::vector<Task *> deps, Place place) {
  auto &task =
      createTaskOf<CTask>(*model, TaskImpl::Kind::C, kern, args, deps, place);
  TaskImpl &impl = *task.getImpl();
  checkName(impl, kern.func, "C function", isSymbol(kern.func));
  impl.source = std::move(kern.source);
  impl.flags = std::move(kern.flags);
  checkSource(impl);
  return task;
}

PyTask &TaskGraph::createTask(PyKernel kern, Arguments args,
                              std::vector<Task *> deps, Place place) {
  auto &task = createTaskOf<PyTask>(*model, TaskImpl::Kind::Python, kern, args,
                                    deps, place);
  TaskImpl &impl = *task.getImpl();
  impl.module = std::move(kern.module);
  checkName(impl, impl.module, "Python module", isModuleName(impl.module));
  checkName(impl, kern.func, "Python function", isPythonName(kern.func));
  return task;
}

PyTask &TaskGraph::createTask(PyFunctionKernel kern, Arguments args,
                              std::vector<Task *> deps, Place place) {
  auto &task = createTaskOf<PyTask>(*model, TaskImpl::Kind::Python, kern, args,
                                    deps, place);
  TaskImpl &impl = *task.getImpl();
  impl.module = SLUICE_PYTHON_HERE;
  impl.function = kern.function;
  impl.functionOwner = std::move(kern.owner);
  checkName(impl, kern.func, "Python function", true);
  if (!kern.function)
    model->error(place,
                 concat("the Python function ", quoted(kern.func), " is null"));
  return task;
}

PyTask &TaskGraph::createTask(FEMAKernel kern, Arguments args,
                              std::vector<Task *> deps, Place place) {
  auto &task = createTaskOf<PyTask>(*model, TaskImpl::Kind::Fem, kern, args,
                                    deps, place);
  TaskImpl &impl = *task.getImpl();
  impl.module = std::move(kern.module);
  checkName(impl, impl.module, "Python module", isModuleName(impl.module));
  checkName(impl, kern.func, "finite-element form", true);
  if (args.empty() || !livingValue(args[0].value) ||
      livingValue(args[0].value)->kind != ValueImpl::Kind::Object)
    model->error(place, concat("form ", quoted(impl.kernelText()),
                               " is assembled into a dictionary: the first "
                               "argument must be a PyObj"));
  return task;
}

HPVMTask &TaskGraph::createTask(HPVMKernel kern, Arguments args,
                                std::vector<Task *> deps, Place place) {
  auto &task = createTaskOf<HPVMTask>(*model, TaskImpl::Kind::Hpvm, kern, args,
                                      deps, place);
  TaskImpl &impl = *task.getImpl();
  checkName(impl, kern.func, "root function", isSymbol(kern.func));
  impl.source = std::move(kern.source);
  impl.flags = std::move(kern.flags);
  if (impl.source.empty())
    model->error(place, concat("root ", quoted(kern.func),
                               " needs the source of its HPVM program"));
  checkSource(impl);
  return task;
}

//===----------------------------------------------------------------------===//
// Properties that a program sets later
//===----------------------------------------------------------------------===//

HalideTask &HalideTask::addVariant(const Parameters &parameters, Place place) {
  TaskImpl &task = *getImpl();
  Parameters merged = parameters;
  merged.insert(task.variants[0].begin(), task.variants[0].end());
  for (size_t index = 0; index < task.variants.size(); ++index)
    if (task.variants[index] == merged)
      task.graph
          ->error(place, concat("this variant of ", quoted(task.callee),
                                " has the parameters of variant ", index))
          .notes.push_back({task.place, "the task is created here"});
  for (const auto &[name, value] : parameters)
    if (!isSymbol(name))
      task.graph->error(place, concat(quoted(name),
                                      " is not the name of a parameter of ",
                                      quoted(task.callee)));
  task.variants.push_back(std::move(merged));
  ++task.graph->revision;
  return *this;
}

/// The reason why a grid is invalid; empty if it is valid.
static std::string gridProblem(const std::vector<int64_t> &extents) {
  if (extents.empty() || extents.size() > 3)
    return concat("a grid has one to three dimensions, not ", extents.size());
  int64_t points = 1;
  for (int64_t extent : extents) {
    if (extent < 1)
      return concat("the grid has the extent ", extent,
                    ", expected at least 1");
    if (__builtin_mul_overflow(points, extent, &points))
      return concat("a grid of ", shapeText(extents),
                    " has more points than 64 bits can count");
  }
  return "";
}

CTask &CTask::replicate(std::vector<int64_t> extents, Place place) {
  TaskImpl &task = *getImpl();
  std::string problem = gridProblem(extents);
  if (problem.empty() && !task.extents.empty())
    problem = concat("the task is replicated already, over ",
                     shapeText(task.extents));
  if (!problem.empty())
    task.graph->error(place, problem)
        .notes.push_back({task.place, "the task is created here"});
  else
    task.extents = std::move(extents);
  ++task.graph->revision;
  return *this;
}

/// Sets one of the flags.
static void set(bool TaskImpl::*flag, TaskImpl &task) {
  task.*flag = true;
  ++task.graph->revision;
}

CTask &CTask::needsContiguous() {
  set(&TaskImpl::isContiguous, *getImpl());
  return *this;
}

CTask &CTask::returnsStatus() {
  set(&TaskImpl::returnsStatus, *getImpl());
  return *this;
}

CTask &CTask::takesLargeSizes() {
  set(&TaskImpl::takesLargeSizes, *getImpl());
  return *this;
}

CTask &CTask::takesAnySign() {
  set(&TaskImpl::takesAnySign, *getImpl());
  return *this;
}
