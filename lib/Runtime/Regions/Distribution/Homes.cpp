//===- Homes.cpp - The ranks of points and the homes of elements ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything depends only on the program and the number of ranks, so that all
// ranks decide in the same way.
//
//===----------------------------------------------------------------------===//

#include "Homes.h"

#include "../Partitions/RootPartitions.h"

using namespace sluice::regions;

void Homes::learn(const Sequence &statements) {
  for (const Item &item : statements) {
    if (item.loop) {
      learn(item.loop->body);
      continue;
    }
    for (const StatementArgument &argument : item.statement->arguments)
      if (argument.privilege != SLUICE_PRIVILEGE_READ &&
          argument.privilege != SLUICE_PRIVILEGE_REDUCE &&
          argument.partition->numColors() > 1 && argument.partition->isDisjoint)
        learn(*argument.root, *argument.partition);
  }
}

void Homes::learn(const Root &root, const RootPartition &partition) {
  auto &partitions = writtenThrough[&root];
  if (!settled.contains(&root) &&
      std::find(partitions.begin(), partitions.end(), &partition) ==
          partitions.end())
    partitions.push_back(&partition);
}

const RankGrid &Homes::gridOf(const RootPartition &partition) const {
  const int64_t *extent = partition.colors.extent;
  std::vector<int64_t> extents(extent, extent + SLUICE_MAX_RANK);
  auto known = grids.find(extents);
  if (known == grids.end())
    known = grids
                .emplace(
                    std::move(extents),
                    RankGrid(partition.colors, partition.root->shape, numRanks))
                .first;
  return known->second;
}

/// The argument whose color determines the ranks of points, or null.
static const StatementArgument *mainArgument(const Statement &statement) {
  const StatementArgument *main = nullptr;
  for (const StatementArgument &argument : statement.arguments) {
    const bool isWrite = argument.privilege != SLUICE_PRIVILEGE_READ;
    if (argument.partition->numColors() != 1 &&
        (!main || (isWrite && main->privilege == SLUICE_PRIVILEGE_READ)))
      main = &argument;
  }
  return main;
}

static bool hasScalarsOnly(const Statement &statement) {
  return std::all_of(statement.arguments.begin(), statement.arguments.end(),
                     [](const StatementArgument &argument) {
                       return argument.root->shape.count() == 1 &&
                              !argument.isReduction();
                     });
}

uint32_t Homes::rankOf(const Statement &statement, uint32_t point) const {
  if (statement.isGiven)
    return everyRank;
  if (statement.isHost)
    return 0;
  if (const StatementArgument *main = mainArgument(statement))
    return rankOfColor(*main->partition, main->colorOf(point));
  if (statement.rank == 0)
    return hasScalarsOnly(statement) ? everyRank : 0;
  return uint64_t(point) * numRanks / statement.numPoints();
}

std::vector<uint32_t> Homes::pointsOf(const Statement &statement,
                                      uint32_t rank) const {
  std::vector<uint32_t> points;
  const uint64_t count = statement.numPoints();
  const StatementArgument *main = mainArgument(statement);
  if (!statement.isHost && main && main->colors.empty())
    return gridOf(*main->partition).colorsOf(rank);
  uint64_t begin = 0, end = count;
  if (!statement.isHost && !main && statement.rank != 0) {
    begin = (rank * count + numRanks - 1) / numRanks;
    end = ((uint64_t(rank) + 1) * count + numRanks - 1) / numRanks;
  }
  for (uint64_t point = begin; point < end; ++point)
    if (uint32_t at = rankOf(statement, static_cast<uint32_t>(point));
        at == rank || at == everyRank)
      points.push_back(static_cast<uint32_t>(point));
  return points;
}

bool Homes::isEverywhere(const Statement &statement) const {
  if (statement.isHost || statement.numPoints() < numRanks)
    return false;
  const StatementArgument *main = mainArgument(statement);
  if (!main || main->colors.empty())
    return true;
  std::vector<bool> isThere(numRanks, false);
  for (uint32_t point = 0; point < statement.numPoints(); ++point)
    isThere[rankOf(statement, point)] = true;
  return std::find(isThere.begin(), isThere.end(), false) == isThere.end();
}

