//===- TaskMessagesTest.cpp - Messages between tasks on ranks -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs, placed at random, whose tasks and messages happen in any
// order that they may: every rank reads what it would alone.
//
//===----------------------------------------------------------------------===//

#include "TaskMessages.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace sluice;
using namespace sluice::tasks;

namespace {
using Random = std::mt19937;

uint32_t pick(Random &random, uint32_t end) {
  return std::uniform_int_distribution<uint32_t>(0, end - 1)(random);
}

Runs randomRuns(Random &random, int64_t count) {
  Runs runs;
  for (uint32_t i = pick(random, 4); i > 0; --i) {
    const int64_t begin = pick(random, count);
    runs.push_back({begin, begin + 1 + pick(random, count - begin)});
  }
  regions::normalize(runs);
  return runs;
}

bool meet(const Runs &a, const Runs &b) {
  return !regions::intersectRuns(a, b).empty();
}

/// A program that has no code.
struct RandomTasks {
  explicit RandomTasks(Random &random) {
    const uint32_t numData = 1 + pick(random, 3);
    for (uint32_t i = 0; i < numData; ++i) {
      shapes.push_back(1 + pick(random, 30));
      SluiceTaskData one = {};
      one.elementBits = 64;
      one.rank = 1;
      one.flags = pick(random, 2) ? uint32_t(SLUICE_DATA_PRINT) : 0;
      data.push_back(one);
    }
    for (uint32_t i = 0; i < numData; ++i)
      data[i].shape = &shapes[i];
    const uint32_t numTasks = 1 + pick(random, 20);
    for (uint32_t task = 0; task < numTasks; ++task)
      addTask(random);
    records.resize(numTasks);
    program.numTasks = numTasks;
    program.numData = numData;
    program.data = data.data();
    program.tasks = records.data();
  }

  void addTask(Random &random) {
    const auto task = static_cast<uint32_t>(map.accesses.size());
    std::vector<DatasetAccess> &accesses = map.accesses.emplace_back();
    for (uint32_t i = 0; i < data.size(); ++i)
      if (pick(random, 2))
        accesses.push_back(
            {i, randomRuns(random, shapes[i]), randomRuns(random, shapes[i])});
    map.taskOf.push_back(task);
    map.firstNode.push_back(task);
    std::vector<uint32_t> &before = map.before.emplace_back();
    std::vector<bool> isImplied(task);
    for (uint32_t other = task; other-- > 0;) {
      bool isBefore = pick(random, 12) == 0;
      for (const DatasetAccess &a : map.accesses[other])
        for (const DatasetAccess &b : accesses)
          isBefore |= a.data == b.data &&
                      (meet(a.writes, b.reads) || meet(a.writes, b.writes) ||
                       meet(a.reads, b.writes));
      if (isBefore && !isImplied[other])
        before.push_back(other);
      if (isBefore || isImplied[other])
        for (uint32_t one : map.before[other])
          isImplied[one] = true;
    }
    std::reverse(before.begin(), before.end());
  }

  std::vector<int64_t> shapes;
  std::vector<SluiceTaskData> data;
  std::vector<SluiceTaskRecord> records;
  SluiceTaskProgram program = {};
  TaskMap map;
};

using Memory = std::vector<std::vector<uint64_t>>;

Memory initial(const RandomTasks &tasks) {
  Memory memory;
  for (int64_t count : tasks.shapes)
    memory.emplace_back(count, memory.size());
  return memory;
}

template <typename Function>
void forEach(const Runs &runs, Function &&function) {
  for (const SluiceRun &run : runs)
    for (int64_t i = run.begin; i < run.end; ++i)
      function(i);
}

/// What a task does: it depends on all that it reads, in order.
void runTask(const RandomTasks &tasks, uint32_t task, Memory &memory) {
  uint64_t seen = task + 1;
  for (const DatasetAccess &access : tasks.map.accesses[task])
    forEach(access.reads, [&](int64_t i) {
      seen = seen * 6364136223846793005u + memory[access.data][i] + i;
    });
  for (const DatasetAccess &access : tasks.map.accesses[task])
    forEach(access.writes,
            [&](int64_t i) { memory[access.data][i] = seen += i + 1; });
}

/// Ranks whose tasks and messages begin and end one after the other, in a
/// random order that all that waits allows. A message takes its elements when
/// it ends, on both sides: the latest moment.
class Machine {
public:
  Machine(const RandomTasks &tasks, const std::vector<uint32_t> &ranks,
          uint32_t numRanks, Random &random)
      : tasks(tasks), ranks(ranks), random(random),
        all(findMessages(tasks.program, tasks.map, ranks)),
        tasksEnded(numRanks, std::vector<bool>(ranks.size())) {
    for (uint32_t rank = 0; rank < numRanks; ++rank) {
      orders.push_back(findOrders(tasks.program, tasks.map, ranks, all, rank));
      memories.push_back(initial(tasks));
      messageStates.emplace_back(orders.back().messages.size(), Waiting);
    }
  }

