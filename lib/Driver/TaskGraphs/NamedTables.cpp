//===- NamedTables.cpp - Names and locations in a graph's tables ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedTables.h"
#include "sluice-c/Plan.h"
#include "sluice/Base/Text.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/TaskGraph/Import.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
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
};

using Texts = std::vector<std::string>;

/// All of them. The runtime has prepared their plans, which it knows by their
/// addresses, so tables that nobody runs are kept for the next graph that is
/// like theirs but for its texts.
struct AllNamedTables {
  struct Used {
    std::unique_ptr<NamedTables> tables;
    unsigned numUsers = 0;
  };
  using Key = std::pair<const SluiceTaskProgram *, Texts>;

  std::mutex mutex;
  std::map<Key, Used> used;
  std::map<const SluiceTaskProgram *, std::map<Key, Used>::iterator> byProgram;
  /// By the program that they are copies of.
  std::map<const SluiceTaskProgram *, std::vector<std::unique_ptr<NamedTables>>>
      spare;
  /// Never dropped: what failed or ran last may still name them.
  std::set<std::string> texts;

  static AllNamedTables &get() {
    static AllNamedTables &all = *new AllNamedTables;
    return all;
  }
  const char *keep(const std::string &text) {
    return texts.insert(text).first->c_str();
  }
};
} // namespace

/// Timelines and records name the nodes that ran by their tables.
static bool mayTablesChange() {
  for (const char *name : {"SLUICE_TRACE", "SLUICE_RECORD"})
    if (const char *value = std::getenv(name); value && *value)
      return false;
  return true;
}

/// All texts that are specific to the graph, in the order of the tables.
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

/// Tables keep their places: the same program has as many entries.
static void copyTables(const SluiceTaskProgram &program, const Texts &texts,
                       AllNamedTables &all, NamedTables *copy) {
  const SluicePlan &plan = *program.plan;
  copy->program = program;
  copy->plan = plan;
  copy->data.assign(program.data, program.data + program.numData);
  copy->tasks.assign(program.tasks, program.tasks + program.numTasks);
  copy->nodes.assign(plan.nodes, plan.nodes + plan.numNodes);

  auto text = texts.begin();
  copy->program.name = all.keep(*text++);
  copy->plan.name = copy->program.name;
  copy->plan.location = all.keep(*text++);
  std::unordered_map<std::string, const char *> moved;
  for (SluiceTaskRecord &task : copy->tasks) {
    const char *before = std::exchange(task.location, all.keep(*text++));
    moved.try_emplace(before, task.location);
  }
  for (SluiceTaskData &datum : copy->data)
    datum.location = all.keep(*text++);
  // Each node is one task; a fused node keeps the location of its first task.
  const bool isTaskEach = plan.numNodes == program.numTasks;
  const std::string prefix = concat(plan.name, '/');
  for (uint32_t i = 0; i < plan.numNodes; ++i) {
    SluicePlanNode &node = copy->nodes[i];
    const std::string_view name = node.name;
    if (name.starts_with(prefix))
      node.name =
          all.keep(concat(copy->plan.name, name.substr(prefix.size() - 1)));
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
}

const SluiceTaskProgram &driver::withNamesOf(const TaskGraphModel &model,
                                             const SluiceTaskProgram &program) {
  Texts texts = textsOf(model, program);
  if (texts == textsOf(program))
    return program;
  AllNamedTables &all = AllNamedTables::get();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto entry = all.used.try_emplace({&program, std::move(texts)}).first;
  AllNamedTables::Used &used = entry->second;
  ++used.numUsers;
  if (used.tables)
    return used.tables->program;
  if (auto &spare = all.spare[&program]; !spare.empty()) {
    used.tables = std::move(spare.back());
    spare.pop_back();
  } else {
    used.tables = std::make_unique<NamedTables>();
  }
  copyTables(program, entry->first.second, all, used.tables.get());
  all.byProgram[&used.tables->program] = entry;
  return used.tables->program;
}

void driver::dropNames(const SluiceTaskProgram &program) {
  AllNamedTables &all = AllNamedTables::get();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.byProgram.find(&program);
  if (found == all.byProgram.end() || --found->second->second.numUsers != 0 ||
      !mayTablesChange())
    return;
  auto entry = found->second;
  all.byProgram.erase(found);
  all.spare[entry->first.first].push_back(std::move(entry->second.tables));
  all.used.erase(entry);
}
