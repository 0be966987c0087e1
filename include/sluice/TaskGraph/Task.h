//===- Task.h - Tasks of a task graph ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of the results of TaskGraph::createTask, one for each kind of
// kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_TASK_H
#define SLUICE_TASKGRAPH_TASK_H

#include "sluice/TaskGraph/Kernels.h"
#include "sluice/TaskGraph/Values.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

struct TaskImpl;

/// A kernel with its arguments. Created and owned by a TaskGraph.
class SLUICE_API Task {
public:
  /// Called by TaskGraph::createTask.
  explicit Task(TaskImpl *impl) : impl(impl) {}
  virtual ~Task();
  Task(const Task &) = delete;
  Task &operator=(const Task &) = delete;

  /// Sets the name in messages, traces and pictures. The default is the
  /// kernel's name, with a number if several tasks have the same kernel.
  Task &setName(const std::string &name);
  /// Declares a file that the task writes. Tasks that name the same file are
  /// ordered like tasks that use the same dataset. If the task fails, the file
  /// is removed if the task has begun to write it.
  Task &writesFile(const std::string &path);
  /// Declares a file that the task reads, with the same ordering.
  Task &readsFile(const std::string &path);
  /// Declares that state of the task's kernel outside of its arguments
  /// (variables, Python's modules, printed output) does not order the task: the
  /// kernel has no such state, or tasks may use it in any order and at the same
  /// time. Otherwise, Python tasks run in creation order, and so do tasks of C
  /// kernels that use the same variable, if one of them writes it.
  Task &independent();
  /// For internal use by the library.
  TaskImpl *getImpl() const { return impl; }

  /// If there are several ranks, only rank 0 runs the task, because it prints
  /// or uses undeclared files. Set this before the graph is compiled.
  bool onlyRank0 = false;

private:
  TaskImpl *impl;
};

/// A task of a Halide generator.
class SLUICE_API HalideTask : public Task {
public:
  using Task::Task;
  /// Adds another setting of the generator's parameters that `sluice tune` can
  /// try; unnamed parameters keep the kernel's values.
  HalideTask &addVariant(const Parameters &parameters,
                         Place place = Place::current());
};

/// A task of a function in C or C++.
class SLUICE_API CTask : public Task {
public:
  using Task::Task;
  /// Runs the kernel once for each point of a grid of one to three dimensions,
  /// all points at the same time, like a leaf node of HPVM: the kernel queries
  /// its point with __hpvm__getNodeInstanceID_x and so on. Its source must be
  /// known.
  CTask &replicate(std::vector<int64_t> extents,
                   Place place = Place::current());
  /// Passes arrays without gaps: parts of datasets are packed before the call
  /// and unpacked after it.
  CTask &needsContiguous();
  /// Declares that the function returns int, if this is not known from its
  /// source; nonzero results are errors.
  CTask &returnsStatus();
  /// Allows passing offsets, extents and strides above 2^31 to a function with
  /// unknown parameters: it takes int64_t.
  CTask &takesLargeSizes();
  /// Allows passing integers of the other signedness: the function deliberately
  /// reads the same bits as other values.
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

#endif // SLUICE_TASKGRAPH_TASK_H
