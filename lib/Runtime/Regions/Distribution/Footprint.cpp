//===- Footprint.cpp - The part of a program that concerns a rank ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds points by their colors, and colors by their locations: the cost does
// not depend on the number of all points, as long as colors are those of the
// points and partitions know where their colors are.
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"

#include "../Partitions/ColorIndex.h"
#include "../ReductionCopies.h"

using namespace sluice::regions;

/// The home rank of scalars (Homes::rankOfFirst).
static constexpr uint32_t scalarHome = 0;

//===----------------------------------------------------------------------===//
// Which points
//===----------------------------------------------------------------------===//

Footprint::Footprint(Graphs all, const Homes &homes, const LaunchFacts &facts,
                     uint32_t rank, const std::set<uint32_t> &senders)
    : all(all), homes(homes), facts(facts), rank(rank), senders(senders) {
  for (const StatementGraph *graph : all)
    for (const Item &item : graph->items) {
      const size_t numTests = tests.size();
      findStatements(item);
      if (tests.size() != numTests)
        numBeforeTests = statements.size();
    }
  for (const Statement *statement : statements)
    // In their order, in which the locations of colors are chosen.
    if (homes.rankOf(*statement, 0) != everyRank)
      for (const StatementArgument &argument : statement->arguments)
        if (argument.privilege != SLUICE_PRIVILEGE_READ)
          for (uint32_t field : argument.fields)
            changed.insert({argument.root, field});
  for (const Statement *statement : statements)
    if (mayShareReductions(*statement))
      for (const Root *root :
           facts.reduced.get(*statement, homes, facts.overlaps)->folded)
        folded.insert(root);
  findCommon();
  for (size_t i = 0; i < statements.size(); ++i)
    addOwn(*statements[i], i < numBeforeTests);
  for (const Root *root : folded) {
    touchHomes(*root, rank);
    for (uint32_t sender : senders)
      touchHomes(*root, sender);
  }
  for (const Loop *loop : tests)
    if (isChanged(*loop->whileRoot, 0) && !common.contains(loop->whileRoot))
      touched[loop->whileRoot].insert({loop->whileWhole, 0});
  for (const Statement *statement : statements) {
    addMeeting(*statement);
    addFolding(*statement);
  }
  findHomes();
  tellApart();
}

bool Footprint::isMost() const {
  constexpr uint64_t fewPoints = 1024;
  uint64_t numPoints = 0, numAll = 0;
  for (const auto &[statement, points] : pointsOf) {
    numPoints += points.size();
    numAll += statement->numPoints();
  }
  return numAll > fewPoints && 2 * numPoints >= numAll;
}

void Footprint::reduce() {
  reducePartitions();
  for (const StatementGraph *graph : all)
    graphs.push_back({graph->name, reduce(graph->items)});
}

/// Host statements and single statements exist on all ranks.
static bool isAlwaysThere(const Statement &statement) {
  return statement.isHost || statement.numPoints() == 1;
}

static bool readsOneColor(const StatementArgument &argument) {
  return argument.privilege == SLUICE_PRIVILEGE_READ &&
         argument.colors.size() == 1;
}

void Footprint::findCommon() {
  std::set<const Root *> apart = folded;
  for (const Statement *statement : statements) {
    const bool isSingle = isAlwaysThere(*statement);
    // Computed only if it matters.
    std::optional<bool> isEverywhere;
    for (const StatementArgument &argument : statement->arguments) {
      common.insert(argument.root);
      if (isSingle || reducesScalar(argument))
        continue;
      if (!isEverywhere && readsOneColor(argument))
        isEverywhere = homes.isEverywhere(*statement);
      if (!readsOneColor(argument) || !*isEverywhere)
        apart.insert(argument.root);
    }
  }
  for (const Root *root : apart)
    common.erase(root);
}

bool Footprint::readsCommon(const StatementArgument &argument) const {
  return readsOneColor(argument) && common.contains(argument.root);
}

void Footprint::findStatements(const Item &item) {
  if (!item.loop) {
    statements.push_back(item.statement.get());
    return;
  }
  if (item.loop->whileRoot)
    tests.push_back(item.loop.get());
  for (const Item &inner : item.loop->body)
    findStatements(inner);
}

