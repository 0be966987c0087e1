//===- Tasks.h - Tasks of a task graph --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes that TaskGraph::createTask returns, one for each kind of kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_TASKS_H
#define SLUICE_TASKGRAPH_TASKS_H

#include "sluice/TaskGraph/Kernels.h"
#include "sluice/TaskGraph/Values.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

struct TaskImpl;

/// A kernel with its arguments. Made by TaskGraph::createTask, which owns it.
class SLUICE_API Task {
public:
  /// Made by TaskGraph::createTask.
  explicit Task(TaskImpl *impl) : impl(impl) {}
  virtual ~Task();
  Task(const Task &) = delete;
  Task &operator=(const Task &) = delete;

  /// The name in messages, traces and pictures; the kernel's at first, with a
  /// number where several tasks have one kernel.
  Task &setName(const std::string &name);
  /// A file that the task writes: tasks that name one file are ordered like
  /// tasks that use one dataset, and if the task fails, a file that it began
  /// is removed.
  Task &writesFile(const std::string &path);
  /// A file that the task reads, likewise.
  Task &readsFile(const std::string &path);
  /// What the task's kernel keeps outside of its arguments (variables, Python's
  /// modules, what it prints) does not order it: the kernel has none, or tasks
  /// may use it in any order and at the same time. Without, Python tasks run in
  /// the order of their creation, and so do tasks of C kernels that use one
  /// variable, one of them writing.
  Task &independent();
  /// For the library itself.
  TaskImpl *getImpl() const { return impl; }

  /// Of several ranks, only the first one runs the task: it prints, or uses
  /// files that it does not name. To be set before the graph is compiled.
  bool onlyRank0 = false;

private:
  TaskImpl *impl;
};

/// A task of a Halide generator.
class SLUICE_API HalideTask : public Task {
public:
  using Task::Task;
  /// Another setting of the generator's parameters, for `sluice tune` to try;
  /// those that it does not name are the kernel's.
  HalideTask &addVariant(const Parameters &parameters,
                         Place place = Place::current());
};

/// A task of a function in C or C++.
class SLUICE_API CTask : public Task {
public:
  using Task::Task;
  /// Runs the kernel once for each point of a grid of one to three dimensions,
  /// all points at once, as a leaf node of HPVM: the kernel asks for its point
  /// by __hpvm__getNodeInstanceID_x and so on. Its source must be known.
  CTask &replicate(std::vector<int64_t> extents,
                   Place place = Place::current());
  /// Arrays are passed without gaps: parts of datasets are packed before the
  /// call, and unpacked after it.
  CTask &needsContiguous();
  /// The function returns int, where that is not known from its source; other
  /// values than 0 are errors.
  CTask &returnsStatus();
  /// Offsets, extents and strides above 2^31 may be passed to a function whose
  /// parameters are not known: it takes int64_t.
  CTask &takesLargeSizes();
  /// Integers may be passed as those of the other sign: the function reads the
  /// same bits as other values, on purpose.
  CTask &takesAnySign();
};

class SLUICE_API PyTask : public Task {
public:
  using Task::Task;
};

class SLUICE_API HPVMTask : public Task {
public:
  using Task::Task;
};

} // namespace sluice

#endif // SLUICE_TASKGRAPH_TASKS_H