void Homes::settle(const Root &root) {
  auto [entry, isNew] = settled.try_emplace(&root);
  if (!isNew || root.shape.count() == 1)
    return;
  auto &partitions = writtenThrough[&root];
  ElementSet rest(Box::whole(root.shape));
  for (const RootPartition *partition : partitions) {
    if (partition->isComplete) {
      rest = subtract(root.shape, rest, partition->parent);
      continue;
    }
    Runs all;
    for (const ElementSet &set : partition->sets)
      set.forEachRun(root.shape, [&](int64_t begin, int64_t end) {
        all.push_back({begin, end});
      });
    rest = subtract(root.shape, rest,
                    ElementSet::ofAnyRuns(root.shape, std::move(all)));
  }
  entry->second = regions::makePieces(root, root.name, rest, numRanks);
  if (!rest.isEmpty())
    partitions.push_back(entry->second.get());
}

const std::vector<Runs> &Homes::homesOf(const Root &root) {
  std::vector<Runs> &ranks = homes[&root];
  if (!ranks.empty())
    return ranks;
  settle(root);
  ranks.resize(numRanks);
  if (root.shape.count() == 1) {
    ranks[0] = {{0, 1}};
    return ranks;
  }
  Runs left = {{0, root.shape.count()}};
  for (const RootPartition *partition : writtenThrough[&root]) {
    Runs all;
    for (uint32_t color = 0; color < partition->numColors(); ++color) {
      Runs own = intersectRuns(left, partition->sets[color].toRuns(root.shape));
      Runs &rank = ranks[rankOfColor(*partition, color)];
      rank.insert(rank.end(), own.begin(), own.end());
      all.insert(all.end(), own.begin(), own.end());
    }
    normalize(all);
    left = subtractRuns(left, all);
  }
  for (Runs &runs : ranks)
    normalize(runs);
  return ranks;
}

std::vector<ElementSet> Homes::split(const Root &root, const ElementSet &set) {
  std::vector<ElementSet> parts;
  const Runs runs = set.toRuns(root.shape);
  for (const Runs &home : homesOf(root))
    parts.emplace_back(root.shape, intersectRuns(runs, home));
  return parts;
}

uint32_t Homes::rankOfFirst(const Root &root, const ElementSet &set) {
  if (root.shape.count() == 1)
    return 0;
  const int64_t first = set.first(root.shape);
  const std::vector<Runs> &ranks = homesOf(root);
  for (uint32_t rank = 0; rank < numRanks; ++rank)
    if (!intersectRuns(ranks[rank], {{first, first + 1}}).empty())
      return rank;
  return 0;
}

PartitionPointer Homes::makePieces(const Root &root, const ElementSet &set,
                                   int64_t pieceSize,
                                   std::vector<uint32_t> &ranks) {
  std::vector<ElementSet> sets = split(root, set);
  std::vector<std::pair<uint32_t, ElementSet>> parts;
  for (uint32_t rank = 0; rank < numRanks; ++rank)
    parts.emplace_back(rank, std::move(sets[rank]));
  return makePieces(root, set, parts, pieceSize, ranks);
}

PartitionPointer
Homes::makePieces(const Root &root, const ElementSet &set,
                  std::span<const std::pair<uint32_t, ElementSet>> parts,
                  int64_t pieceSize, std::vector<uint32_t> &ranks) {
  constexpr int64_t maxPieces = 64;
  auto all = std::make_unique<RootPartition>();
  all->name = root.name;
  all->root = &root;
  all->parent = set;
  all->isDisjoint = true;
  for (const auto &[rank, part] : parts) {
    if (part.isEmpty())
      continue;
    int64_t count = std::clamp<int64_t>(part.size() / pieceSize, 1, maxPieces);
    PartitionPointer pieces = regions::makePieces(root, root.name, part, count);
    for (const ElementSet &piece : pieces->sets) {
      all->sets.push_back(piece);
      ranks.push_back(rank);
    }
  }
  all->colors.extent[0] = static_cast<int64_t>(all->sets.size());
  finishPartition(*all);
  return all;
}
