//===- FieldPartitions.cpp - Partitions by the values of fields -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images, preimages and colors that stand in the data. Roots may have many
// millions of elements: everything here is linear in them, but for the sorting
// of images.
//
//===----------------------------------------------------------------------===//

#include "Partitions.h"
#include "SegmentIndex.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

/// Fields that name elements or colors.
static Status checkNames(const RegionPartition &partition, const Root &root,
                         uint32_t field) {
  const Field &names = root.fields[field];
  if (isInteger(names.type))
    return {};
  return Status::invalidArgument(
      concat("partition ", partition.text(), " goes by field ",
             quoted(names.name), " of root ", quoted(root.name), " of type ",
             typeName(names.type), ", expected integers"));
}

/// Appends one element to runs that grow in ascending order.
static void append(Runs &runs, int64_t position) {
  if (!runs.empty() && runs.back().end == position)
    ++runs.back().end;
  else
    runs.push_back({position, position + 1});
}

Status sluice::regions::fillByField(RegionPartition &partition,
                                    uint32_t field) {
  const Root &root = *partition.root;
  if (Status status = checkNames(partition, root, field); !status.ok())
    return status;
  if (root.fields[field].count != 1)
    return Status::invalidArgument(
        concat("partition ", partition.text(), " goes by field ",
               quoted(root.fields[field].name), " with ",
               root.fields[field].count, " values per element, expected 1"));
  const int64_t count = root.shape.count();
  std::vector<Runs> runs(partition.numColors());
  for (int64_t position = 0; position < count; ++position) {
    int64_t color = root.readInteger(field, position);
    if (color >= 0 && color < partition.numColors())
      append(runs[color], position);
  }
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    partition.sets.at(color) = ElementSet(root.shape, std::move(runs[color]));
  partition.isDisjoint = true;
  return {};
}

/// The values of one color, sorted, each once. `seenBy` has the last color + 1
/// that named each element.
static Status collectNames(const RegionPartition &partition,
                           const RegionPartition &source, uint32_t field,
                           uint32_t color, std::vector<uint32_t> &seenBy,
                           std::vector<int64_t> &names) {
  const Root &from = *source.root;
  const int64_t numElements = partition.root->shape.count();
  const int64_t perElement = from.fields[field].count;
  Status error;
  source.sets[color].forEachRun(from.shape, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * perElement; i < end * perElement; ++i) {
      int64_t name = from.readInteger(field, i);
      if (name < 0 || name >= numElements) {
        if (error.ok())
          error = Status::invalidArgument(concat(
              "image ", partition.text(), ": field ",
              quoted(from.fields[field].name), " of element ",
              from.shape.elementText(i / perElement), " of root ",
              quoted(from.name), " is ", name, ", but root ",
              quoted(partition.root->name), " has ", numElements, " elements"));
        return;
      }
      if (seenBy[name] == color + 1)
        continue;
      seenBy[name] = color + 1;
      names.push_back(name);
    }
  });
  return error;
}

Status sluice::regions::fillImage(RegionPartition &partition,
                                  const RegionPartition &source,
                                  uint32_t field) {
  if (Status status = checkNames(partition, *source.root, field); !status.ok())
    return status;
  const Shape &shape = partition.root->shape;
  std::vector<uint32_t> seenBy(shape.count(), 0);
  std::vector<int64_t> names;
  for (uint32_t color = 0; color < partition.numColors(); ++color) {
    names.clear();
    if (Status status =
            collectNames(partition, source, field, color, seenBy, names);
        !status.ok())
      return status;
    std::sort(names.begin(), names.end());
    Runs runs;
    for (int64_t name : names)
      append(runs, name);
    partition.sets.at(color) = ElementSet(shape, std::move(runs));
  }
  return {};
}

Status sluice::regions::fillPreimage(RegionPartition &partition, uint32_t field,
                                     const RegionPartition &target) {
  const Root &root = *partition.root;
  if (Status status = checkNames(partition, root, field); !status.ok())
    return status;
  const SegmentIndex index(target.root->shape, target.sets);
  // The segment of each element that may be named, plus 1.
  std::vector<uint32_t> segmentOf(target.root->shape.count(), 0);
  for (size_t i = 0; i < index.segments().size(); ++i)
    std::fill(segmentOf.begin() + index.segments()[i].begin,
              segmentOf.begin() + index.segments()[i].end, i + 1);
  const int64_t perElement = root.fields[field].count;
  const int64_t numNames = root.shape.count() * perElement;
  std::vector<Runs> runs(partition.numColors());
  for (int64_t i = 0; i < numNames; ++i) {
    int64_t name = root.readInteger(field, i), element = i / perElement;
    if (name < 0 || name >= static_cast<int64_t>(segmentOf.size()) ||
        !segmentOf[name])
      continue;
    const auto &segment = index.segments()[segmentOf[name] - 1];
    for (uint32_t color : index.colorsOf(segment))
      if (runs[color].empty() || runs[color].back().end <= element)
        append(runs[color], element);
  }
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    partition.sets.at(color) = ElementSet(root.shape, std::move(runs[color]));
  partition.isDisjoint = target.isDisjoint && perElement == 1;
  return {};
}
