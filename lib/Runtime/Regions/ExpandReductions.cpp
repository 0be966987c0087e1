//===- ExpandReductions.cpp - Tasks that reduce, and tasks that fold ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Represents a ReductionPlan as tasks: points that share elements write private
// copies, and later fold tasks write the root. For the search for orders both
// are ordinary writers.
//
//===----------------------------------------------------------------------===//

#include "Expander.h"

using namespace sluice;
using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// One plan for each field and operator whose points need copies.
Expander::Plans Expander::planReductions(const Statement &statement) {
  const std::vector<StatementArgument> &arguments = statement.arguments;
  Plans plans;
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (!arguments[a].isReduction())
      continue;
    for (uint32_t field : arguments[a].fields) {
      std::vector<size_t> same =
          ReductionPlan::argumentsOf(statement, a, field);
      if (same.empty())
        continue;
      auto plan = std::make_unique<ReductionPlan>(statement, field,
                                                  std::move(same), overlaps);
      if (plan->isInPlace())
        continue;
      if (Status status = plan->allocate(*expansion); !status.ok())
        error = std::move(status);
      plans.push_back(std::move(plan));
    }
  }
  return plans;
}

/// The addresses of an argument's fields for one point.
void *const *Expander::pointersOf(RegionLaunch &launch,
                                  const Statement &statement, size_t argument,
                                  uint32_t point, const Plans &plans) {
  const std::vector<uint32_t> &fields = statement.arguments[argument].fields;
  std::vector<void *> own = launch.pointers[argument];
  bool isPrivate = false;
  if (error.ok())
    for (const auto &plan : plans)
      for (size_t i = 0; i < fields.size(); ++i)
        if (plan->reduces(argument, fields[i]) &&
            !plan->isInPlace(argument, point)) {
          own[i] = plan->baseOf(point);
          isPrivate = true;
        }
  if (!isPrivate)
    return launch.pointers[argument].data();
  return launch.pointers.emplace_back(std::move(own)).data();
}

