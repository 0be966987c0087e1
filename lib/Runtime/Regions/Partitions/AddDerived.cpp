//===- AddDerived.cpp - Adding partitions made from others ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up what a partition is made from, and has it filled in.
//
//===----------------------------------------------------------------------===//

#include "../ProgramOverRegions.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

Result<PartitionPointer> RegionProgram::beginLike(const char *name,
                                                  uint32_t root,
                                                  const RootPartition &other) {
  Result<const Root *> found = findRoot(root, name);
  if (!found.ok())
    return found.takeStatus();
  return beginPartition(name, **found, ElementSet(Box::whole((*found)->shape)),
                        other.colors.rank, other.colors.extent);
}

Status RegionProgram::checkRange(const Root &root, uint32_t first,
                                 uint32_t last, const char *name) const {
  for (uint32_t field : {first, last == SLUICE_NEXT_ELEMENT ? first : last}) {
    if (Status status = checkField(root, field, name); !status.ok())
      return status;
    if (root.fields[field].count != 1)
      return Status::invalidArgument(concat(
          "partition ", quoted(name), " takes ends of ranges from field ",
          quoted(root.fields[field].name), " with ", root.fields[field].count,
          " values per element, expected 1"));
  }
  return {};
}

Result<uint32_t> RegionProgram::addBlocksOfEach(const char *name,
                                                uint32_t partition,
                                                int32_t rank,
                                                const int64_t *colors) {
  Result<const RootPartition *> source = findPartition(partition, name);
  if (!source.ok())
    return source.takeStatus();
  const Root &root = *(*source)->root;
  Result<PartitionPointer> made =
      beginPartition(name, root, ElementSet(Box::whole(root.shape)), rank,
                     colors, (*source)->sets.demanded() != nullptr);
  if (!made.ok())
    return made.takeStatus();
  Status filled = fillBlocksOfEach(**made, **source);
  return addPartition(std::move(*made), std::move(filled));
}

Result<uint32_t> RegionProgram::addCross(const char *name, uint32_t left,
                                         uint32_t right) {
  Result<const RootPartition *> a = findPartition(left, name);
  if (!a.ok())
    return a.takeStatus();
  Result<const RootPartition *> b = findPartition(right, name);
  if (!b.ok())
    return b.takeStatus();
  std::vector<int64_t> colors;
  for (const RootPartition *each : {*a, *b})
    colors.insert(colors.end(), each->colors.extent,
                  each->colors.extent + each->colors.rank);
  const Root &root = *(*a)->root;
  const bool onDemand = (*a)->sets.demanded() && (*b)->sets.demanded();
  Result<PartitionPointer> made = beginPartition(
      name, root, ElementSet(Box::whole(root.shape)),
      static_cast<int32_t>(colors.size()), colors.data(), onDemand);
  if (!made.ok())
    return made.takeStatus();
  Status filled = fillCross(**made, **a, **b);
  return addPartition(std::move(*made), std::move(filled));
}

Result<uint32_t> RegionProgram::addByMap(const char *name, uint32_t root,
                                         const SluiceElementCoordinate *map,
                                         int32_t rank, const int64_t *colors) {
  Result<const Root *> found = findRoot(root, name);
  if (!found.ok())
    return found.takeStatus();
  Result<PartitionPointer> made = beginPartition(
      name, **found, ElementSet(Box::whole((*found)->shape)), rank, colors);
  if (!made.ok())
    return made.takeStatus();
  Status filled = fillByMap(**made, {map, static_cast<size_t>(rank)});
  return addPartition(std::move(*made), std::move(filled));
}

Result<uint32_t>
RegionProgram::addMappedImage(const char *name, uint32_t root, uint32_t source,
                              const SluiceElementCoordinate *map) {
  Result<const RootPartition *> from = findPartition(source, name);
  if (!from.ok())
    return from.takeStatus();
  Result<PartitionPointer> made = beginLike(name, root, **from);
  if (!made.ok())
    return made.takeStatus();
  const auto rank = static_cast<size_t>((*made)->root->shape.rank);
  Status filled = fillMappedImage(**made, **from, {map, rank});
  return addPartition(std::move(*made), std::move(filled));
}

Result<uint32_t>
RegionProgram::addMappedPreimage(const char *name, uint32_t root,
                                 const SluiceElementCoordinate *map,
                                 uint32_t target) {
  Result<const RootPartition *> to = findPartition(target, name);
  if (!to.ok())
    return to.takeStatus();
  Result<PartitionPointer> made = beginLike(name, root, **to);
  if (!made.ok())
    return made.takeStatus();
  const auto rank = static_cast<size_t>((*to)->root->shape.rank);
  Status filled = fillMappedPreimage(**made, {map, rank}, **to);
  return addPartition(std::move(*made), std::move(filled));
}

Result<uint32_t> RegionProgram::addImageOfRanges(const char *name,
                                                 uint32_t root, uint32_t source,
                                                 uint32_t first,
                                                 uint32_t last) {
  Result<const RootPartition *> from = findPartition(source, name);
  if (!from.ok())
    return from.takeStatus();
  if (Status status = checkRange(*(*from)->root, first, last, name);
      !status.ok())
    return status;
  Result<PartitionPointer> made = beginLike(name, root, **from);
  if (!made.ok())
    return made.takeStatus();
  return addByValues(std::move(*made), (*from)->root->index,
                     {first, last == SLUICE_NEXT_ELEMENT ? first : last},
                     [&](RootPartition &filled) {
                       return fillImageOfRanges(filled, **from, first, last);
                     });
}

Result<uint32_t> RegionProgram::addPreimageOfRanges(const char *name,
                                                    uint32_t root,
                                                    uint32_t first,
                                                    uint32_t last,
                                                    uint32_t target) {
  Result<const Root *> found = findRoot(root, name);
  if (!found.ok())
    return found.takeStatus();
  Result<const RootPartition *> to = findPartition(target, name);
  if (!to.ok())
    return to.takeStatus();
  if (Status status = checkRange(**found, first, last, name); !status.ok())
    return status;
  Result<PartitionPointer> made = beginLike(name, root, **to);
  if (!made.ok())
    return made.takeStatus();
  return addByValues(std::move(*made), root,
                     {first, last == SLUICE_NEXT_ELEMENT ? first : last},
                     [&](RootPartition &filled) {
                       return fillPreimageOfRanges(filled, first, last, **to);
                     });
}

Result<uint32_t> RegionProgram::addCombinedWith(const char *name,
                                                SluiceSetOperation operation,
                                                uint32_t left,
                                                const SluiceRegionPart &right) {
  Result<const RootPartition *> a = findPartition(left, name);
  if (!a.ok())
    return a.takeStatus();
  Result<Part> b = findPart(right, name);
  if (!b.ok())
    return b.takeStatus();
  const Root &root = *(*a)->root;
  if (b->partition->root != &root)
    return Status::invalidArgument(
        concat("partition ", quoted(name), " combines ", (*a)->text(), " and ",
               b->name, ": the roots must be the same"));
  Result<PartitionPointer> made = beginLike(name, root.index, **a);
  if (!made.ok())
    return made.takeStatus();
  Status filled =
      fillCombinedWith(**made, operation, **a, b->partition->sets[b->color]);
  return addPartition(std::move(*made), std::move(filled));
}
