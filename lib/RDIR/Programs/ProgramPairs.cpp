//===- ProgramPairs.cpp - Conflicting tasks without an order --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Lay out the tasks so that the given order goes forward. Where it leaves a
//    choice, use the order of the program.
// 2. Walk the tasks in this order. For each argument, collect the sets of
//    earlier users that conflict with it and that no later write replaces.
// 3. Take 64 users at a time. One sweep, from these users to the last task that
//    conflicts with them, finds which later tasks come after them.
//
//===----------------------------------------------------------------------===//

#include "ProgramFields.h"
#include "ProgramUsers.h"

#include <algorithm>
#include <queue>

using namespace sluice::rdir;

namespace {

using TaskPairs = std::span<const std::pair<uint32_t, uint32_t>>;

/// The given order as positions in a layout in which it goes forward.
struct PairLayout {
  /// The task at each position, and the position of each task.
  std::vector<uint32_t> tasks, positions;
  /// predecessors[begin[p] ...] come directly before position p.
  std::vector<uint32_t> begin, predecessors;
};

/// A set of users that an argument conflicts with.
struct SetQuery {
  uint32_t set;
  User later;
};

/// One such user.
struct PairQuery {
  User earlier, later;
};

class PairFinder {
public:
  PairFinder(const SequentialProgram &program, TaskPairs order);
  std::vector<UnorderedPair> run();

private:
  void layOut(TaskPairs order);
  void collect();
  void ask(uint32_t set, User later);
  bool isDirect(User earlier, User later) const;
  void askSets();
  void askSet(std::span<const SetQuery> queries);
  void askPairs();
  void sweep(std::span<const User> users, uint32_t last);
  uint64_t reachedAt(User later) const {
    return reached[layout.positions[later.task]];
  }
  void add(User a, User b);

  const SequentialProgram &program;
  PairLayout layout;
  UserSetPool pool;
  std::vector<SetQuery> setQueries;
  std::vector<PairQuery> pairQueries;
  /// By position: the users among the current 64 that come before it.
  std::vector<uint64_t> reached;
  std::vector<UnorderedPair> pairs;
};

} // namespace

PairFinder::PairFinder(const SequentialProgram &program, TaskPairs order)
    : program(program) {
  layOut(order);
}

/// Sorts tasks by the given order and then by the program. If the given order
/// has a cycle, the cycle's first task in the program goes first.
static std::vector<uint32_t> sortTasks(size_t numTasks, TaskPairs order) {
  std::vector<uint32_t> begin(numTasks + 1), next, waiting(numTasks);
  std::vector<uint32_t> successors(order.size());
  for (auto [from, to] : order) {
    ++begin[from + 1];
    ++waiting[to];
  }
  for (size_t i = 0; i < numTasks; ++i)
    begin[i + 1] += begin[i];
  next.assign(begin.begin(), begin.end() - 1);
  for (auto [from, to] : order)
    successors[next[from]++] = to;

  std::vector<uint32_t> result;
  std::vector<bool> isPlaced(numTasks);
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t task = 0; task < numTasks; ++task)
    if (waiting[task] == 0)
      ready.push(task);
  uint32_t firstOpen = 0;
  while (result.size() < numTasks) {
    while (ready.empty()) {
      if (!isPlaced[firstOpen])
        ready.push(firstOpen);
      ++firstOpen;
    }
    uint32_t task = ready.top();
    ready.pop();
    if (isPlaced[task])
      continue;
    isPlaced[task] = true;
    result.push_back(task);
    for (uint32_t i = begin[task]; i < begin[task + 1]; ++i)
      if (--waiting[successors[i]] == 0)
        ready.push(successors[i]);
  }
  return result;
}

void PairFinder::layOut(TaskPairs order) {
  size_t numTasks = program.tasks.size();
  layout.tasks = sortTasks(numTasks, order);
  layout.positions.resize(numTasks);
  for (uint32_t i = 0; i < numTasks; ++i)
    layout.positions[layout.tasks[i]] = i;
  layout.begin.assign(numTasks + 1, 0);
  auto isForward = [&](std::pair<uint32_t, uint32_t> edge) {
    return layout.positions[edge.first] < layout.positions[edge.second];
  };
  for (auto edge : order)
    if (isForward(edge))
      ++layout.begin[layout.positions[edge.second] + 1];
  for (size_t i = 0; i < numTasks; ++i)
    layout.begin[i + 1] += layout.begin[i];
  layout.predecessors.resize(layout.begin.back());
  std::vector<uint32_t> next(layout.begin.begin(), layout.begin.end() - 1);
  for (auto edge : order)
    if (isForward(edge))
      layout.predecessors[next[layout.positions[edge.second]]++] =
          layout.positions[edge.first];
  for (size_t i = 0; i < numTasks; ++i)
    std::sort(layout.predecessors.begin() + layout.begin[i],
              layout.predecessors.begin() + layout.begin[i + 1]);
}

bool PairFinder::isDirect(User earlier, User later) const {
  uint32_t at = layout.positions[later.task];
  return earlier.task == later.task ||
         std::binary_search(layout.predecessors.begin() + layout.begin[at],
                            layout.predecessors.begin() + layout.begin[at + 1],
                            layout.positions[earlier.task]);
}

