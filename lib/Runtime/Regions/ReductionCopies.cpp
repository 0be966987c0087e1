//===- ReductionCopies.cpp - Private copies for points that reduce --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything depends only on the launch.
//
//===----------------------------------------------------------------------===//

#include "ReductionCopies.h"

#include "Distribution/Homes.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

bool sluice::regions::isSameOperator(const SluiceReduction &a,
                                     const SluiceReduction &b) {
  return a.kind == b.kind &&
         (a.kind != SLUICE_REDUCE_CUSTOM || a.fold == b.fold);
}

ReductionPlan::ReductionPlan(const Statement &statement, uint32_t field,
                             std::vector<size_t> theArguments,
                             OverlapTable &overlaps)
    : name(statement.name), root(*statement.arguments[theArguments[0]].root),
      field(field), arguments(std::move(theArguments)),
      numAll(statement.numAllPoints()),
      op(statement.arguments[arguments[0]].reduction, root.fields[field]),
      numPoints(statement.numPoints()), subset(statement.subset) {
  if (subset && subset->reduced && root.shape.count() != 1)
    shape = &subset->reduced->shapeOf(arguments[0], field);
  if (root.shape.count() == 1) {
    shared.assign(arguments.size() * size_t(numPoints), true);
  } else if (shape) {
    takeGroups(statement);
    return;
  } else {
    shared.assign(arguments.size() * size_t(numPoints), false);
    findShared(statement, overlaps);
  }
  if (subset && root.shape.count() == 1) {
    // As for the whole launch, whether or not it has points here.
    unionSet = ElementSet(Box::whole(root.shape));
    isTiny = true;
    numGroups = numPoints;
    groupSets.assign(numGroups, unionSet);
  } else if (std::find(shared.begin(), shared.end(), true) != shared.end()) {
    chooseGroups(statement);
  }
}

std::vector<size_t> ReductionPlan::argumentsOf(const Statement &statement,
                                               size_t first, uint32_t field) {
  const std::vector<StatementArgument> &arguments = statement.arguments;
  std::vector<size_t> same;
  for (size_t b = 0; b < arguments.size(); ++b)
    if (arguments[b].isReduction() &&
        arguments[b].root == arguments[first].root &&
        isSameOperator(arguments[first].reduction, arguments[b].reduction) &&
        std::binary_search(arguments[b].fields.begin(),
                           arguments[b].fields.end(), field))
      same.push_back(b);
  if (same.front() != first)
    same.clear();
  return same;
}

/// For some of the points: all points have already determined the shared
/// elements and the groups.
void ReductionPlan::takeGroups(const Statement &statement) {
  shared.resize(arguments.size() * size_t(numPoints));
  for (size_t a = 0; a < arguments.size(); ++a)
    for (uint32_t point = 0; point < numPoints; ++point)
      shared[a * numPoints + point] =
          shape->shared[a * numAll + statement.numberOf(point)];
  if (shape->numGroups == 0)
    return;
  for (uint32_t point = 0; point < numPoints; ++point) {
    const uint32_t group = static_cast<uint32_t>(
        uint64_t(statement.numberOf(point)) * shape->numGroups / numAll);
    if (groups.empty() || groups.back() != group)
      groups.push_back(group);
  }
  numGroups = static_cast<uint32_t>(groups.size());
  std::vector<Runs> runs(numGroups);
  uniteShared(statement, runs);
  Runs all;
  for (Runs &group : runs) {
    normalize(group);
    all.insert(all.end(), group.begin(), group.end());
    groupSets.emplace_back(root.shape, std::move(group));
  }
  unionSet = ElementSet::ofAnyRuns(root.shape, std::move(all));
}

PartitionPointer ReductionPlan::makePieces(int64_t pieceSize,
                                           std::vector<uint32_t> &ranks) const {
  std::vector<std::pair<uint32_t, ElementSet>> parts;
  for (const auto &[rank, home] : subset->homes->at(&root))
    parts.emplace_back(rank, intersect(root.shape, home, unionSet));
  return Homes::makePieces(root, unionSet, parts, pieceSize, ranks);
}

uint32_t ReductionPlan::groupOf(uint32_t point) const {
  if (!shape || isTiny)
    return static_cast<uint32_t>(uint64_t(point) * numGroups / numPoints);
  const uint64_t number = subset->points[point];
  const auto group = static_cast<uint32_t>(number * shape->numGroups / numAll);
  return static_cast<uint32_t>(
      std::lower_bound(groups.begin(), groups.end(), group) - groups.begin());
}

