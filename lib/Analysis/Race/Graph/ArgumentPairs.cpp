//===- ArgumentPairs.cpp - Arguments that proofs take as disjoint ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that use the same arguments in the same way are of one kind, and each
// pair of kinds is compared once.
//
//===----------------------------------------------------------------------===//

#include "ArgumentPairs.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace sluice;
using namespace sluice::races;
using rdir::Privilege;

namespace {
/// How a task uses an argument or a global variable. All reductions are alike,
/// since two atomic operations do not race.
struct ArgumentUse {
  /// An argument's index, or a global variable's object.
  unsigned number = 0;
  bool isGlobal = false;
  regions::Use use;
  friend bool operator<(const ArgumentUse &a, const ArgumentUse &b) {
    return std::tie(a.isGlobal, a.number, a.use.privilege) <
           std::tie(b.isGlobal, b.number, b.use.privilege);
  }
};
using Kind = std::vector<ArgumentUse>;

class Finder {
public:
  explicit Finder(const GraphRegions &regions) : regions(regions) {}

  void visitGraph(const regions::TaskGraph &graph);
  void visitItems(const regions::TaskGraph &graph);

  ArgumentPairs pairs;

private:
  uint32_t kindOf(const regions::Task &task);
  void visitKinds(uint32_t first, uint32_t second);

  const GraphRegions &regions;
  std::vector<Kind> kinds;
  std::map<Kind, uint32_t> numbers;
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> known;
};
} // namespace

uint32_t Finder::kindOf(const regions::Task &task) {
  Kind kind;
  for (const regions::Use &use : task.uses) {
    uint32_t object = regions.system().ranges[use.range].object;
    if (regions.object(object).depth != 0)
      continue;
    if (regions.object(object).kind == MemoryObject::Kind::Argument)
      kind.push_back(
          {regions.object(object).index, false, {0, use.privilege, 0}});
    else if (regions.object(object).kind == MemoryObject::Kind::Global)
      kind.push_back({object, true, {0, use.privilege, 0}});
  }
  llvm::sort(kind);
  auto [found, isNew] = numbers.try_emplace(kind, kinds.size());
  if (isNew)
    kinds.push_back(std::move(kind));
  return found->second;
}

void Finder::visitKinds(uint32_t first, uint32_t second) {
  if (!known.insert(std::minmax(first, second)).second)
    return;
  for (const ArgumentUse &a : kinds[first])
    for (const ArgumentUse &b : kinds[second])
      if (!regions::conflict(a.use, b.use))
        continue;
      else if (a.isGlobal != b.isGlobal)
        pairs.globals.insert(a.isGlobal ? std::pair(b.number, a.number)
                                        : std::pair(a.number, b.number));
      else if (!a.isGlobal && a.number != b.number)
        pairs.arguments.insert(std::minmax(a.number, b.number));
}

/// Instances of a task run at the same time, and so do tasks without an order.
void Finder::visitGraph(const regions::TaskGraph &graph) {
  std::vector<uint32_t> kindOfTask;
  std::vector<bool> isUser;
  llvm::SmallSet<uint32_t, 16> used;
  for (const regions::Task &task : graph.tasks) {
    kindOfTask.push_back(kindOf(task));
    isUser.push_back(!kinds[kindOfTask.back()].empty());
    if (isUser.back())
      used.insert(kindOfTask.back());
    if (llvm::any_of(task.extents, [](int64_t extent) { return extent != 1; }))
      visitKinds(kindOfTask.back(), kindOfTask.back());
  }
  // No more can be found out when all kinds have been compared.
  auto isComplete = [&] {
    return known.size() >= used.size() * (used.size() + 1) / 2 &&
           llvm::all_of(used, [&](uint32_t a) {
             return llvm::all_of(used, [&](uint32_t b) {
               return known.contains(std::minmax(a, b));
             });
           });
  };
  size_t checked = 0;
  regions::forEachUnordered(graph, isUser,
                            [&](uint32_t first, uint32_t second, bool) {
                              visitKinds(kindOfTask[first], kindOfTask[second]);
                              if (known.size() == checked)
                                return true;
                              checked = known.size();
                              return used.size() > 64 || !isComplete();
                            });
}

/// Any two stages run at the same time, each for another item.
void Finder::visitItems(const regions::TaskGraph &graph) {
  std::set<uint32_t> all;
  for (const regions::Task &task : graph.tasks)
    all.insert(kindOf(task));
  for (uint32_t first : all)
    for (uint32_t second : all)
      visitKinds(first, second);
}

ArgumentPairs races::findArgumentPairs(const GraphRegions &regions,
                                       bool isStreaming) {
  Finder finder(regions);
  for (const regions::TaskGraph &graph : regions.system().graphs)
    finder.visitGraph(graph);
  if (isStreaming)
    finder.visitItems(regions.system().graphs.front());
  return std::move(finder.pairs);
}
