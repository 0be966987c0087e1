//===- PlaceTasks.cpp - Assigning tasks to ranks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Earliest finish time on lists of equal workers. Uses only integers, so that
// every machine gets the same result.
//
//===----------------------------------------------------------------------===//

#include "PlaceTasks.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

using namespace sluice;
using namespace sluice::tasks;

//===----------------------------------------------------------------------===//
// What tasks need
//===----------------------------------------------------------------------===//

/// The object that ties a task to others; null: none.
static const SluiceTaskUse *objectOf(const SluiceTaskProgram &program,
                                     const SluiceTaskRecord &task) {
  for (uint32_t i = 0; i < task.numUses; ++i)
    if (program.data[task.uses[i].data].kind == SLUICE_DATA_PYOBJ)
      return &task.uses[i];
  return nullptr;
}

std::vector<uint32_t> tasks::tiedObjects(const SluiceTaskProgram &program) {
  std::vector<uint32_t> first(program.numData);
  std::iota(first.begin(), first.end(), 0);
  auto find = [&](uint32_t data) {
    while (first[data] != data)
      data = first[data] = first[first[data]];
    return data;
  };
  for (uint32_t task = 0; task < program.numTasks; ++task) {
    const SluiceTaskRecord &record = program.tasks[task];
    const SluiceTaskUse *object = objectOf(program, record);
    for (uint32_t i = 0; object && i < record.numUses; ++i)
      if (program.data[record.uses[i].data].kind == SLUICE_DATA_PYOBJ) {
        const uint32_t a = find(object->data), b = find(record.uses[i].data);
        first[std::max(a, b)] = std::min(a, b);
      }
  }
  for (uint32_t data = 0; data < program.numData; ++data)
    first[data] = find(data);
  return first;
}

/// The reason why a task runs only on rank 0; empty if there is none.
static const char *reasonForFirst(const SluiceTaskRecord &task) {
  if (task.flags & SLUICE_TASK_ONLY_RANK_0)
    return "is for rank 0 only";
  if (task.numWrittenFiles || task.numReadFiles)
    return "uses files, which are with rank 0";
  for (uint32_t i = 0; i < task.numUses; ++i)
    if (task.uses[i].access & SLUICE_ACCESS_OUT)
      return "";
  return "writes no dataset, so it is for what rank 0 shows or keeps";
}

Status tasks::addNeeds(const SluiceTaskProgram &program,
                       std::vector<uint32_t> &wanted) {
  constexpr uint32_t anywhere = PlacingFacts::anywhere;
  for (uint32_t task = 0; task < program.numTasks; ++task) {
    const SluiceTaskRecord &record = program.tasks[task];
    const std::string_view reason = reasonForFirst(record);
    if (reason.empty())
      continue;
    if (wanted[task] != anywhere && wanted[task] != 0)
      return Status::invalidArgument(concat("task ", quoted(record.name),
                                            " is placed on rank ", wanted[task],
                                            ", but it ", reason));
    wanted[task] = 0;
  }
  // Objects cannot be sent.
  const std::vector<uint32_t> tied = tiedObjects(program);
  std::vector<uint32_t> firstOf(program.numData, anywhere);
  for (uint32_t task = 0; task < program.numTasks; ++task) {
    const SluiceTaskUse *object = objectOf(program, program.tasks[task]);
    if (!object || wanted[task] == anywhere)
      continue;
    uint32_t &first = firstOf[tied[object->data]];
    if (first == anywhere)
      first = task;
    if (wanted[first] != wanted[task])
      return Status::invalidArgument(concat(
          "tasks ", quoted(program.tasks[first].name), " and ",
          quoted(program.tasks[task].name), " are for ranks ", wanted[first],
          " and ", wanted[task], ", but they use one object, ",
          quoted(program.data[object->data].name),
          ", or objects that a task joins; objects stay on a rank"));
  }
  for (uint32_t task = 0; task < program.numTasks; ++task)
    if (const SluiceTaskUse *object = objectOf(program, program.tasks[task]);
        object && firstOf[tied[object->data]] != anywhere)
      wanted[task] = wanted[firstOf[tied[object->data]]];
  return {};
}

//===----------------------------------------------------------------------===//
// Places from a file
//===----------------------------------------------------------------------===//

static std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