/// Marks the points that reduce to an element of another point.
void ReductionPlan::findShared(const Statement &statement,
                               OverlapTable &overlaps) {
  constexpr uint32_t nobody = UINT32_MAX, several = UINT32_MAX - 1;
  for (size_t b = 0; b < arguments.size(); ++b) {
    const StatementArgument &other = statement.arguments[arguments[b]];
    std::vector<uint32_t> userOf(other.partition->numColors(), nobody);
    for (uint32_t point = 0; point < numPoints; ++point) {
      uint32_t &user =
          userOf[other.partition->firstAlike(other.colorOf(point))];
      user = user == nobody ? point : several;
    }
    for (size_t a = 0; a < arguments.size(); ++a) {
      const StatementArgument &own = statement.arguments[arguments[a]];
      const Overlaps &meeting = overlaps.get(*own.partition, *other.partition);
      for (uint32_t point = 0; point < numPoints; ++point)
        for (const Overlaps::Overlap &overlap : meeting.of(own.colorOf(point)))
          if (uint32_t user = userOf[overlap.color];
              user != nobody && user != point)
            shared[a * numPoints + point] = true;
    }
  }
}

/// For each group all runs, in any order.
void ReductionPlan::uniteShared(const Statement &statement,
                                std::vector<Runs> &runs) const {
  for (size_t a = 0; a < arguments.size(); ++a) {
    const StatementArgument &argument = statement.arguments[arguments[a]];
    for (uint32_t point = 0; point < numPoints; ++point)
      if (shared[a * numPoints + point])
        argument.partition->sets[argument.colorOf(point)].forEachRun(
            root.shape, [&](int64_t begin, int64_t end) {
              runs[groupOf(point)].push_back({begin, end});
            });
  }
}

/// Unites, for each of `count` groups, the shared elements of its points.
/// Returns false if that would take too much memory.
bool ReductionPlan::formGroups(const Statement &statement, uint32_t count) {
  constexpr int64_t maxBytes = int64_t(1) << 28, freeElements = 1 << 16;
  numGroups = count;
  groupSets.clear();
  std::vector<Runs> runs(count);
  uniteShared(statement, runs);
  Runs all;
  int64_t total = 0, span = 0;
  for (Runs &group : runs) {
    normalize(group);
    all.insert(all.end(), group.begin(), group.end());
    if (!group.empty())
      span += group.back().end - group.front().begin;
    groupSets.emplace_back(root.shape, std::move(group));
    total += groupSets.back().size();
  }
  unionSet = ElementSet::ofAnyRuns(root.shape, std::move(all));
  const auto bytes = static_cast<int64_t>(root.fields[field].elementBytes());
  return total <= 4 * unionSet.size() + freeElements &&
         span <= maxBytes / bytes;
}

void ReductionPlan::chooseGroups(const Statement &statement) {
  constexpr int64_t tinyBytes = 512;
  uint32_t count = std::min(numPoints, fanIn);
  bool fits = formGroups(statement, count);
  const auto bytes = static_cast<int64_t>(root.fields[field].elementBytes());
  if (unionSet.size() == 1 ||
      unionSet.end(root.shape) - unionSet.first(root.shape) <=
          tinyBytes / bytes) {
    isTiny = true;
    numGroups = numPoints;
    groupSets.assign(numGroups, unionSet);
    return;
  }
  while (!fits && count > 2)
    fits = formGroups(statement, count = (count + 1) / 2);
  // A single copy would not help: points fold in place, in order.
  if (!fits || count == 1)
    numGroups = 0;
}

Status ReductionPlan::allocate(Expansion &expansion) {
  firstStore = expansion.numStores;
  if (numGroups == 0)
    return {};
  expansion.numStores += numGroups;
  const uint64_t bytes = root.fields[field].elementBytes();
  // All copies in one block, each starting on its own cache line.
  uint64_t total = 0;
  std::vector<uint64_t> offsets;
  for (const ElementSet &set : groupSets) {
    offsets.push_back(total);
    uint64_t span =
        set.isEmpty() ? 0 : set.end(root.shape) - set.first(root.shape);
    total += (span * bytes + 127) & ~uint64_t(63);
  }
  uint64_t used = 0;
  for (const ElementSet &set : groupSets)
    used += set.size() * bytes;
  Result<FieldMemory> memory = FieldMemory::allocate(
      total, 0, used >= total / 2 ? Pages::Large : Pages::Small);
  if (!memory.ok())
    return Status::error(
        StatusCode::Exhausted,
        concat("no memory for ", numGroups, " copies of field ",
               quoted(root.fields[field].name), " of root ", quoted(root.name),
               " with ", total, " bytes, for a reduction"));
  auto kept = std::make_shared<FieldMemory>(std::move(*memory));
  expansion.memory.push_back(kept);
  for (uint32_t group = 0; group < numGroups; ++group) {
    const ElementSet &set = groupSets[group];
    uint64_t first = set.isEmpty() ? 0 : set.first(root.shape);
    // As an integer, because it may be before the memory.
    auto base = reinterpret_cast<uintptr_t>(kept->get()) + offsets[group] -
                first * bytes;
    bases.push_back(reinterpret_cast<void *>(base));
    if (!expansion.stores.empty())
      expansion.stores.push_back({&root, field, bases.back(),
                                  [op = op](void *elements, int64_t count) {
                                    op.reset(elements, count);
                                  },
                                  isTiny});
    if (op.isZero())
      continue;
    set.forEachRun(root.shape, [&](int64_t begin, int64_t end) {
      op.reset(reinterpret_cast<void *>(base + begin * bytes), end - begin);
    });
  }
  return {};
}
