//===- NamedTables.cpp - Names and places of a graph in its tables --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedTables.h"
#include "sluice-c/Plan.h"
#include "sluice/Base/Text.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/TaskGraph/Import.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace sluice;
using namespace sluice::driver;

namespace {
/// Copies of tables with other texts.
struct NamedTables {
  SluiceTaskProgram program;
  SluicePlan plan;
  std::vector<SluiceTaskData> data;
  std::vector<SluiceTaskRecord> tasks;
  std::vector<SluicePlanNode> nodes;
  std::deque<std::string> texts;

  const char *keep(std::string text) {
    return texts.emplace_back(std::move(text)).c_str();
  }
};
} // namespace

/// All texts that are the graph's own, in the order of the tables.
static std::vector<std::string> textsOf(const TaskGraphModel &model,
                                        const SluiceTaskProgram &program) {
  std::unordered_map<std::string, std::string> places;
  std::vector<std::string> names = symbolNames(model);
  for (size_t i = 0; i < names.size(); ++i)
    places[names[i]] = textOf(model.values[i]->place);
  std::vector<std::string> texts{model.name, textOf(model.place)};
  for (const std::unique_ptr<TaskImpl> &task : model.tasks)
    texts.push_back(textOf(task->place));
  for (uint32_t i = 0; i < program.numData; ++i)
    texts.push_back(places[program.data[i].name]);
  return texts;
}

static std::vector<std::string> textsOf(const SluiceTaskProgram &program) {
  std::vector<std::string> texts{program.name, program.plan->location};
  for (uint32_t i = 0; i < program.numTasks; ++i)
    texts.push_back(program.tasks[i].location);
  for (uint32_t i = 0; i < program.numData; ++i)
    texts.push_back(program.data[i].location);
  return texts;
}

static std::unique_ptr<NamedTables>
copyTables(const SluiceTaskProgram &program,
           const std::vector<std::string> &texts) {
  auto copy = std::make_unique<NamedTables>();
  const SluicePlan &plan = *program.plan;
  copy->program = program;
  copy->plan = plan;
  copy->data.assign(program.data, program.data + program.numData);
  copy->tasks.assign(program.tasks, program.tasks + program.numTasks);
  copy->nodes.assign(plan.nodes, plan.nodes + plan.numNodes);

  auto text = texts.begin();
  copy->program.name = copy->keep(*text++);
  copy->plan.name = copy->program.name;
  copy->plan.location = copy->keep(*text++);
  std::unordered_map<std::string, const char *> moved;
  for (SluiceTaskRecord &task : copy->tasks) {
    const char *before = std::exchange(task.location, copy->keep(*text++));
    moved.try_emplace(before, task.location);
  }
  for (SluiceTaskData &datum : copy->data)
    datum.location = copy->keep(*text++);
  // A node is a task; what is fused of several keeps the first one's place.
  const bool isTaskEach = plan.numNodes == program.numTasks;
  const std::string prefix = concat(plan.name, '/');
  for (uint32_t i = 0; i < plan.numNodes; ++i) {
    SluicePlanNode &node = copy->nodes[i];
    const std::string_view name = node.name;
    if (name.starts_with(prefix))
      node.name =
          copy->keep(concat(copy->plan.name, name.substr(prefix.size() - 1)));
    auto found = moved.find(node.location);
    if (isTaskEach &&
        std::string_view(node.location) == program.tasks[i].location)
      node.location = copy->tasks[i].location;
    else if (found != moved.end())
      node.location = found->second;
  }
  copy->plan.nodes = copy->nodes.data();
  copy->program.plan = &copy->plan;
  copy->program.data = copy->data.data();
  copy->program.tasks = copy->tasks.data();
  return copy;
}

const SluiceTaskProgram &driver::withNamesOf(const TaskGraphModel &model,
                                             const SluiceTaskProgram &program) {
  std::vector<std::string> texts = textsOf(model, program);
  if (texts == textsOf(program))
    return program;
  using Key = std::pair<const SluiceTaskProgram *, std::vector<std::string>>;
  // Runs, traces and the runtime's prepared plans point into them.
  static std::mutex mutex;
  static auto &all = *new std::map<Key, std::unique_ptr<NamedTables>>;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<NamedTables> &tables = all[{&program, texts}];
  if (!tables)
    tables = copyTables(program, texts);
  return tables->program;
}