Result<std::vector<uint32_t>>
tasks::readPlaces(const SluiceTaskProgram &program, std::string_view text,
                  const std::string &name, uint32_t numRanks) {
  std::map<std::string_view, uint32_t> numbers;
  for (uint32_t task = 0; task < program.numTasks; ++task)
    numbers.emplace(program.tasks[task].name, task);
  std::vector<uint32_t> places(program.numTasks, PlacingFacts::anywhere);
  for (unsigned number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    // Names of tasks may contain '#'.
    if (line.empty() || line.front() == '#')
      continue;
    auto refuse = [&](auto &&...what) {
      return Status::invalidArgument(concat(name, ":", number, ": ", what...));
    };
    // Names may contain blanks.
    const size_t blank = line.find_last_of(" \t");
    if (blank == line.npos)
      return refuse("expected the name of a task and a rank, found ",
                    quoted(line));
    const std::string_view task = trimmed(line.substr(0, blank));
    const std::string_view rank = line.substr(blank + 1);
    const auto found = numbers.find(task);
    if (found == numbers.end())
      return refuse("there is no task ", quoted(task));
    uint32_t value = 0;
    const auto [rest, error] =
        std::from_chars(rank.data(), rank.data() + rank.size(), value);
    if (error != std::errc() || rest != rank.data() + rank.size() ||
        value >= numRanks)
      return refuse("task ", quoted(task), " is placed on rank ", quoted(rank),
                    ", expected a number from 0 to ", numRanks - 1);
    uint32_t &place = places[found->second];
    if (place != PlacingFacts::anywhere)
      return refuse("task ", quoted(task), " stands here twice");
    place = value;
  }
  return places;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// An estimate for a task with unknown time, in nanoseconds: a constant for its
/// kind, and a nanosecond per byte.
static uint64_t guessedTime(const SluiceTaskProgram &program,
                            const TaskMap &map, uint32_t task) {
  uint64_t time = 20'000;
  if (program.tasks[task].kind == SLUICE_TASK_PYTHON)
    time = 1'000'000;
  if (program.tasks[task].kind == SLUICE_TASK_FEM)
    time = 10'000'000;
  for (const DatasetAccess &access : map.accesses[task])
    time +=
        (program.data[access.data].elementBits / 8) *
        static_cast<uint64_t>(countOf(access.reads) + countOf(access.writes));
  return time;
}

namespace {
/// A predecessor of a task, and the transfer time of its written data if they
/// run on different ranks.
struct Arrival {
  uint32_t task;
  uint64_t time;
};

class Placer {
public:
  Placer(const SluiceTaskProgram &program, const TaskMap &map,
         const PlacingFacts &facts)
      : program(program), map(map), facts(facts), tied(tiedObjects(program)) {}

  std::vector<uint32_t> run() {
    findTimes();
    std::vector<uint32_t> order(program.numTasks);
    std::iota(order.begin(), order.end(), 0);
    // Predecessors have more work after them.
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return behind[a] != behind[b] ? behind[a] > behind[b] : a < b;
    });
    ranks.assign(program.numTasks, 0);
    finish.assign(program.numTasks, 0);
    rankOf.assign(program.numData, PlacingFacts::anywhere);
    freeAt.assign(size_t(facts.numRanks) * facts.numWorkers, 0);
    for (uint32_t task : order)
      place(task);
    return std::move(ranks);
  }

private:
  /// The cost of a message, and of a byte in it.
  static constexpr uint64_t messageTime = 20'000, byteTime = 1;

  void findTimes() {
    for (uint32_t task = 0; task < program.numTasks; ++task) {
      const uint64_t known = task < facts.times.size() ? facts.times[task] : 0;
      times.push_back(known ? known : guessedTime(program, map, task));
      std::vector<Arrival> &all = arrivals.emplace_back();
      for (uint32_t before : map.before[task])
        all.push_back({before, messageTime + bytesBetween(before, task)});
    }
    behind.assign(program.numTasks, 0);
    for (uint32_t task = program.numTasks; task-- > 0;) {
      behind[task] += times[task];
      for (const Arrival &arrival : arrivals[task])
        behind[arrival.task] =
            std::max(behind[arrival.task], arrival.time + behind[task]);
    }
  }

  uint64_t bytesBetween(uint32_t from, uint32_t to) const {
    uint64_t bytes = 0;
    for (const DatasetAccess &written : map.accesses[from])
      for (const DatasetAccess &read : map.accesses[to])
        if (written.data == read.data)
          bytes += byteTime * (program.data[read.data].elementBits / 8) *
                   static_cast<uint64_t>(countOf(
                       regions::intersectRuns(written.writes, read.reads)));
    return bytes;
  }

  /// The worker of a rank that becomes free first.
  uint64_t *freeWorker(uint32_t rank) {
    const auto first = freeAt.begin() + size_t(rank) * facts.numWorkers;
    return &*std::min_element(first, first + facts.numWorkers);
  }

  uint64_t finishOn(uint32_t task, uint32_t rank) {
    uint64_t start = *freeWorker(rank);
    for (const Arrival &arrival : arrivals[task])
      start =
          std::max(start, finish[arrival.task] +
                              (ranks[arrival.task] == rank ? 0 : arrival.time));
    return start + times[task];
  }

  void place(uint32_t task) {
    uint32_t *joint = nullptr; // for all tasks with these objects
    uint32_t wanted = facts.wanted[task];
    const SluiceTaskRecord &record = program.tasks[task];
    if (const SluiceTaskUse *object = objectOf(program, record)) {
      joint = &rankOf[tied[object->data]];
      if (*joint != PlacingFacts::anywhere)
        wanted = *joint;
    }
    uint32_t best = 0;
    if (wanted != PlacingFacts::anywhere) {
      best = wanted;
      finish[task] = finishOn(task, best);
    } else {
      finish[task] = UINT64_MAX;
      for (uint32_t rank = 0; rank < facts.numRanks; ++rank)
        if (const uint64_t end = finishOn(task, rank); end < finish[task]) {
          finish[task] = end;
          best = rank;
        }
    }
    ranks[task] = best;
    *freeWorker(best) = finish[task];
    if (joint)
      *joint = best;
  }

  const SluiceTaskProgram &program;
  const TaskMap &map;
  const PlacingFacts &facts;
  const std::vector<uint32_t> tied;
  std::vector<uint64_t> times;
  /// The time from its start to the end of the last task that waits for it.
  std::vector<uint64_t> behind;
  std::vector<std::vector<Arrival>> arrivals;
  std::vector<uint32_t> ranks, rankOf;
  std::vector<uint64_t> finish, freeAt;
};
} // namespace

std::vector<uint32_t> tasks::placeTasks(const SluiceTaskProgram &program,
                                        const TaskMap &map,
                                        const PlacingFacts &facts) {
  return Placer(program, map, facts).run();
}
