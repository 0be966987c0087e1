//===- RecordTable.cpp - Records of programs over regions -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a table of tasks in its serial order, through all loops.
//
//===----------------------------------------------------------------------===//

#include "../Execution/KernelCall.h"
#include "LaunchRecorder.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <map>
#include <set>

using namespace sluice;

namespace {
/// The tasks of a table by name.
class TaskNames {
public:
  explicit TaskNames(const TaskTable &table) {
    for (const TableTask &task : table.tasks) {
      const auto next = static_cast<uint32_t>(names.size());
      auto [known, isNew] = numbers.try_emplace(task.name, next);
      if (isNew)
        names.push_back(task.name);
      nodes.push_back(known->second);
    }
  }
  std::string describe(const TaskTable &table,
                       const std::string &codeHash) const {
    RecordEncoder out;
    out.number(1).text(table.name).text("").text(codeHash);
    out.number(names.size());
    for (std::string_view name : names)
      out.text(name).text("");
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t i = 0; i < table.tasks.size(); ++i)
      for (const TablePredecessor &before : table.predecessorsOf(i))
        edges.push_back({nodes[before.task], nodes[i]});
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    out.number(edges.size());
    for (auto [from, to] : edges)
      out.number(from).number(to);
    return std::move(out.bytes);
  }
  /// The node of each task.
  std::vector<uint32_t> nodes;

private:
  std::vector<std::string_view> names;
  std::map<std::string_view, uint32_t> numbers;
};

class TableRecorder {
public:
  TableRecorder(const TaskTable &table, const TableMemory &memory,
                const RecordOptions &options, Recorder &recorder,
                Worker &worker)
      : table(table), memory(memory), options(options), worker(worker),
        names(table),
        launch(recorder, options, memory.given, table.tasks.size()) {}

  Status run(const std::string &codeHash) {
    launch.begin(names.describe(table, codeHash), {});
    Status status = walk();
    launch.end({}, status.message());
    return status;
  }

private:
  Status walk() {
    std::vector<int64_t> iterations(table.loops.size());
    std::vector<bool> goesOn(table.loops.size(), true);
    for (size_t at = 0;;) {
      const TableStep &step = table.steps[at];
      switch (step.kind) {
      case TableStep::Block:
        for (uint32_t task = table.firstTask[step.index];
             task < table.firstTask[step.index + 1]; ++task)
          if (Status status = runTask(task, goesOn); !status.ok())
            return status;
        ++at;
        break;
      case TableStep::LoopBegin:
        iterations[step.index] = 0;
        at = step.count > 0 ? at + 1 : step.target;
        break;
      case TableStep::Test:
        at = goesOn[step.index] ? at + 1 : step.target;
        break;
      case TableStep::LoopEnd:
        at = ++iterations[step.index] < step.count ? step.target : at + 1;
        break;
      case TableStep::End:
        return {};
      }
    }
  }

  Status runTask(uint32_t index, std::vector<bool> &goesOn) {
    const TableTask &task = table.tasks[index];
    if (task.testedLoop != TableTask::noLoop) {
      const TableLoop &loop = table.loops[task.testedLoop];
      goesOn[task.testedLoop] = loop.goesOn(loop.context);
      return {};
    }
    std::vector<ByteRange> written;
    const bool isAll = memory.written(index, written);
    launch.beginNode(names.nodes[index], /*isPoint=*/true,
                     {task.task->point, size_t(task.task->rank)}, {},
                     std::move(written));
    const bool isHost = task.home == TableTask::hostHome;
    const bool isRepeatable = options.verifies && isAll && !isHost;
    if (options.verifies && !isRepeatable)
      launch.refuseToRunAgain(
          isHost ? "it is the host program's"
                 : "it uses memory that is not recorded, such as private "
                   "copies of what is reduced");
    Status status;
    callTask(worker, task, status);
    if (launch.nodeHasRun(isRepeatable && status.ok())) {
      Status second;
      callTask(worker, task, second);
      launch.nodeHasRunAgain(
          second.ok() ? std::string()
                      : concat("run again, it failed: ", second.message()));
    }
    launch.endNode({}, status.message());
    return status;
  }

  const TaskTable &table;
  const TableMemory &memory;
  const RecordOptions &options;
  Worker &worker;
  const TaskNames names;
  LaunchRecorder launch;
};
} // namespace

Status Recorder::runTable(const TaskTable &table, const TableMemory &memory,
                          const RecordOptions &options, Worker &worker) {
  std::lock_guard lock(mutex);
  // Copies and fills are code of the runtime; everything else belongs to the
  // program.
  std::set<const void *> bodies;
  std::set<std::string> hashes;
  for (const TableTask &task : table.tasks)
    if (auto *body = reinterpret_cast<const void *>(task.body);
        body && bodies.insert(body).second)
      hashes.insert(codeHashOf(body));
  ContentHash all;
  for (const std::string &hash : hashes)
    all.add(hash);
  const std::string codeHash = hashes.count("") ? "" : all.text();
  return TableRecorder(table, memory, options, *this, worker).run(codeHash);
}