/// Every rank has elements that nobody changes.
bool Footprint::isChanged(const StatementArgument &argument) const {
  return std::any_of(
      argument.fields.begin(), argument.fields.end(),
      [&](uint32_t field) { return isChanged(*argument.root, field); });
}

/// `areReadersSenders`: after a loop that may not have run, ranks that only
/// read may be senders.
void Footprint::addOwn(const Statement &statement, bool areReadersSenders) {
  Points &points = pointsOf[&statement];
  if (isAlwaysThere(statement))
    for (uint32_t point = 0; point < statement.numPoints(); ++point)
      points.insert(points.end(), point);
  if (statement.isGiven)
    return;
  for (uint32_t point : homes.pointsOf(statement, rank)) {
    points.insert(point);
    for (const StatementArgument &argument : statement.arguments)
      touch(argument, point);
  }
  for (uint32_t sender : senders)
    for (uint32_t point : homes.pointsOf(statement, sender))
      for (const StatementArgument &argument : statement.arguments)
        if (areReadersSenders || argument.privilege != SLUICE_PRIVILEGE_READ)
          touch(argument, point);
  // All folds of a scalar end at its home.
  if (rank == scalarHome || senders.contains(scalarHome))
    for (const StatementArgument &argument : statement.arguments)
      if (reducesScalar(argument) && !common.contains(argument.root))
        touched[argument.root].insert({argument.partition, 0});
}

void Footprint::touch(const StatementArgument &argument, uint32_t point) {
  if (!reducesScalar(argument) && !common.contains(argument.root) &&
      isChanged(argument))
    touched[argument.root].insert(
        {argument.partition, argument.colorOf(point)});
}

/// At least all elements with their home on a rank.
void Footprint::touchHomes(const Root &root, uint32_t at) {
  for (const RootPartition *partition : homes.partitionsOf(root))
    for (uint32_t color : homes.colorsOf(*partition, at))
      touched[&root].insert({partition, color});
}

/// Finds the homes of the elements that concern the rank.
void Footprint::findHomes() {
  for (const Root *root : folded) {
    const Shape &shape = root->shape;
    Runs runs;
    for (const auto &[partition, color] : touched[root])
      partition->sets[color].forEachRun(shape, [&](int64_t begin, int64_t end) {
        runs.push_back({begin, end});
      });
    ElementSet rest = ElementSet::ofAnyRuns(shape, std::move(runs));
    std::map<uint32_t, Runs> parts;
    for (const RootPartition *partition : homes.partitionsOf(*root)) {
      Runs found;
      for (uint32_t color : meeting(*partition)) {
        const Runs own =
            intersect(shape, rest, partition->sets[color]).toRuns(shape);
        Runs &part = parts[homes.rankOfColor(*partition, color)];
        part.insert(part.end(), own.begin(), own.end());
        found.insert(found.end(), own.begin(), own.end());
      }
      rest = subtract(shape, rest, ElementSet::ofAnyRuns(shape, found));
    }
    auto &made = (*homeParts)[root];
    for (auto &[at, part] : parts)
      made.emplace_back(at, ElementSet::ofAnyRuns(shape, std::move(part)));
  }
}

const std::set<uint32_t> &Footprint::meeting(const RootPartition &partition) {
  auto [known, isNew] = meetingColors.try_emplace(&partition);
  std::set<uint32_t> &colors = known->second;
  auto found = touched.find(partition.root);
  if (!isNew || found == touched.end())
    return colors;
  const Shape &shape = partition.root->shape;
  for (const auto &[other, color] : found->second) {
    const ElementSet &set = other->sets[color];
    if (&partition == other && partition.isDisjoint)
      colors.insert(color);
    else if (partition.visitNear)
      partition.visitNear(set.bounds(), [&](uint32_t near) {
        if (!colors.contains(near) &&
            countCommon(shape, set, partition.sets[near]))
          colors.insert(near);
      });
    else
      partition.index().visit(set, [&](uint32_t near) { colors.insert(near); });
  }
  return colors;
}

