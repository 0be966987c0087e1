//===- RunInParts.cpp - Graphs with checkpoints in between ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph runs in parts: the statements between loops, and some iterations of a
// loop at a time. Between parts no work is in progress, so the elements that
// the ranks own are the state of the program.
//
//===----------------------------------------------------------------------===//

#include "../ProgramOverRegions.h"

#include "../Files/SharedFiles.h"

#include "../../Cluster/RankIdentity.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

Status RegionProgram::useCheckpoints(CheckpointSettings settings) {
  checkpoints = std::make_unique<Checkpoints>(
      std::move(settings), name,
      distribution ? &distribution->cluster : nullptr);
  // Files store elements by their positions in whole roots.
  chooseCompact(Compact::Never);
  return checkpoints->find();
}

void RegionProgram::finish() {
  if (checkpoints)
    checkpoints->removeAll();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Temporarily moves the items to a separate graph.
Status RegionProgram::runPart(Sequence &items, size_t begin, size_t end) {
  StatementGraph *whole = graph.get();
  auto part = std::make_unique<StatementGraph>();
  part->name = whole->name;
  for (size_t i = begin; i < end; ++i)
    part->items.push_back(std::move(items[i]));
  std::swap(graph, part);
  Status status = runOpenGraph(nullptr);
  std::swap(graph, part);
  for (size_t i = begin; i < end; ++i)
    items[i] = std::move(part->items[i - begin]);
  return status;
}

Status RegionProgram::runInParts() {
  // The homes of elements depend on the whole graph.
  if (distribution)
    distribution->homes.learn(graph->items);
  CheckpointPosition position = {numGraphs++, 0, 0};
  if (checkpoints->isWaiting()) {
    if (position.graph < checkpoints->position().graph)
      return {};
    if (Status status = goOn(*graph); !status.ok())
      return status;
    position = checkpoints->position();
  }
  Sequence &items = graph->items;
  while (position.item < items.size()) {
    size_t end = position.item;
    Status status;
    if (items[end].loop) {
      ++end;
      status = runLoopInParts(items, position);
    } else {
      while (end < items.size() && !items[end].loop)
        ++end;
      status = runPart(items, position.item, end);
    }
    if (!status.ok())
      return status;
    position = {position.graph, end, 0};
  }
  return {};
}

Status RegionProgram::runLoopInParts(Sequence &items,
                                     CheckpointPosition position) {
  Loop &loop = *items[position.item].loop;
  const Root *whileRoot = loop.whileRoot;
  const bool isEndless = loop.count == INT64_MAX;
  int64_t left = isEndless ? loop.count : loop.count - position.iterations;
  while (left > 0) {
    loop.count = std::min(left, checkpoints->settings.every);
    position.iterations += loop.count;
    if (!isEndless)
      left -= loop.count;
    if (Status status = runPart(items, position.item, position.item + 1);
        !status.ok())
      return status;
    if (left == 0)
      break;
    if (whileRoot) {
      if (Status status = bringEverywhere(whileRoot->index, 0); !status.ok())
        return status;
      if (whileRoot->readInteger(0, 0) == 0)
        break;
    }
    // Data that tasks have written so far would be in no checkpoint.
    if (files && files->areBegun())
      checkpoints->skip(position);
    else
      checkpoints->save(position, describe(), ownParts(), partitionsByValues());
  }
  return {};
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// Everything that determines the bits of a result, except the length of loops.
const std::string &RegionProgram::describe() {
  if (!description.empty())
    return description;
  const RankIdentity identity = RankIdentity::ofThisProcess();
  description = concat("program ", identity.program, "\nprocessor ",
                       identity.processor, "\n");
  for (const auto &root : roots) {
    description += concat("root ", root->name, " ", root->shape.text());
    for (const Field &field : root->fields)
      description +=
          concat(" ", field.name, ":", field.count, "x", typeName(field.type));
    description += "\n";
  }
  return description;
}

static FieldPart partOf(const Root &root, uint32_t field) {
  return {concat(root.index, ".", field),
          static_cast<char *>(root.fields[field].memory.get()),
          root.fields[field].elementBytes(),
          root.shape.count(),
          {}};
}

/// The elements that this rank must write: those that it owns. Rank 0 writes
/// elements that all ranks have.
std::vector<FieldPart> RegionProgram::ownParts() const {
  std::vector<FieldPart> parts;
  const uint32_t rank = distribution ? distribution->cluster.rank : 0;
  for (const auto &root : roots)
    for (uint32_t field = 0; field < root->fields.size(); ++field) {
      FieldPart &part = parts.emplace_back(partOf(*root, field));
      const Runs all = {{0, part.count}};
      const Holders *known = nullptr;
      if (distribution)
        if (auto found = distribution->holders.find({root.get(), field});
            found != distribution->holders.end())
          known = &found->second;
      if (known)
        known->forEachPart(all, [&](const Holders::Segment &segment) {
          // Rank 0 is the owner of the set `everywhere`.
          if (distribution->sets.ownerOf(segment.set) == rank)
            part.runs.push_back({segment.begin, segment.end});
        });
      else if (rank == 0)
        part.runs = all;
    }
  return parts;
}

/// The elements that this rank must read: those with their home here.
/// Afterwards only this rank has them.
std::vector<FieldPart> RegionProgram::homeParts() {
  std::vector<FieldPart> parts;
  for (const auto &root : roots) {
    const Runs all = {{0, root->shape.count()}};
    Runs mine = all;
    Holders holders(root->shape.count());
    if (distribution) {
      std::vector<Holders::Segment> segments;
      const std::vector<ElementSet> homes =
          distribution->homes.split(*root, ElementSet(Box::whole(root->shape)));
      for (uint32_t rank = 0; rank < homes.size(); ++rank)
        homes[rank].forEachRun(root->shape, [&](int64_t begin, int64_t end) {
          segments.push_back({begin, end, distribution->sets.only(rank)});
        });
      std::sort(segments.begin(), segments.end(),
                [](const auto &a, const auto &b) { return a.begin < b.begin; });
      holders.assign(segments);
      mine = homes[distribution->cluster.rank].toRuns(root->shape);
    }
    for (uint32_t field = 0; field < root->fields.size(); ++field) {
      parts.push_back(partOf(*root, field));
      parts.back().runs = mine;
      if (distribution)
        distribution->holders[{root.get(), field}] = holders;
    }
  }
  return parts;
}

Status RegionProgram::goOn(const StatementGraph &whole) {
  const CheckpointPosition &position = checkpoints->position();
  if (position.item >= whole.items.size() || !whole.items[position.item].loop)
    return Status::error(StatusCode::System,
                         concat("the checkpoint in ",
                                sluice::quoted(checkpoints->settings.folder),
                                " is in a loop that graph ",
                                sluice::quoted(whole.name),
                                " does not have; remove it to begin anew"));
  return checkpoints->load(describe(), homeParts());
}

//===----------------------------------------------------------------------===//
// Partitions by values
//===----------------------------------------------------------------------===//

SavedPartitions RegionProgram::partitionsByValues() const {
  SavedPartitions saved;
  for (uint32_t index : byValues) {
    const RootPartition &partition = *partitions[index];
    SavedPartition &entry = saved[index];
    entry.isDisjoint = partition.isDisjoint;
    for (const ElementSet &set : partition.sets)
      entry.colors.push_back(set.toRuns(partition.root->shape));
  }
  return saved;
}

/// Fields may have other values now than when the partition was made.
Status RegionProgram::takeSaved(RootPartition &partition) const {
  const Shape &shape = partition.root->shape;
  auto saved = checkpoints->partitions().find(
      remade ? *remade : static_cast<uint32_t>(partitions.size()));
  bool fits = saved != checkpoints->partitions().end() &&
              saved->second.colors.size() == partition.sets.size();
  if (fits)
    for (const Runs &runs : saved->second.colors)
      for (const SluiceRun &run : runs)
        fits &=
            run.begin >= 0 && run.begin < run.end && run.end <= shape.count();
  if (!fits)
    return Status::error(StatusCode::System,
                         concat("the checkpoint in ",
                                sluice::quoted(checkpoints->settings.folder),
                                " does not have partition ", partition.text(),
                                "; remove it to begin anew"));
  partition.isDisjoint = saved->second.isDisjoint;
  for (size_t color = 0; color < partition.sets.size(); ++color)
    partition.sets.at(color) =
        ElementSet::ofAnyRuns(shape, saved->second.colors[color]);
  return {};
}
