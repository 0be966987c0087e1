//===- ProgramBuilder.cpp - Task graphs written by hand in tests ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a plan gets no argument of its own, so each task has a function
// that knows its number; programs are told apart by their runs.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include <array>
#include <map>
#include <mutex>
#include <utility>

using namespace sluice;
using namespace sluice::test;

static constexpr size_t maxTasks = 256;

static std::mutex buildersMutex;
/// Never destroyed: a task may call exit.
static auto &builders =
    *new std::map<const SluiceTaskProgram *, ProgramBuilder *>;

static ProgramBuilder &builderOf(SluiceTaskRun *run) {
  std::lock_guard lock(buildersMutex);
  return *builders.at(sluiceTaskRunProgram(run));
}

/// The run stands first in the frame, then the datasets.
static SluiceTaskRun *runOf(const SluiceInvocation *invocation) {
  return *reinterpret_cast<SluiceTaskRun **>(invocation->frame);
}

/// See "Support for generated code" in sluice-c/TaskProgram.h.
template <size_t number>
static void leaf(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  SluiceTaskRun *run = runOf(invocation);
  const TaskBody &body = builderOf(run).tasks[number].body;
  for (int32_t variant = sluiceTaskBegin(run, number); variant >= 0;) {
    int status = body({run, variant, invocation});
    variant = sluiceTaskEnd(run, number, status);
  }
}

template <size_t... numbers>
static std::array<SluiceKernel, sizeof...(numbers)>
makeLeaves(std::index_sequence<numbers...>) {
  return {leaf<numbers>...};
}
static const auto leaves = makeLeaves(std::make_index_sequence<maxTasks>());

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

ProgramBuilder::ProgramBuilder(const char *name) : plan(name) {
  plan.room(16);
  program.name = name;
  std::lock_guard lock(buildersMutex);
  builders[&program] = this;
}

ProgramBuilder::~ProgramBuilder() {
  std::lock_guard lock(buildersMutex);
  builders.erase(&program);
}

uint32_t ProgramBuilder::data(const SluiceTaskData &table) {
  datasets.push_back({table, {}, {}});
  plan.buffer(table.name, inOut);
  return static_cast<uint32_t>(datasets.size()) - 1;
}

uint32_t ProgramBuilder::data(const char *name, std::vector<int64_t> shape,
                              std::vector<double> initial, uint32_t flags) {
  SluiceTaskData table = {};
  table.name = name;
  table.location = "meta.cpp:1:1";
  table.elementKind = SLUICE_ELEMENT_FLOAT;
  table.elementBits = 64;
  table.rank = static_cast<uint32_t>(shape.size());
  table.size = 8;
  for (int64_t extent : shape)
    table.size *= static_cast<uint64_t>(extent);
  table.flags = flags;
  uint32_t index = data(table);
  Data &made = datasets[index];
  made.shape = std::move(shape);
  made.initial = std::move(initial);
  made.table.shape = made.shape.data();
  made.table.initial = made.initial.empty() ? nullptr : made.initial.data();
  return index;
}

uint32_t ProgramBuilder::task(const char *name, std::vector<SluiceTaskUse> uses,
                              TaskBody body) {
  auto index = static_cast<uint32_t>(tasks.size());
  if (index >= maxTasks)
    std::abort();
  Task &made = tasks.emplace_back();
  made.record.name = name;
  made.record.kernel = "kernel";
  made.record.location = "meta.cpp:2:3";
  made.record.numVariants = 1;
  made.uses = std::move(uses);
  made.body = std::move(body);
  plan.node(name, leaves[index]);
  for (uint32_t before = 0; before < index; ++before)
    for (const SluiceTaskUse &first : tasks[before].uses)
      for (const SluiceTaskUse &second : made.uses)
        if (first.data == second.data &&
            ((first.access | second.access) & out) &&
            (made.before.empty() || made.before.back() != before))
          order(before, index);
  return index;
}

void ProgramBuilder::order(uint32_t before, uint32_t after) {
  tasks[after].before.push_back(before);
  plan.order(before, after);
}

void ProgramBuilder::writesFile(uint32_t task, const char *path) {
  tasks[task].files.push_back(path);
}

void ProgramBuilder::readsFile(uint32_t task, const char *path) {
  tasks[task].readFiles.push_back(path);
}

void ProgramBuilder::argument(uint32_t task,
                              const SluiceTaskArgument &argument) {
  tasks[task].arguments.push_back(argument);
}

void ProgramBuilder::variants(uint32_t task, std::vector<const char *> texts) {
  tasks[task].variantTexts = std::move(texts);
}

SluiceTaskProgram &ProgramBuilder::finish() {
  for (Data &one : datasets)
    one.table.numUses = 0;
  taskTable.clear();
  for (Task &one : tasks) {
    SluiceTaskRecord &record = one.record;
    record.uses = one.uses.data();
    record.numUses = static_cast<uint32_t>(one.uses.size());
    record.writtenFiles = one.files.data();
    record.numWrittenFiles = static_cast<uint32_t>(one.files.size());
    record.readFiles = one.readFiles.data();
    record.numReadFiles = static_cast<uint32_t>(one.readFiles.size());
    record.arguments = one.arguments.data();
    record.numArguments = static_cast<uint32_t>(one.arguments.size());
    if (!one.variantTexts.empty()) {
      record.variants = one.variantTexts.data();
      record.numVariants = static_cast<uint32_t>(one.variantTexts.size());
    }
    for (const SluiceTaskUse &use : one.uses)
      ++datasets[use.data].table.numUses;
    taskTable.push_back(record);
  }
  dataTable.clear();
  for (Data &one : datasets)
    dataTable.push_back(one.table);
  plan.argument("run", 8);
  plan.argument("none", 8);
  program.plan = plan.finish();
  // The run stands where every leaf finds it.
  auto *arguments = const_cast<SluicePlanArgument *>(program.plan->arguments);
  for (uint32_t i = 0; i < 2; ++i)
    arguments[program.plan->numArguments - 2 + i].frameOffset = 8 * i;
  program.head = tableHead<SluiceTaskProgram>;
  program.data = dataTable.data();
  program.tasks = taskTable.data();
  program.numData = static_cast<uint32_t>(dataTable.size());
  program.numTasks = static_cast<uint32_t>(taskTable.size());
  program.pythonPath = "";
  return program;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

OwnedRun::OwnedRun(SluiceTaskProgram &program, unsigned numWorkers,
                   bool keepsData, bool isSerial) {
  SluiceTaskRunOptions options = {sizeof(options), keepsData, isSerial,
                                  numWorkers};
  const char *error = "not set";
  run = sluiceTaskRunCreate(&program, &options, &error);
  EXPECT_EQ(error, nullptr) << error;
}
