//===- AddPartitions.cpp - Adding partitions of roots ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up what a partition is made of, has it filled in, and takes it into the
// program, or in place of another one.
//
//===----------------------------------------------------------------------===//

#include "../ProgramOverRegions.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

Result<ElementSet> RegionProgram::parentSet(const Root &root, uint32_t parent,
                                            int64_t parentColor,
                                            const char *name) const {
  if (parent == SLUICE_NO_PARTITION)
    return ElementSet(Box::whole(root.shape));
  Result<const RootPartition *> found = findPartition(parent, name);
  if (!found.ok())
    return found.takeStatus();
  const RootPartition &partition = **found;
  if (partition.root != &root)
    return Status::invalidArgument(
        concat("partition ", quoted(name), " of root ", quoted(root.name),
               " divides a color of partition ", partition.text()));
  if (parentColor < 0 || parentColor >= partition.numColors())
    return Status::invalidArgument(
        concat("partition ", quoted(name), " divides color ", parentColor,
               " of partition ", partition.text(), ", which has ",
               partition.numColors(), " colors"));
  return partition.sets[parentColor];
}

Result<uint32_t> RegionProgram::addPartition(PartitionPointer partition,
                                             Status filled) {
  if (!filled.ok())
    return filled;
  finishPartition(*partition);
  if (remade) {
    retire(std::exchange(partitions[*remade], std::move(partition)));
    return *remade;
  }
  partitions.push_back(std::move(partition));
  return static_cast<uint32_t>(partitions.size() - 1);
}

/// Drops what was computed for a partition that has been replaced.
void RegionProgram::retire(PartitionPointer partition) {
  auto drop = [&](PartitionPointer old) {
    overlaps.forget(*old);
    if (distribution)
      retired.push_back(std::move(old));
  };
  if (auto all = unions.find(partition.get()); all != unions.end()) {
    drop(std::move(all->second));
    unions.erase(all);
  }
  for (auto each = pieces.lower_bound({partition.get(), 0});
       each != pieces.end() && each->first.first == partition.get();) {
    drop(std::move(each->second));
    each = pieces.erase(each);
  }
  drop(std::move(partition));
}

Result<uint32_t> RegionProgram::addBlocks(const char *name, uint32_t root,
                                          uint32_t parent, int64_t parentColor,
                                          int32_t rank, const int64_t *colors) {
  return addColoring(name, root, parent, parentColor, rank, colors, nullptr);
}

Result<uint32_t> RegionProgram::addColoring(
    const char *name, uint32_t root, uint32_t parent, int64_t parentColor,
    int32_t rank, const int64_t *colors,
    void (*coloring)(const int64_t *, SluiceColoring *)) {
  Result<const Root *> found = findRoot(root, name);
  if (!found.ok())
    return found.takeStatus();
  Result<ElementSet> set = parentSet(**found, parent, parentColor, name);
  if (!set.ok())
    return set.takeStatus();
  // On several ranks, each rank needs only a few of them.
  const bool onDemand = distribution && !coloring && set->isBox();
  Result<PartitionPointer> partition =
      beginPartition(name, **found, std::move(*set), rank, colors, onDemand);
  if (!partition.ok())
    return partition.takeStatus();
  Status filled = coloring ? fillColoring(**partition, coloring)
                           : fillBlocks(**partition, onDemand);
  return addPartition(std::move(*partition), std::move(filled));
}

Result<uint32_t> RegionProgram::addHalos(const char *name, uint32_t partition,
                                         const int64_t *width, bool corners,
                                         uint32_t periodic) {
  Result<const RootPartition *> source = findPartition(partition, name);
  if (!source.ok())
    return source.takeStatus();
  const RootPartition &of = **source;
  Result<PartitionPointer> halos = beginPartition(
      name, *of.root, ElementSet(Box::whole(of.root->shape)), of.colors.rank,
      of.colors.extent, of.sets.demanded() != nullptr);
  if (!halos.ok())
    return halos.takeStatus();
  Status filled = fillHalos(**halos, of, width, corners, periodic);
  return addPartition(std::move(*halos), std::move(filled));
}

