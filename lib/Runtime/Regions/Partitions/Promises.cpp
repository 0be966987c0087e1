//===- Promises.cpp - Checks of promises about partitions -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proof may rest on promises about a partition whose elements are only known
// at run time. Here the promises are checked against the elements.
//
//===----------------------------------------------------------------------===//

#include "BoxTree.h"
#include "RootPartitions.h"
#include "SegmentIndex.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

static Status twoColors(const RootPartition &partition, uint32_t first,
                        uint32_t second, int64_t position) {
  return Status::invalidArgument(concat(
      "partition ", partition.text(), " is declared disjoint, but ", "colors ",
      colorText(partition, first), " and ", colorText(partition, second),
      " both have element ", partition.root->shape.elementText(position)));
}

static Status noColor(const RootPartition &partition, int64_t position) {
  return Status::invalidArgument(concat(
      "partition ", partition.text(), " is declared complete, but ", "element ",
      partition.root->shape.elementText(position), " has no color"));
}

static bool allBoxes(const RootPartition &partition) {
  for (const ElementSet &set : partition.sets)
    if (!set.isBox())
      return false;
  return true;
}

static Status checkDisjointBoxes(const RootPartition &partition) {
  const BoxTree tree(partition.sets);
  Status error;
  for (uint32_t color = 0; color < partition.numColors() && error.ok(); ++color)
    tree.query(partition.sets[color].bounds(), [&](uint32_t other) {
      if (other <= color || !error.ok())
        return;
      Box common = partition.sets[color].bounds().intersect(
          partition.sets[other].bounds());
      error = twoColors(partition, color, other,
                        partition.root->shape.position(common.lower));
    });
  return error;
}

static Status checkDisjointRuns(const RootPartition &partition,
                                const SegmentIndex &index) {
  for (const SegmentIndex::Segment &segment : index.segments())
    if (segment.numColors > 1)
      return twoColors(partition, index.colorsOf(segment)[0],
                       index.colorsOf(segment)[1], segment.begin);
  return {};
}

static Status checkComplete(const RootPartition &partition,
                            const SegmentIndex &index) {
  const Shape &shape = partition.root->shape;
  Runs covered;
  for (const SegmentIndex::Segment &segment : index.segments()) {
    if (!covered.empty() && covered.back().end == segment.begin)
      covered.back().end = segment.end;
    else
      covered.push_back({segment.begin, segment.end});
  }
  Runs rest = subtractRuns(partition.parent.toRuns(shape), covered);
  return rest.empty() ? Status() : noColor(partition, rest.front().begin);
}

Status sluice::regions::checkPromise(const RootPartition &partition,
                                     bool isDisjoint, bool isComplete) {
  const Shape &shape = partition.root->shape;
  bool knowsDisjoint = partition.isDisjoint;
  if ((!isDisjoint || knowsDisjoint) && (!isComplete || partition.isComplete))
    return {};
  if (isDisjoint && !knowsDisjoint && allBoxes(partition)) {
    if (Status status = checkDisjointBoxes(partition); !status.ok())
      return status;
    knowsDisjoint = true;
  }
  int64_t total = 0;
  for (const ElementSet &set : partition.sets)
    total += set.size();
  // Colors stay within their parent, so counting suffices for disjoint ones.
  bool knowsComplete = knowsDisjoint && total == partition.parent.size();
  if ((!isDisjoint || knowsDisjoint) && (!isComplete || knowsComplete))
    return {};
  const SegmentIndex index(shape, partition.sets);
  if (isDisjoint && !knowsDisjoint)
    if (Status status = checkDisjointRuns(partition, index); !status.ok())
      return status;
  return isComplete ? checkComplete(partition, index) : Status();
}
