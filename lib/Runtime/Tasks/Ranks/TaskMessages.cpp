//===- TaskMessages.cpp - Messages between tasks on different ranks -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages are in program order, directly before the task for which they are.
// The first item in this order that has not ended can always proceed, so ranks
// never wait for each other forever.
//
//===----------------------------------------------------------------------===//

#include "TaskMessages.h"

#include "../../Regions/Distribution/Holders.h"

#include <algorithm>
#include <map>

using namespace sluice;
using namespace sluice::tasks;
using sluice::regions::Holders;
using sluice::regions::RankSets;

//===----------------------------------------------------------------------===//
// All messages
//===----------------------------------------------------------------------===//

namespace {
class MessageFinder {
public:
  MessageFinder(const SluiceTaskProgram &program, const TaskMap &map,
                const std::vector<uint32_t> &ranks)
      : program(program), map(map), ranks(ranks) {
    for (uint32_t i = 0; i < program.numData; ++i)
      holders.emplace_back(program.data[i].kind == SLUICE_DATA_PYOBJ
                               ? 0
                               : numElements(program.data[i]));
  }

  std::vector<TaskMessage> run() {
    for (uint32_t task = 0; task < program.numTasks; ++task)
      addTask(task);
    for (uint32_t i = 0; i < program.numData; ++i)
      if (const SluiceTaskData &data = program.data[i];
          data.flags & SLUICE_DATA_PRINT && data.kind != SLUICE_DATA_PYOBJ)
        read(i, {{0, numElements(data)}}, 0);
    send(program.numTasks, 0);
    return std::move(messages);
  }

private:
  void addTask(uint32_t task) {
    const uint32_t rank = ranks[task];
    for (const DatasetAccess &access : map.accesses[task])
      read(access.data, access.reads, rank);
    for (uint32_t before : map.before[task])
      if (ranks[before] != rank)
        partsOf[ranks[before]];
    send(task, rank);
    for (const DatasetAccess &access : map.accesses[task]) {
      std::vector<Holders::Segment> written;
      for (const SluiceRun &run : access.writes)
        written.push_back({run.begin, run.end, sets.only(rank)});
      holders[access.data].assign(written);
    }
  }

  /// A rank receives the elements that it lacks.
  void read(uint32_t data, const Runs &runs, uint32_t rank) {
    const std::vector<Holders::Segment> missing =
        holders[data].missing(runs, rank, sets);
    for (const Holders::Segment &segment : missing) {
      std::vector<TaskMessage::Part> &parts =
          partsOf[sets.ownerOf(segment.set)];
      if (parts.empty() || parts.back().data != data)
        parts.push_back({data, {}});
      Runs &part = parts.back().runs;
      if (!part.empty() && part.back().end == segment.begin)
        part.back().end = segment.end;
      else
        part.push_back({segment.begin, segment.end});
    }
    holders[data].add(missing, rank, sets);
  }

  void send(uint32_t reader, uint32_t rank) {
    for (auto &[from, parts] : partsOf) {
      std::sort(parts.begin(), parts.end(),
                [](const auto &a, const auto &b) { return a.data < b.data; });
      messages.push_back({reader, from, rank, std::move(parts)});
    }
    partsOf.clear();
  }

  const SluiceTaskProgram &program;
  const TaskMap &map;
  const std::vector<uint32_t> &ranks;
  RankSets sets;
  std::vector<Holders> holders;
  /// The next task's messages, by sender.
  std::map<uint32_t, std::vector<TaskMessage::Part>> partsOf;
  std::vector<TaskMessage> messages;
};
} // namespace

std::vector<TaskMessage>
tasks::findMessages(const SluiceTaskProgram &program, const TaskMap &map,
                    const std::vector<uint32_t> &ranks) {
  return MessageFinder(program, map, ranks).run();
}

//===----------------------------------------------------------------------===//
// The messages of one rank
//===----------------------------------------------------------------------===//

namespace {
/// Walks the tasks and messages of one rank in order, and tracks for each
/// dataset the accesses to its elements since they were last written.
class OrderFinder {
public:
  OrderFinder(const SluiceTaskProgram &program, const TaskMap &map,
              const std::vector<uint32_t> &ranks, uint32_t rank)
      : map(map), ranks(ranks), rank(rank), touched(program.numData) {
    orders.messagesAfter.resize(program.numTasks);
    orders.numWaits.resize(program.numTasks);
    orders.numUses.resize(program.numData);
  }

