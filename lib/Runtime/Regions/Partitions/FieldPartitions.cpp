//===- FieldPartitions.cpp - Partitions by the values of fields -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images, preimages and colors stored in data. Roots may have many millions of
// elements: everything here is linear in the number of examined or named
// elements, except the sorting of images.
//
//===----------------------------------------------------------------------===//

#include "RootPartitions.h"
#include "SegmentIndex.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

/// Fields that name elements or colors.
static Status checkNames(const RootPartition &partition, const Root &root,
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

Status sluice::regions::fillByField(RootPartition &partition, uint32_t field) {
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

/// A table with an entry for each element of a root pays if about as many
/// elements are named; otherwise it would dominate the memory use.
static bool isTableSmall(int64_t numElements, int64_t numNames) {
  return numElements / 8 <= numNames;
}

namespace {
/// Collects the elements named in colors of a source.
class NameCollector {
public:
  NameCollector(const RootPartition &partition, const RootPartition &source,
                uint32_t field);

  /// The names in one color, sorted and without duplicates.
  Status collect(uint32_t color, std::vector<int64_t> &names);

private:
  Status outside(int64_t index, int64_t name) const;

  const RootPartition &partition, &source;
  const uint32_t field;
  const int64_t numElements, perElement;
  /// The last color + 1 that named each element; if empty, names are sorted
  /// with all duplicates.
  std::vector<uint32_t> seenBy;
};
} // namespace

NameCollector::NameCollector(const RootPartition &partition,
                             const RootPartition &source, uint32_t field)
    : partition(partition), source(source), field(field),
      numElements(partition.root->shape.count()),
      perElement(source.root->fields[field].count) {
  int64_t numNames = 0;
  for (const ElementSet &set : source.sets)
    if (__builtin_add_overflow(numNames, set.size() * perElement, &numNames))
      numNames = numElements;
  if (isTableSmall(numElements, numNames))
    seenBy.resize(numElements);
}

Status NameCollector::outside(int64_t index, int64_t name) const {
  const Root &from = *source.root;
  return Status::invalidArgument(concat(
      "image ", partition.text(), ": field ", quoted(from.fields[field].name),
      " of element ", from.shape.elementText(index / perElement), " of root ",
      quoted(from.name), " is ", name, ", but root ",
      quoted(partition.root->name), " has ", numElements, " elements"));
}

Status NameCollector::collect(uint32_t color, std::vector<int64_t> &names) {
  const Root &from = *source.root;
  Status error;
  names.clear();
  source.sets[color].forEachRun(from.shape, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * perElement; i < end * perElement; ++i) {
      int64_t name = from.readInteger(field, i);
      if (name == -1) // The element has no target.
        continue;
      if (name < 0 || name >= numElements) {
        if (error.ok())
          error = outside(i, name);
        return;
      }
      if (!seenBy.empty()) {
        if (seenBy[name] == color + 1)
          continue;
        seenBy[name] = color + 1;
      }
      names.push_back(name);
    }
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return error;
}

Status sluice::regions::fillImage(RootPartition &partition,
                                  const RootPartition &source, uint32_t field) {
  if (Status status = checkNames(partition, *source.root, field); !status.ok())
    return status;
  NameCollector collector(partition, source, field);
  std::vector<int64_t> names;
  for (uint32_t color = 0; color < partition.numColors(); ++color) {
    if (Status status = collector.collect(color, names); !status.ok())
      return status;
    Runs runs;
    for (int64_t name : names)
      append(runs, name);
    partition.sets.at(color) =
        ElementSet(partition.root->shape, std::move(runs));
  }
  return {};
}

namespace {
/// Finds the segment of an element.
class SegmentFinder {
public:
  SegmentFinder(const SegmentIndex &index, int64_t numElements,
                int64_t numNames)
      : index(index), segments(index.segments()) {
    if (!isTableSmall(numElements, numNames))
      return;
    table.resize(numElements);
    for (size_t i = 0; i < segments.size(); ++i)
      std::fill(table.begin() + segments[i].begin,
                table.begin() + segments[i].end, i + 1);
  }

  /// Null if no color contains the element.
  const SegmentIndex::Segment *find(int64_t element) const {
    if (!table.empty())
      return table[element] ? &segments[table[element] - 1] : nullptr;
    const size_t at = index.find(element);
    return at < segments.size() && segments[at].begin <= element ? &segments[at]
                                                                 : nullptr;
  }

private:
  const SegmentIndex &index;
  const std::span<const SegmentIndex::Segment> segments;
  /// The number of each element's segment, plus 1; if empty, segments are
  /// searched.
  std::vector<uint32_t> table;
};
} // namespace

Status sluice::regions::fillPreimage(RootPartition &partition, uint32_t field,
                                     const RootPartition &target) {
  const Root &root = *partition.root;
  if (Status status = checkNames(partition, root, field); !status.ok())
    return status;
  const SegmentIndex index(target.root->shape, target.sets);
  const int64_t perElement = root.fields[field].count;
  const int64_t numNames = root.shape.count() * perElement;
  const int64_t numElements = target.root->shape.count();
  const SegmentFinder finder(index, numElements, numNames);
  std::vector<Runs> runs(partition.numColors());
  for (int64_t i = 0; i < numNames; ++i) {
    int64_t name = root.readInteger(field, i), element = i / perElement;
    if (name < 0 || name >= numElements)
      continue;
    const SegmentIndex::Segment *segment = finder.find(name);
    if (!segment)
      continue;
    for (uint32_t color : index.colorsOf(*segment))
      if (runs[color].empty() || runs[color].back().end <= element)
        append(runs[color], element);
  }
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    partition.sets.at(color) = ElementSet(root.shape, std::move(runs[color]));
  partition.isDisjoint = target.isDisjoint && perElement == 1;
  return {};
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
/// The ranges that the elements of a root name in another one.
class RangeReader {
public:
  RangeReader(const RootPartition &partition, const Root &root,
              const Root &named, uint32_t first, uint32_t last)
      : partition(partition), root(root), named(named), first(first),
        last(last) {}

  Status check() const {
    Status status = checkNames(partition, root, first);
    if (status.ok() && last != SLUICE_NEXT_ELEMENT)
      status = checkNames(partition, root, last);
    return status;
  }
  /// Empty if the element has no range.
  SluiceRun rangeOf(int64_t element) const {
    const SluiceRun none = {0, 0};
    if (last == SLUICE_NEXT_ELEMENT && element + 1 == root.shape.count())
      return none;
    const int64_t begin = root.readInteger(first, element);
    const int64_t end = last == SLUICE_NEXT_ELEMENT
                            ? root.readInteger(first, element + 1)
                            : root.readInteger(last, element);
    return begin == -1 || begin >= end ? none : SluiceRun{begin, end};
  }
  bool isInside(const SluiceRun &range) const {
    return range.begin >= 0 && range.end <= named.shape.count();
  }
  Status outside(int64_t element, const SluiceRun &range) const {
    return Status::invalidArgument(
        concat("partition ", partition.text(), ": element ",
               root.shape.elementText(element), " of root ", quoted(root.name),
               " names the elements from ", range.begin, " to ", range.end,
               ", but root ", quoted(named.name), " has ", named.shape.count(),
               " elements"));
  }

private:
  const RootPartition &partition;
  const Root &root, &named;
  const uint32_t first, last;
};
} // namespace

Status sluice::regions::fillImageOfRanges(RootPartition &partition,
                                          const RootPartition &source,
                                          uint32_t first, uint32_t last) {
  const RangeReader ranges(partition, *source.root, *partition.root, first,
                           last);
  if (Status status = ranges.check(); !status.ok())
    return status;
  Status error;
  for (uint32_t color = 0; color < partition.numColors() && error.ok();
       ++color) {
    Runs runs;
    source.sets[color].forEachRun(
        source.root->shape, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end && error.ok(); ++i) {
            const SluiceRun range = ranges.rangeOf(i);
            if (!ranges.isInside(range))
              error = ranges.outside(i, range);
            else if (!runs.empty() && runs.back().end == range.begin)
              runs.back().end = range.end;
            else if (range.begin < range.end)
              runs.push_back(range);
          }
        });
    if (error.ok())
      partition.sets.at(color) =
          ElementSet::ofAnyRuns(partition.root->shape, std::move(runs));
  }
  return error;
}

Status sluice::regions::fillPreimageOfRanges(RootPartition &partition,
                                             uint32_t first, uint32_t last,
                                             const RootPartition &target) {
  const Root &root = *partition.root;
  const RangeReader ranges(partition, root, *target.root, first, last);
  if (Status status = ranges.check(); !status.ok())
    return status;
  const SegmentIndex index(target.root->shape, target.sets);
  const auto segments = index.segments();
  std::vector<Runs> runs(partition.numColors());
  for (int64_t element = 0, count = root.shape.count(); element < count;
       ++element) {
    const SluiceRun range = ranges.rangeOf(element);
    if (!ranges.isInside(range))
      return ranges.outside(element, range);
    if (range.begin == range.end)
      continue;
    for (size_t i = index.find(range.begin);
         i < segments.size() && segments[i].begin < range.end; ++i)
      for (uint32_t color : index.colorsOf(segments[i]))
        if (runs[color].empty() || runs[color].back().end <= element)
          append(runs[color], element);
  }
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    partition.sets.at(color) = ElementSet(root.shape, std::move(runs[color]));
  return {};
}
