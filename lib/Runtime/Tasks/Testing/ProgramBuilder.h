//===- ProgramBuilder.h - Task graphs written by hand in tests ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes what the compiler emits for a task graph from functions of the tests:
// the tables, and a plan whose nodes call tasks as generated leaves do.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_TESTING_PROGRAMBUILDER_H
#define SLUICE_RUNTIME_TASKS_TESTING_PROGRAMBUILDER_H

#include "../../Memory/Testing/Access.h"
#include "../../Plan/Testing/PlanBuilder.h"

#include "sluice-c/TaskProgram.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>

namespace sluice::test {

/// What a kernel of a test sees.
struct TaskCall {
  SluiceTaskRun *run;
  int32_t variant;
  const SluiceInvocation *invocation;

  /// The values of dataset `data`.
  template <typename Value = double> Value *values(uint32_t data) const {
    return *reinterpret_cast<Value **>(invocation->frame + 16 + 16 * data);
  }
};
/// Returns a status.
using TaskBody = std::function<int(const TaskCall &)>;

class ProgramBuilder {
public:
  explicit ProgramBuilder(const char *name = "graph");
  ~ProgramBuilder();
  ProgramBuilder(const ProgramBuilder &) = delete;

  /// An array of doubles.
  uint32_t data(const char *name, std::vector<int64_t> shape,
                std::vector<double> initial = {}, uint32_t flags = 0);
  uint32_t data(const SluiceTaskData &data);
  /// A task; it waits for those before it that use its datasets, one of the
  /// two writing.
  uint32_t task(const char *name, std::vector<SluiceTaskUse> uses,
                TaskBody body);
  /// Additionally, for tasks over no dataset.
  void order(uint32_t before, uint32_t after);
  void writesFile(uint32_t task, const char *path);
  void readsFile(uint32_t task, const char *path);
  /// What the task was given, for checks.
  void argument(uint32_t task, const SluiceTaskArgument &argument);
  void variants(uint32_t task, std::vector<const char *> texts);
  SluiceTaskRecord &record(uint32_t task) { return tasks[task].record; }

  /// The tables, complete; they live as long as the builder.
  SluiceTaskProgram &finish();

  struct Task {
    SluiceTaskRecord record = {};
    std::vector<SluiceTaskUse> uses;
    std::vector<const char *> files, readFiles, variantTexts;
    std::vector<SluiceTaskArgument> arguments;
    TaskBody body;
    std::vector<uint32_t> before;
  };
  std::deque<Task> tasks;
  SluiceTaskProgram program = {};

private:
  struct Data {
    SluiceTaskData table = {};
    std::vector<int64_t> shape;
    std::vector<double> initial;
  };
  PlanBuilder plan;
  std::deque<Data> datasets;
  std::vector<SluiceTaskData> dataTable;
  std::vector<SluiceTaskRecord> taskTable;
};

/// A run that the test owns; creating it must succeed.
class OwnedRun {
public:
  explicit OwnedRun(SluiceTaskProgram &program, unsigned numWorkers = 2,
                    bool keepsData = true, bool isSerial = false);
  ~OwnedRun() { sluiceTaskRunDestroy(run); }
  OwnedRun(const OwnedRun &) = delete;

  /// The error, or "".
  std::string execute() {
    const char *error = sluiceTaskRunExecute(run);
    return error ? error : "";
  }
  std::vector<double> values(uint32_t data, size_t count) {
    auto *first = static_cast<const double *>(sluiceTaskRunData(run, data));
    return first ? std::vector<double>(first, first + count)
                 : std::vector<double>();
  }

  SluiceTaskRun *run = nullptr;
};

} // namespace sluice::test

#endif // SLUICE_RUNTIME_TASKS_TESTING_PROGRAMBUILDER_H