void Footprint::addMeeting(const Statement &statement) {
  if (isAlwaysThere(statement))
    return;
  Points &points = pointsOf[&statement];
  for (const StatementArgument &argument : statement.arguments) {
    if (reducesScalar(argument) || !isChanged(argument))
      continue;
    const std::set<uint32_t> &colors = meeting(*argument.partition);
    if (argument.colors.empty())
      points.insert(colors.begin(), colors.end());
    else if (!colors.empty())
      for (uint32_t point = 0; point < statement.numPoints(); ++point)
        if (colors.contains(argument.colorOf(point)))
          points.insert(point);
  }
}

/// The folds of scalars: of points, then of every 64th point, and so on, each
/// on the rank of its first point, and the last one at the home of the scalar.
/// The rank's own copies go to some ranks at each level; all other copies that
/// go to these ranks are needed to plan this.
void Footprint::addFolding(const Statement &statement) {
  constexpr uint64_t fanIn = ReductionPlan::fanIn;
  size_t numScalars = 0;
  for (const StatementArgument &argument : statement.arguments)
    if (reducesScalar(argument))
      numScalars += argument.fields.size();
  if (numScalars == 0)
    return;
  const uint64_t count = statement.numPoints();
  std::map<uint64_t, std::set<uint32_t>> &levels = foldRanks[&statement];
  uint64_t last = 1;
  for (; count > last * fanIn; last *= fanIn)
    levels[last].insert(rank);
  levels[last];
  auto targetOf = [&](uint64_t point, uint64_t stride) {
    return stride == last
               ? scalarHome
               : homes.rankOf(statement, static_cast<uint32_t>(
                                             point - point % (stride * fanIn)));
  };
  for (uint64_t point : homes.pointsOf(statement, rank))
    for (auto &[stride, targets] : levels)
      if (point % stride == 0)
        targets.insert(targetOf(point, stride));
  if (rank == scalarHome)
    levels[last].insert(scalarHome);
  // Messages for several scalars are shared across levels.
  if (numScalars > 1) {
    std::set<uint32_t> all;
    for (const auto &[stride, targets] : levels)
      all.insert(targets.begin(), targets.end());
    for (auto &[stride, targets] : levels)
      targets = all;
  }
  for (const auto &[stride, targets] : levels)
    for (uint32_t target : targets) {
      std::vector<uint64_t> firsts;
      if (stride < last) {
        for (uint64_t point : homes.pointsOf(statement, target))
          if (point % (stride * fanIn) == 0)
            firsts.push_back(point);
      } else if (target == scalarHome) {
        firsts.push_back(0);
      }
      addFolded(statement, stride, target, firsts, numScalars > 1);
    }
  // Data of senders may travel together with their own copies.
  Points &points = foldedPointsOf[&statement];
  for (uint32_t sender : senders)
    for (uint64_t point : homes.pointsOf(statement, sender))
      for (auto &[stride, targets] : levels)
        if (point % stride == 0) {
          targets.insert(targetOf(point, stride));
          points.insert(static_cast<uint32_t>(point));
          points.insert(static_cast<uint32_t>(
              stride == last ? 0 : point - point % (stride * fanIn)));
        }
}