void Expander::addReduction(RegionLaunch &launch, const Statement &statement,
                            size_t argument, const Plans &plans) {
  const StatementArgument &reduced = statement.arguments[argument];
  std::vector<uint32_t> inPlace;
  for (uint32_t field : reduced.fields) {
    const ReductionPlan *found = nullptr;
    for (const auto &plan : plans)
      if (plan->reduces(argument, field))
        found = plan.get();
    if (!found) {
      inPlace.push_back(field);
      continue;
    }
    Store base = classes.storesOf(*reduced.root, {field}).front();
    std::vector<Store> stores(launch.numPoints, base);
    for (uint32_t point = 0; point < launch.numPoints; ++point)
      if (!found->isInPlace(argument, point))
        stores[point] = found->storeOf(point);
    launch.accesses.push_back({base, reduced.partition,
                               reduced.listColors(launch.numPoints), true,
                               std::move(stores)});
  }
  for (Store store : classes.storesOf(*reduced.root, inPlace))
    launch.accesses.push_back({store,
                               reduced.partition,
                               reduced.listColors(launch.numPoints),
                               true,
                               {}});
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

namespace {
/// Each task folds the copies of some groups into one target, for its runs.
struct FoldClosure {
  struct Source {
    char *base;
    Runs runs;
  };
  struct Part {
    char *target;
    std::vector<Source> sources;
  };
  Operator op;
  uint64_t elementBytes;
  std::vector<Part> parts; ///< one per task
};
} // namespace

static void runFold(const SluiceTask *task, const SluiceView *,
                    const void *closure) {
  const auto &fold = *static_cast<const FoldClosure *>(closure);
  const FoldClosure::Part &part = fold.parts[task->point[0]];
  for (const FoldClosure::Source &source : part.sources)
    for (const SluiceRun &run : source.runs) {
      uint64_t offset = run.begin * fold.elementBytes;
      fold.op.foldAndReset(part.target + offset, source.base + offset,
                           run.end - run.begin);
    }
}

regions::RegionLaunch &Expander::addFoldLaunch(const char *foldOf,
                                               uint32_t numTasks,
                                               SluiceTaskBody body,
                                               std::shared_ptr<void> closure) {
  Statement statement = {};
  statement.name = "fold";
  statement.body = body;
  statement.closure = closure.get();
  statement.rank = 1;
  statement.extent[0] = numTasks;
  RegionLaunch &launch = beginLaunch(numTasks);
  launch.closure = std::move(closure);
  addTasks(launch, statement);
  auto &tasks = expansion->table.tasks;
  for (size_t i = launch.firstTask; i < tasks.size(); ++i)
    tasks[i].foldOf = foldOf;
  return launch;
}

/// Folds groups of `fanIn` copies into the first copy of each group; returns
/// these first copies. `copies` are those of every `stride`-th point, or of
/// some points if a rank plans for itself.
std::vector<uint32_t>
Expander::addTreeLevel(const ReductionPlan &plan, const RootPartition &elements,
                       const std::vector<uint32_t> &copies,
                       const std::vector<uint32_t> &ranks, uint64_t stride) {
  constexpr uint32_t fanIn = ReductionPlan::fanIn;
  const uint64_t width = stride * fanIn;
  auto closure = std::make_shared<FoldClosure>(
      FoldClosure{plan.op, plan.root.fields[plan.field].elementBytes(), {}});
  std::vector<uint32_t> firsts;
  std::vector<std::vector<Store>> stores(fanIn);
  // Only the results of some parts exist here, without other copies.
  std::vector<uint32_t> others;
  const Runs runs = plan.unionSet.toRuns(plan.root.shape);
  for (size_t i = 0, end = 0; i < copies.size(); i = end) {
    const uint64_t first = plan.numberOf(copies[i]);
    while (end < copies.size() &&
           plan.numberOf(copies[end]) / width == first / width)
      ++end;
    if (first % width != 0)
      continue;
    firsts.push_back(copies[i]);
    const bool isFolded = plan.isFoldedAt(homes ? ranks[copies[i]] : 0, stride);
    others.push_back(isFolded ? 0 : 1);
    auto &part = closure->parts.emplace_back();
    part.target = static_cast<char *>(plan.bases[copies[i]]);
    for (size_t k = 0; k < fanIn; ++k) {
      bool isThere = k == 0 || (isFolded && i + k < end);
      stores[k].push_back(plan.firstStore + copies[isThere ? i + k : i]);
      if (k && isThere)
        part.sources.push_back(
            {static_cast<char *>(plan.bases[copies[i + k]]), runs});
    }
  }
  RegionLaunch &launch =
      addFoldLaunch(plan.name, firsts.size(), runFold, closure);
  const RootPartition *parts = &elements;
  if (std::find(others.begin(), others.end(), 1) != others.end()) {
    PartitionPointer made = makeWhole(plan.root, "fold", plan.unionSet);
    made->sets.emplace_back();
    made->domains.clear();
    made->colors.extent[0] = 2;
    finishPartition(*made);
    parts = made.get();
    expansion->partitions.push_back(std::move(made));
  } else {
    others = {0};
  }
  for (size_t k = 0; k < fanIn; ++k) {
    LaunchAccess access = {plan.firstStore, parts,
                           k == 0 ? std::vector<uint32_t>{0} : others, true,
                           std::move(stores[k])};
    access.consumes = k != 0;
    launch.accesses.push_back(std::move(access));
  }
  if (homes)
    for (uint32_t first : firsts)
      launch.ranks.push_back(ranks[first]);
  return firsts;
}

/// Copies are folded on the ranks of the points of the first copy, and into the
/// root at the homes of its elements.
void Expander::addFolds(const ReductionPlan &plan,
                        const std::vector<uint32_t> &ranks) {
  constexpr int64_t pieceSize = 8192, maxPieces = 64;
  if (!error.ok())
    return;
  const Root &root = plan.root;
  const Field &field = root.fields[plan.field];
  int64_t numPieces =
      std::clamp<int64_t>(plan.unionSet.size() / pieceSize, 1, maxPieces);
  std::vector<uint32_t> pieceRanks;
  if (plan.hasShape())
    expansion->partitions.push_back(plan.makePieces(pieceSize, pieceRanks));
  else
    expansion->partitions.push_back(
        homes && !plan.isTiny
            ? homes->makePieces(root, plan.unionSet, pieceSize, pieceRanks)
            : makePieces(root, "fold", plan.unionSet, numPieces));
  if (homes && plan.isTiny)
    pieceRanks = {homes->rankOfFirst(root, plan.unionSet)};
  const RootPartition &pieces = *expansion->partitions.back();
  numPieces = pieces.numColors();
  std::vector<uint32_t> copies(plan.numGroups), colors(numPieces);
  for (uint32_t i = 0; i < plan.numGroups; ++i)
    copies[i] = i;
  for (uint32_t i = 0; i < numPieces; ++i)
    colors[i] = i;
  constexpr uint64_t fanIn = ReductionPlan::fanIn;
  uint64_t stride = 1;
  for (; plan.isTiny && plan.numAll > stride * fanIn; stride *= fanIn)
    copies = addTreeLevel(plan, pieces, copies, ranks, stride);
  if (plan.isTiny && homes && !plan.isFoldedAt(pieceRanks.front(), stride))
    copies.clear();

  auto closure = std::make_shared<FoldClosure>(
      FoldClosure{plan.op, field.elementBytes(), {}});
  for (const ElementSet &piece : pieces.sets) {
    auto &part = closure->parts.emplace_back();
    part.target = static_cast<char *>(field.memory.get());
    for (uint32_t copy : copies)
      part.sources.push_back({static_cast<char *>(plan.bases[copy]),
                              intersect(root.shape, plan.groupSets[copy], piece)
                                  .toRuns(root.shape)});
  }
  RegionLaunch &launch = addFoldLaunch(plan.name, numPieces, runFold, closure);
  Store base = classes.storesOf(root, {plan.field}).front();
  launch.accesses.push_back({base, &pieces, colors, true, {}});
  for (uint32_t copy : copies) {
    LaunchAccess access = {plan.firstStore + copy, &pieces, colors, true, {}};
    access.consumes = true;
    launch.accesses.push_back(std::move(access));
  }
  launch.ranks = std::move(pieceRanks);
}