/// Queries few users one by one, and many as a set that other arguments share.
void PairFinder::ask(uint32_t set, User later) {
  constexpr size_t few = 8;
  if (pool[set].size() > few)
    return setQueries.push_back({set, later});
  for (User earlier : pool[set])
    if (!isDirect(earlier, later))
      pairQueries.push_back({earlier, later});
}

void PairFinder::collect() {
  RootFieldClasses fields(program);
  std::map<std::pair<RegionIndex, FieldMask>, UserTree> trees;
  for (uint32_t task : layout.tasks) {
    const auto &arguments = program.tasks[task].arguments;
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      RegionIndex root = program.forest->root(arguments[i].region);
      for (FieldMask mask : fields.classesOf(root)) {
        if (!(mask & arguments[i].fields))
          continue;
        auto [it, isNew] = trees.try_emplace({fields.groupOf(root), mask},
                                             *program.forest, pool);
        it->second.access(arguments[i], {task, i}, [&](uint32_t set) {
          ask(set, {task, i});
        });
      }
    }
  }
}

void PairFinder::add(User a, User b) {
  if (a.task > b.task)
    std::swap(a, b);
  pairs.push_back({a.task, b.task, a.argument, b.argument});
}

/// Step 3 for at most 64 users, sorted by position.
void PairFinder::sweep(std::span<const User> users, uint32_t last) {
  uint32_t first = layout.positions[users.front().task];
  std::fill(reached.begin() + first, reached.begin() + last + 1, 0);
  for (size_t i = 0; i < users.size(); ++i)
    reached[layout.positions[users[i].task]] |= uint64_t(1) << i;
  for (uint32_t at = first; at <= last; ++at)
    for (uint32_t i = layout.begin[at]; i < layout.begin[at + 1]; ++i)
      if (layout.predecessors[i] >= first)
        reached[at] |= reached[layout.predecessors[i]];
}

/// Answers the queries of one set.
void PairFinder::askSet(std::span<const SetQuery> queries) {
  UserSet users = pool[queries.front().set];
  std::sort(users.begin(), users.end(), [&](User a, User b) {
    return layout.positions[a.task] < layout.positions[b.task];
  });
  uint32_t last = layout.positions[users.back().task];
  for (const SetQuery &query : queries)
    last = std::max(last, layout.positions[query.later.task]);
  for (size_t i = 0; i < users.size(); i += 64) {
    auto some =
        std::span(users).subspan(i, std::min<size_t>(64, users.size() - i));
    sweep(some, last);
    uint64_t all = ~uint64_t(0) >> (64 - some.size());
    for (const SetQuery &query : queries)
      for (uint64_t missing = all & ~reachedAt(query.later); missing;
           missing &= missing - 1)
        add(some[__builtin_ctzll(missing)], query.later);
  }
}

void PairFinder::askSets() {
  std::sort(setQueries.begin(), setQueries.end(),
            [](const SetQuery &a, const SetQuery &b) { return a.set < b.set; });
  for (size_t i = 0, end; i < setQueries.size(); i = end) {
    for (end = i + 1;
         end < setQueries.size() && setQueries[end].set == setQueries[i].set;)
      ++end;
    askSet(std::span(setQueries).subspan(i, end - i));
  }
}

/// Queries the users in the order of their positions, 64 tasks at a time.
void PairFinder::askPairs() {
  auto position = [&](User user) { return layout.positions[user.task]; };
  std::sort(pairQueries.begin(), pairQueries.end(),
            [&](const PairQuery &a, const PairQuery &b) {
              return position(a.earlier) < position(b.earlier);
            });
  std::vector<User> users;
  for (size_t i = 0, end; i < pairQueries.size(); i = end) {
    users.clear();
    uint32_t last = 0;
    std::vector<uint8_t> bits;
    for (end = i; end < pairQueries.size(); ++end) {
      const PairQuery &query = pairQueries[end];
      bool isNew = users.empty() || users.back().task != query.earlier.task;
      if (isNew && users.size() == 64)
        break;
      if (isNew)
        users.push_back(query.earlier);
      bits.push_back(users.size() - 1);
      last = std::max(last, position(query.later));
    }
    sweep(users, last);
    for (size_t k = i; k < end; ++k)
      if (!(reachedAt(pairQueries[k].later) >> bits[k - i] & 1))
        add(pairQueries[k].earlier, pairQueries[k].later);
  }
}

std::vector<UnorderedPair> PairFinder::run() {
  collect();
  reached.resize(program.tasks.size());
  askSets();
  askPairs();
  auto key = [](const UnorderedPair &pair) {
    return std::tuple(pair.first, pair.second, pair.firstArgument,
                      pair.secondArgument);
  };
  std::sort(pairs.begin(), pairs.end(),
            [&](const auto &a, const auto &b) { return key(a) < key(b); });
  auto isSamePair = [](const UnorderedPair &a, const UnorderedPair &b) {
    return a.first == b.first && a.second == b.second;
  };
  pairs.erase(std::unique(pairs.begin(), pairs.end(), isSamePair), pairs.end());
  return std::move(pairs);
}

std::vector<UnorderedPair> sluice::rdir::findUnorderedPairs(
    const SequentialProgram &program,
    std::span<const std::pair<uint32_t, uint32_t>> order) {
  return PairFinder(program, order).run();
}