/// Copies that one rank folds into those of `firsts`. For copies that neither
/// come to nor pass through this rank, one copy per sender suffices to show
/// that the sender exists, unless `takesAll`: then several trees may share
/// their messages.
void Footprint::addFolded(const Statement &statement, uint64_t stride,
                          uint32_t target, const std::vector<uint64_t> &firsts,
                          bool takesAll) {
  constexpr uint64_t fanIn = ReductionPlan::fanIn;
  const uint64_t count = statement.numPoints();
  Points &points = foldedPointsOf[&statement];
  std::map<uint32_t, std::vector<uint32_t>> copiesOf;
  for (uint64_t first : firsts) {
    points.insert(static_cast<uint32_t>(first));
    for (uint64_t k = 0; k < fanIn && first + k * stride < count; ++k) {
      const auto copy = static_cast<uint32_t>(first + k * stride);
      copiesOf[homes.rankOf(statement, copy)].push_back(copy);
    }
  }
  // As nodes of the tree: the target, and the senders in order.
  std::set<uint32_t> passing;
  uint32_t node = 0;
  for (const auto &[sender, copies] : copiesOf) {
    node += sender != target;
    bool isAllThere = takesAll || target == rank || sender == rank;
    if (sender != target && passing.contains((node - 1) / treeFanOut))
      isAllThere = true;
    if (isAllThere && sender != target)
      passing.insert(node);
    for (uint32_t copy : copies) {
      points.insert(copy);
      if (!isAllThere)
        break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

void Footprint::tellApart() {
  std::set<uint32_t> ranks = senders;
  ranks.insert({rank, scalarHome});
  for (const auto *each : {&pointsOf, &foldedPointsOf})
    for (const auto &[statement, points] : *each)
      for (uint32_t point : points)
        if (uint32_t at = homes.rankOf(*statement, point); at != everyRank)
          ranks.insert(at);
  for (const auto &[root, parts] : *homeParts)
    for (const auto &[at, part] : parts)
      ranks.insert(at);
  known = ToldApart::only(ranks, homes.numRanks);
}

//===----------------------------------------------------------------------===//
// The reduced graphs
//===----------------------------------------------------------------------===//

void Footprint::reducePartitions() {
  for (const Statement *statement : statements)
    for (const StatementArgument &argument : statement->arguments) {
      if (argument.partition->numColors() == 1)
        continue;
      auto &numberOf = reduced[argument.partition].numberOf;
      if (argument.colors.size() == 1)
        numberOf[argument.colors[0]] = 0;
      else
        for (uint32_t point : pointsOf[statement])
          numberOf[argument.colorOf(point)] = 0;
    }
  for (auto &[partition, made] : reduced) {
    auto part = std::make_unique<RootPartition>();
    part->name = partition->name;
    part->root = partition->root;
    part->parent = partition->parent;
    part->isDisjoint = partition->isDisjoint;
    for (auto &[color, number] : made.numberOf) {
      number = static_cast<uint32_t>(part->sets.size());
      part->sets.push_back(partition->sets[color]);
    }
    made.nothing = static_cast<uint32_t>(part->sets.size());
    part->sets.emplace_back();
    part->colors.rank = 1;
    part->colors.extent[0] = static_cast<int64_t>(part->sets.size());
    finishPartition(*part);
    made.partition = part.get();
    partitions.push_back(std::move(part));
  }
}

Sequence Footprint::reduce(const Sequence &sequence) {
  Sequence result;
  for (const Item &item : sequence) {
    Item &made = result.emplace_back();
    if (!item.loop) {
      made.statement = reduce(*item.statement);
      continue;
    }
    made.loop = std::make_unique<Loop>();
    made.loop->count = item.loop->count;
    made.loop->whileRoot = item.loop->whileRoot;
    made.loop->whileWhole = item.loop->whileWhole;
    made.loop->isUnless = item.loop->isUnless;
    made.loop->body = reduce(item.loop->body);
  }
  return result;
}

std::unique_ptr<Statement> Footprint::reduce(const Statement &statement) {
  auto subset = std::make_shared<PointSubset>();
  const Points &points = pointsOf[&statement];
  Points all = points;
  if (auto folded = foldedPointsOf.find(&statement);
      folded != foldedPointsOf.end()) {
    all.insert(folded->second.begin(), folded->second.end());
    subset->foldRanks = foldRanks[&statement];
  }
  subset->points.assign(all.begin(), all.end());
  for (uint32_t point : all)
    subset->ranks.push_back(homes.rankOf(statement, point));
  if (mayShareReductions(statement)) {
    subset->reduced = facts.reduced.get(statement, homes, facts.overlaps);
    subset->homes = homeParts;
  }
  auto made = std::make_unique<Statement>(statement);
  for (StatementArgument &argument : made->arguments) {
    argument.isForAll = !isAlwaysThere(statement) && readsCommon(argument);
    if (argument.partition->numColors() == 1) {
      argument.colors = {0};
      continue;
    }
    const Reduced &part = reduced.at(argument.partition);
    std::vector<uint32_t> colors;
    for (uint32_t point : all)
      colors.push_back(points.contains(point) || argument.isForAll
                           ? part.numberOf.at(argument.colorOf(point))
                           : part.nothing);
    argument.partition = part.partition;
    argument.colors = std::move(colors);
  }
  made->subset = std::move(subset);
  return made;
}