  /// False: nothing can go on.
  bool run() {
    std::vector<std::pair<uint32_t, uint32_t>> steps;
    while (true) {
      steps.clear();
      for (uint32_t rank = 0; rank < orders.size(); ++rank) {
        for (uint32_t task = 0; task < ranks.size(); ++task)
          if (mayRun(rank, task))
            steps.push_back({rank, task});
        for (uint32_t i = 0; i < orders[rank].messages.size(); ++i)
          if (mayGoOn(rank, i))
            steps.push_back({rank, uint32_t(ranks.size()) + i});
      }
      if (steps.empty())
        break;
      auto [rank, step] = steps[pick(random, steps.size())];
      if (step < ranks.size()) {
        if (ranks[step] == rank)
          runTask(tasks, step, memories[rank]);
        tasksEnded[rank][step] = true;
      } else {
        goOn(rank, step - ranks.size());
      }
    }
    for (uint32_t rank = 0; rank < orders.size(); ++rank) {
      for (bool hasEnded : tasksEnded[rank])
        if (!hasEnded)
          return false;
      for (State state : messageStates[rank])
        if (state != Ended)
          return false;
    }
    return true;
  }

  const Memory &memoryOf(uint32_t rank) const { return memories[rank]; }
  const std::vector<TaskMessage> &messages() const { return all; }

private:
  enum State { Waiting, Begun, Ended };

  bool mayRun(uint32_t rank, uint32_t task) const {
    if (tasksEnded[rank][task])
      return false;
    for (uint32_t before : tasks.map.before[task])
      if (!tasksEnded[rank][before])
        return false;
    uint32_t left = orders[rank].numWaits[task];
    for (uint32_t i = 0; i < orders[rank].messages.size(); ++i)
      if (messageStates[rank][i] == Ended)
        left -= std::count(orders[rank].messages[i].tasksAfter.begin(),
                           orders[rank].messages[i].tasksAfter.end(), task);
    return left == 0;
  }

  bool mayBegin(uint32_t rank, uint32_t index) const {
    uint32_t left = orders[rank].messages[index].numWaits;
    for (uint32_t task = 0; task < ranks.size(); ++task)
      if (tasksEnded[rank][task])
        left -= std::count(orders[rank].messagesAfter[task].begin(),
                           orders[rank].messagesAfter[task].end(), index);
    for (uint32_t i = 0; i < orders[rank].messages.size(); ++i)
      if (messageStates[rank][i] == Ended)
        left -= std::count(orders[rank].messages[i].messagesAfter.begin(),
                           orders[rank].messages[i].messagesAfter.end(), index);
    return left == 0;
  }

  /// The other side of a message.
  std::pair<uint32_t, uint32_t> partner(uint32_t rank, uint32_t index) const {
    const RankOrders::Message &message = orders[rank].messages[index];
    const uint32_t other = message.isSend ? message.what.to : message.what.from;
    for (uint32_t i = 0;; ++i) {
      const RankOrders::Message &one = orders[other].messages.at(i);
      if (one.isSend != message.isSend &&
          one.what.reader == message.what.reader &&
          one.what.from == message.what.from && one.what.to == message.what.to)
        return {other, i};
    }
  }

  bool mayGoOn(uint32_t rank, uint32_t index) const {
    if (messageStates[rank][index] == Waiting)
      return mayBegin(rank, index);
    if (messageStates[rank][index] == Ended ||
        orders[rank].messages[index].isSend)
      return false;
    auto [other, i] = partner(rank, index);
    return messageStates[other][i] == Begun;
  }

