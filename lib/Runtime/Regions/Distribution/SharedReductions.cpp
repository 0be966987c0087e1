//===- SharedReductions.cpp - Launches with shared reductions -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything depends only on the launch and the ranks of its points, so that
// all ranks get the same result.
//
//===----------------------------------------------------------------------===//

#include "SharedReductions.h"

#include "Homes.h"

using namespace sluice::regions;

bool sluice::regions::mayShareReductions(const Statement &statement) {
  if (statement.numAllPoints() == 1)
    return false;
  for (const StatementArgument &argument : statement.arguments) {
    if (!argument.isReduction() || argument.root->shape.count() == 1)
      continue;
    std::vector<uint32_t> colors = argument.colors;
    std::sort(colors.begin(), colors.end());
    if (!argument.partition->isDisjoint || colors.size() == 1 ||
        std::adjacent_find(colors.begin(), colors.end()) != colors.end())
      return true;
    for (const StatementArgument &other : statement.arguments)
      if (other.isReduction() && other.root == argument.root &&
          (other.partition != argument.partition ||
           other.colors != argument.colors))
        return true;
  }
  return false;
}

namespace {
/// Finds the places at which a launch is cut.
class Cuts {
public:
  Cuts(const Statement &statement, const Homes &homes, OverlapTable &overlaps)
      : statement(statement), overlaps(overlaps),
        numPoints(statement.numPoints()), lastApart(numPoints, nobody) {
    for (uint32_t point = 0; point < numPoints; ++point)
      ranks.push_back(homes.rankOf(statement, point));
  }

  /// Separates points of different ranks that use the same copy.
  void add(const std::vector<size_t> &arguments, const ReductionShape &shape) {
    for (size_t b = 0; b < arguments.size(); ++b) {
      const StatementArgument &other = statement.arguments[arguments[b]];
      std::vector<std::vector<uint32_t>> users(other.partition->numColors());
      for (uint32_t point = 0; point < numPoints; ++point)
        if (shape.shared[b * numPoints + point])
          users[other.partition->firstAlike(other.colorOf(point))].push_back(
              point);
      for (size_t a = 0; a < arguments.size(); ++a) {
        const StatementArgument &own = statement.arguments[arguments[a]];
        const Overlaps &meeting =
            overlaps.get(*own.partition, *other.partition);
        for (uint32_t point = 0; point < numPoints; ++point)
          if (shape.shared[a * numPoints + point])
            for (const Overlaps::Overlap &overlap :
                 meeting.of(own.colorOf(point)))
              setApart(point, users[overlap.color], shape.numGroups);
      }
    }
  }

  std::vector<uint32_t> ends() const {
    std::vector<uint32_t> ends;
    uint32_t begin = 0;
    for (uint32_t point = 1; point < numPoints; ++point)
      if (lastApart[point] != nobody && lastApart[point] >= begin) {
        ends.push_back(point);
        begin = point;
      }
    ends.push_back(numPoints);
    return ends;
  }

private:
  /// `others`: ascending. Without groups all points use the same elements.
  void setApart(uint32_t point, const std::vector<uint32_t> &others,
                uint64_t numGroups) {
    auto groupOf = [&](uint32_t each) { return each * numGroups / numPoints; };
    auto at = std::lower_bound(others.begin(), others.end(), point);
    while (at != others.begin()) {
      const uint32_t other = *--at;
      if (groupOf(other) != groupOf(point))
        return;
      uint32_t &last = lastApart[point];
      if (last != nobody && last >= other)
        return;
      if (ranks[other] != ranks[point]) {
        last = other;
        return;
      }
    }
  }

  static constexpr uint32_t nobody = UINT32_MAX;
  const Statement &statement;
  OverlapTable &overlaps;
  const uint32_t numPoints;
  std::vector<uint32_t> ranks;
  /// For each point, the last earlier point with which it must not be combined.
  std::vector<uint32_t> lastApart;
};
} // namespace

/// The inputs that determine the result.
ReducedLaunches::Key ReducedLaunches::keyOf(const Statement &statement) {
  Key key = {static_cast<uint64_t>(statement.isHost),
             static_cast<uint64_t>(statement.rank), statement.numPoints()};
  for (const StatementArgument &argument : statement.arguments) {
    key.push_back(reinterpret_cast<uintptr_t>(argument.root));
    key.push_back(reinterpret_cast<uintptr_t>(argument.partition));
    key.push_back(argument.privilege);
    key.push_back(argument.reduction.kind);
    key.push_back(reinterpret_cast<uintptr_t>(argument.reduction.fold));
    key.push_back(argument.fields.size());
    key.insert(key.end(), argument.fields.begin(), argument.fields.end());
    key.push_back(argument.colors.size());
    key.insert(key.end(), argument.colors.begin(), argument.colors.end());
  }
  return key;
}

std::shared_ptr<const ReducedLaunch>
ReducedLaunches::get(const Statement &statement, const Homes &homes,
                     OverlapTable &overlaps) {
  std::shared_ptr<const ReducedLaunch> &entry = known[keyOf(statement)];
  if (entry)
    return entry;
  auto made = std::make_shared<ReducedLaunch>();
  Cuts cuts(statement, homes, overlaps);
  for (size_t a = 0; a < statement.arguments.size(); ++a) {
    const StatementArgument &argument = statement.arguments[a];
    if (!argument.isReduction() || argument.root->shape.count() == 1)
      continue;
    for (uint32_t field : argument.fields) {
      const std::vector<size_t> arguments =
          ReductionPlan::argumentsOf(statement, a, field);
      if (arguments.empty())
        continue;
      ReductionPlan plan(statement, field, arguments, overlaps);
      made->isTold &= !plan.isTiny;
      if (!plan.isInPlace())
        made->folded.push_back(&plan.root);
      ReductionShape &shape = made->shapes[{a, field}];
      shape = plan.takeShape();
      cuts.add(arguments, shape);
    }
  }
  made->ends = cuts.ends();
  entry = std::move(made);
  return entry;
}