  void addMessage(const TaskMessage &message) {
    const auto index = static_cast<uint32_t>(orders.messages.size());
    const bool isSend = message.from == rank;
    orders.messages.push_back({message, isSend, 0, {}, {}});
    Waits waits;
    for (const TaskMessage::Part &part : message.parts) {
      touch({true, index, isSend ? part.runs : Runs(),
             isSend ? Runs() : part.runs},
            part.data, waits);
      ++orders.numUses[part.data];
    }
    if (isSend && message.reader < ranks.size())
      for (uint32_t before : map.before[message.reader])
        if (ranks[before] == rank)
          waits.tasks.push_back(before);
    sortUnique(waits.tasks);
    sortUnique(waits.messages);
    for (uint32_t task : waits.tasks)
      orders.messagesAfter[task].push_back(index);
    for (uint32_t other : waits.messages)
      orders.messages[other].messagesAfter.push_back(index);
    orders.messages[index].numWaits =
        waits.tasks.size() + waits.messages.size();
    if (!isSend && message.reader < ranks.size())
      received.push_back(index);
  }

  void addTask(const SluiceTaskRecord &record, uint32_t task) {
    Waits waits;
    for (const DatasetAccess &access : map.accesses[task])
      touch({false, task, access.reads, access.writes}, access.data, waits);
    waits.messages.insert(waits.messages.end(), received.begin(),
                          received.end());
    received.clear();
    sortUnique(waits.messages);
    for (uint32_t message : waits.messages)
      orders.messages[message].tasksAfter.push_back(task);
    orders.numWaits[task] = waits.messages.size();
    for (uint32_t i = 0; i < record.numUses; ++i)
      ++orders.numUses[record.uses[i].data];
  }

  RankOrders take() { return std::move(orders); }

private:
  struct Touch {
    bool isMessage;
    uint32_t index;
    Runs reads, writes;
  };
  struct Waits {
    std::vector<uint32_t> tasks, messages;
  };

  static void sortUnique(std::vector<uint32_t> &numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  static bool meet(const Runs &a, const Runs &b) {
    auto left = a.begin(), right = b.begin();
    while (left != a.end() && right != b.end()) {
      if (left->end <= right->begin)
        ++left;
      else if (right->end <= left->begin)
        ++right;
      else
        return true;
    }
    return false;
  }
  static bool isInside(const Runs &inner, const Runs &outer) {
    return regions::subtractRuns(inner, outer).empty();
  }

  void touch(Touch now, uint32_t data, Waits &waits) {
    std::vector<Touch> &all = touched[data];
    for (const Touch &before : all)
      if (meet(before.writes, now.reads) || meet(before.writes, now.writes) ||
          meet(before.reads, now.writes))
        (before.isMessage ? waits.messages : waits.tasks)
            .push_back(before.index);
    // Successors of this one wait for those that accessed nothing else.
    if (!now.writes.empty())
      std::erase_if(all, [&](const Touch &before) {
        return isInside(before.reads, now.writes) &&
               isInside(before.writes, now.writes);
      });
    all.push_back(std::move(now));
  }

  const TaskMap &map;
  const std::vector<uint32_t> &ranks;
  const uint32_t rank;
  std::vector<std::vector<Touch>> touched;
  /// The messages received for the next task.
  std::vector<uint32_t> received;
  RankOrders orders;
};
} // namespace

RankOrders tasks::findOrders(const SluiceTaskProgram &program,
                             const TaskMap &map,
                             const std::vector<uint32_t> &ranks,
                             const std::vector<TaskMessage> &messages,
                             uint32_t rank) {
  OrderFinder finder(program, map, ranks, rank);
  auto message = messages.begin();
  for (uint32_t task = 0; task <= program.numTasks; ++task) {
    for (; message != messages.end() && message->reader == task; ++message)
      if (message->from == rank || message->to == rank)
        finder.addMessage(*message);
    if (task < program.numTasks && ranks[task] == rank)
      finder.addTask(program.tasks[task], task);
  }
  return finder.take();
}