  /// A message begins, or ends on both sides.
  void goOn(uint32_t rank, uint32_t index) {
    if (messageStates[rank][index] == Waiting) {
      messageStates[rank][index] = Begun;
      return;
    }
    auto [other, i] = partner(rank, index);
    for (const TaskMessage::Part &part :
         orders[rank].messages[index].what.parts)
      forEach(part.runs, [&](int64_t element) {
        memories[rank][part.data][element] =
            memories[other][part.data][element];
      });
    messageStates[rank][index] = messageStates[other][i] = Ended;
  }

  const RandomTasks &tasks;
  const std::vector<uint32_t> &ranks;
  Random &random;
  std::vector<TaskMessage> all;
  std::vector<RankOrders> orders;
  std::vector<Memory> memories;
  std::vector<std::vector<bool>> tasksEnded;
  std::vector<std::vector<State>> messageStates;
};
} // namespace

TEST(TaskMessages, GiveRanksWhatOneMachineHas) {
  for (uint32_t seed = 0; seed < 600; ++seed) {
    Random random(seed);
    RandomTasks tasks(random);
    const uint32_t numRanks = 1 + pick(random, 5);
    std::vector<uint32_t> ranks;
    for (uint32_t task = 0; task < tasks.program.numTasks; ++task)
      ranks.push_back(pick(random, numRanks));
    // What each task reads if all run in order.
    Memory expected = initial(tasks);
    for (uint32_t task = 0; task < tasks.program.numTasks; ++task)
      runTask(tasks, task, expected);
    Machine machine(tasks, ranks, numRanks, random);
    ASSERT_TRUE(machine.run()) << "seed " << seed << ": it stands still";
    for (uint32_t i = 0; i < tasks.program.numData; ++i)
      if (tasks.data[i].flags & SLUICE_DATA_PRINT) {
        ASSERT_EQ(machine.memoryOf(0)[i], expected[i]) << "seed " << seed;
      }
    // The rank that wrote an element last has it.
    std::map<std::pair<uint32_t, int64_t>, uint32_t> writers;
    for (uint32_t task = 0; task < tasks.program.numTasks; ++task)
      for (const DatasetAccess &access : tasks.map.accesses[task])
        forEach(access.writes, [&](int64_t i) {
          writers[{access.data, i}] = ranks[task];
        });
    for (auto [element, rank] : writers)
      ASSERT_EQ(machine.memoryOf(rank)[element.first][element.second],
                expected[element.first][element.second])
          << "seed " << seed;
  }
}

/// Nothing is sent to who has it, and one rank alone sends nothing.
TEST(TaskMessages, SendWhatIsMissingOnce) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    RandomTasks tasks(random);
    const uint32_t numRanks = 1 + pick(random, 4);
    std::vector<uint32_t> ranks;
    for (uint32_t task = 0; task < tasks.program.numTasks; ++task)
      ranks.push_back(pick(random, numRanks));
    const std::vector<TaskMessage> messages =
        findMessages(tasks.program, tasks.map, ranks);
    if (numRanks == 1) {
      EXPECT_TRUE(messages.empty());
    }
    // By element: who has it; empty: everyone.
    std::map<std::pair<uint32_t, int64_t>, std::vector<uint32_t>> holders;
    auto next = messages.begin();
    for (uint32_t task = 0; task <= tasks.program.numTasks; ++task) {
      std::vector<uint32_t> senders;
      for (; next != messages.end() && next->reader == task; ++next) {
        EXPECT_NE(next->from, next->to);
        EXPECT_EQ(next->to, task < ranks.size() ? ranks[task] : 0);
        EXPECT_EQ(std::count(senders.begin(), senders.end(), next->from), 0);
        senders.push_back(next->from);
        for (const TaskMessage::Part &part : next->parts)
          forEach(part.runs, [&](int64_t i) {
            std::vector<uint32_t> &has = holders[{part.data, i}];
            EXPECT_EQ(std::count(has.begin(), has.end(), next->from), 1);
            EXPECT_EQ(std::count(has.begin(), has.end(), next->to), 0);
            has.push_back(next->to);
          });
      }
      if (task < ranks.size())
        for (const DatasetAccess &access : tasks.map.accesses[task])
          forEach(access.writes, [&](int64_t i) {
            holders[{access.data, i}] = {ranks[task]};
          });
    }
    EXPECT_EQ(next, messages.end());
  }
}