Result<uint32_t>
RegionProgram::addByValues(PartitionPointer partition, uint32_t root,
                           std::initializer_list<uint32_t> fields,
                           const std::function<Status(RootPartition &)> &fill) {
  Status filled;
  if (checkpoints && checkpoints->isWaiting()) {
    filled = takeSaved(*partition);
  } else {
    for (uint32_t field : fields)
      if (filled.ok())
        filled = bringEverywhere(root, field);
    if (filled.ok())
      filled = fill(*partition);
  }
  Result<uint32_t> index =
      addPartition(std::move(partition), std::move(filled));
  if (index.ok() && !remade)
    byValues.push_back(*index);
  return index;
}

Result<uint32_t> RegionProgram::addByField(const char *name, uint32_t root,
                                           uint32_t field, int32_t rank,
                                           const int64_t *colors) {
  Result<const Root *> found = findRoot(root, name);
  if (!found.ok())
    return found.takeStatus();
  if (Status status = checkField(**found, field, name); !status.ok())
    return status;
  Result<PartitionPointer> partition = beginPartition(
      name, **found, ElementSet(Box::whole((*found)->shape)), rank, colors);
  if (!partition.ok())
    return partition.takeStatus();
  return addByValues(
      std::move(*partition), root, {field},
      [field](RootPartition &filled) { return fillByField(filled, field); });
}

Result<uint32_t> RegionProgram::addImage(const char *name, uint32_t root,
                                         uint32_t source, uint32_t field) {
  Result<const Root *> found = findRoot(root, name);
  if (!found.ok())
    return found.takeStatus();
  Result<const RootPartition *> from = findPartition(source, name);
  if (!from.ok())
    return from.takeStatus();
  if (Status status = checkField(*(*from)->root, field, name); !status.ok())
    return status;
  Result<PartitionPointer> partition =
      beginPartition(name, **found, ElementSet(Box::whole((*found)->shape)),
                     (*from)->colors.rank, (*from)->colors.extent);
  if (!partition.ok())
    return partition.takeStatus();
  return addByValues(
      std::move(*partition), (*from)->root->index, {field},
      [&](RootPartition &filled) { return fillImage(filled, **from, field); });
}

Result<uint32_t> RegionProgram::addPreimage(const char *name, uint32_t root,
                                            uint32_t field, uint32_t target) {
  Result<const Root *> found = findRoot(root, name);
  if (!found.ok())
    return found.takeStatus();
  if (Status status = checkField(**found, field, name); !status.ok())
    return status;
  Result<const RootPartition *> to = findPartition(target, name);
  if (!to.ok())
    return to.takeStatus();
  Result<PartitionPointer> partition =
      beginPartition(name, **found, ElementSet(Box::whole((*found)->shape)),
                     (*to)->colors.rank, (*to)->colors.extent);
  if (!partition.ok())
    return partition.takeStatus();
  return addByValues(
      std::move(*partition), root, {field},
      [&](RootPartition &filled) { return fillPreimage(filled, field, **to); });
}

Result<uint32_t> RegionProgram::addCombined(const char *name,
                                            SluiceSetOperation operation,
                                            uint32_t left, uint32_t right) {
  Result<const RootPartition *> a = findPartition(left, name);
  if (!a.ok())
    return a.takeStatus();
  Result<const RootPartition *> b = findPartition(right, name);
  if (!b.ok())
    return b.takeStatus();
  const Root &root = *(*a)->root;
  Result<PartitionPointer> partition =
      beginPartition(name, root, ElementSet(Box::whole(root.shape)),
                     (*a)->colors.rank, (*a)->colors.extent);
  if (!partition.ok())
    return partition.takeStatus();
  Status filled = fillCombined(**partition, operation, **a, **b);
  return addPartition(std::move(*partition), std::move(filled));
}

Status RegionProgram::promise(uint32_t partition, bool isDisjoint,
                              bool isComplete) {
  Result<const RootPartition *> found =
      findPartition(partition, "sluicePromise");
  if (!found.ok())
    return found.takeStatus();
  if (Status status = checkPromise(**found, isDisjoint, isComplete);
      !status.ok())
    return status;
  partitions[partition]->isDisjoint |= isDisjoint;
  return {};
}
