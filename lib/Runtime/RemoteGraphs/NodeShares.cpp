//===- NodeShares.cpp - Which rank runs what of a node --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node is split if the compiler has found which bytes its slabs touch, all of
// these bytes are tracked, and no share writes bytes that another share
// touches.
//
//===----------------------------------------------------------------------===//

#include "NodeShares.h"
#include "sluice-c/Reductions.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

bool sluice::mayBeShared(const PlanInfo &info) {
  return std::any_of(info.nodes.begin(), info.nodes.end(),
                     [](const NodeInfo &node) {
                       return node.node->share && node.node->share->touch;
                     });
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

/// Levels of a plan's node that come before those of its graph.
static constexpr uint32_t numCopyLevels = 2;

uint64_t sluice::numInstancesOfChunks(const SluicePlanNode &node,
                                      const int64_t *extents) {
  uint64_t count = 0;
  (void)multiplyExtents(extents + 3 * numCopyLevels, node.share->fold.numLevels,
                        count);
  return count;
}

uint64_t sluice::instancesPerChunk(const SluicePlanNode &node,
                                   const int64_t *extents) {
  const auto numChunks = static_cast<uint64_t>(extents[0]);
  const uint64_t each =
      (numInstancesOfChunks(node, extents) + numChunks - 1) / numChunks;
  constexpr uint64_t step = SLUICE_CHUNK_STEP;
  return node.share->fold.join || each < 2 * step
             ? each
             : (each + step - 1) / step * step;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// The memory behind a pointer argument of the graph.
struct ArgumentMemory {
  const PointerArgument *argument = nullptr; ///< null: it is no pointer
  uintptr_t start = 0;
  uint64_t size = 0;
  bool isSizeKnown = false;

  ByteRange bytes() const { return {start, start + size}; }
};
} // namespace

static ArgumentMemory argumentMemory(const SharedLaunch &launch,
                                     uint32_t argument) {
  ArgumentMemory memory;
  const uint32_t index = launch.info.pointerOf[argument];
  if (index == SLUICE_NO_INDEX)
    return memory;
  const PointerArgument &pointer = launch.info.pointers[index];
  memory.argument = &pointer;
  memory.start = launch.pointers[index];
  memory.isSizeKnown = pointer.sizeOffset != SLUICE_NO_OFFSET;
  if (memory.isSizeKnown)
    std::memcpy(&memory.size, launch.frame + pointer.sizeOffset,
                sizeof memory.size);
  return memory;
}

ByteRange sluice::memoryOf(const SharedLaunch &launch, uint32_t argument) {
  return argumentMemory(launch, argument).bytes();
}

void sluice::join(std::vector<ByteRange> &ranges) {
  std::sort(
      ranges.begin(), ranges.end(),
      [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  size_t count = 0;
  for (const ByteRange &range : ranges)
    if (count != 0 && range.begin <= ranges[count - 1].end)
      ranges[count - 1].end = std::max(ranges[count - 1].end, range.end);
    else
      ranges[count++] = range;
  ranges.resize(count);
}

//===----------------------------------------------------------------------===//
// On rank 0
//===----------------------------------------------------------------------===//

/// Adds all memory of an argument to what rank 0 needs and writes.
static void addWhole(const SharedLaunch &launch, uint32_t argument,
                     uint32_t access, RankShare &share) {
  ArgumentMemory memory = argumentMemory(launch, argument);
  if (!memory.argument || !memory.start)
    return;
  // Memory that is not tracked is on no other rank.
  std::vector<ByteRange> parts;
  if (memory.isSizeKnown)
    parts = launch.directory.trackedIn(memory.bytes());
  else if (ByteRange object =
               launch.directory.objectOf({memory.start, memory.start + 1});
           !object.isEmpty())
    parts = {object};
  for (const ByteRange &part : parts) {
    share.read.push_back(part);
    if (memory.argument->isWritten && access != SLUICE_ACCESS_IN)
      share.written.push_back(part);
  }
}

RankShare sluice::wholeNode(const SharedLaunch &launch, const NodeInfo &node,
                            const NodeCounts &counts) {
  RankShare share = {0, {0, counts.units}, {}, {}};
  const SluicePlanNode &table = *node.node;
  bool knowsAll = !node.mayReachOther;
  for (uint32_t i = 0; i < table.numOperands; ++i) {
    const SluicePlanOperand &operand = table.operands[i];
    if (!(operand.flags & SLUICE_PORT_POINTER))
      continue;
    if (operand.node == SLUICE_NO_INDEX && operand.index != SLUICE_NO_INDEX)
      addWhole(launch, operand.index, operand.access, share);
    else
      knowsAll = false;
  }
  // A pointer that came along an edge may be any argument, or what another node
  // has found.
  if (!knowsAll && launch.info.mayReachOther) {
    share.read = share.written = launch.directory.all();
    return share;
  }
  for (uint32_t i = 0; !knowsAll && i < launch.info.plan.numArguments; ++i)
    addWhole(launch, i, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT, share);
  join(share.read);
  join(share.written);
  return share;
}

//===----------------------------------------------------------------------===//
// On several ranks
//===----------------------------------------------------------------------===//

static void clampTo(int64_t &offset, uint64_t size) {
  auto end = static_cast<int64_t>(std::min<uint64_t>(size, INT64_MAX));
  offset = std::clamp<int64_t>(offset, 0, end);
}

/// Whether a share writes what another one touches. Ranges of each are joined.
static bool meet(const std::vector<RankShare> &shares) {
  struct Written {
    ByteRange bytes;
    uint32_t rank;
  };
  std::vector<Written> written;
  for (const RankShare &share : shares)
    for (const ByteRange &bytes : share.written)
      written.push_back({bytes, share.rank});
  std::sort(written.begin(), written.end(),
            [](const Written &a, const Written &b) {
              return a.bytes.begin < b.bytes.begin;
            });
  // If any two overlap, some neighbours do.
  for (size_t i = 1; i < written.size(); ++i)
    if (written[i].bytes.begin < written[i - 1].bytes.end)
      return true;
  for (const RankShare &share : shares)
    for (const ByteRange &bytes : share.read)
      for (auto it = std::partition_point(written.begin(), written.end(),
                                          [&](const Written &each) {
                                            return each.bytes.end <=
                                                   bytes.begin;
                                          });
           it != written.end() && it->bytes.begin < bytes.end; ++it)
        if (it->rank != share.rank)
          return true;
  return false;
}

/// The ranges of a share's slabs, one for each of SluicePlanShare::touched.
using SlabRanges = std::vector<SluiceDeviceRange>;

static SlabRanges rangesOf(const SharedLaunch &launch,
                           const SluicePlanShare &table, const int64_t *extents,
                           ByteRange slabs) {
  SlabRanges ranges(table.numTouched);
  table.touch(launch.frame, extents, slabs.begin, slabs.end, ranges.data());
  return ranges;
}

static bool isWrittenAnywhere(const SluiceDeviceRange &range) {
  return range.writtenFirst == INT64_MIN;
}

/// Finds the bytes that the slabs of a share use. `isLeftOut` is indexed by
/// range.
static void findUses(const SlabRanges &ranges,
                     std::span<const ArgumentMemory> memories,
                     const std::vector<bool> &isLeftOut, RankShare &share) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (isLeftOut[i])
      continue;
    const ArgumentMemory &memory = memories[i];
    auto add = [&](std::vector<ByteRange> &to, int64_t first, int64_t end) {
      clampTo(first, memory.size);
      clampTo(end, memory.size);
      if (first < end)
        to.push_back({memory.start + static_cast<uint64_t>(first),
                      memory.start + static_cast<uint64_t>(end)});
    };
    add(share.read, ranges[i].readFirst, ranges[i].readEnd);
    add(share.written, ranges[i].writtenFirst, ranges[i].writtenEnd);
  }
  join(share.read);
  join(share.written);
}

/// Why the memory that a node touches does not allow to split it; empty if it
/// does.
static std::string findMemories(const SharedLaunch &launch,
                                const SluicePlanShare &table,
                                std::vector<ArgumentMemory> &memories) {
  auto add = [&](uint32_t argument) -> std::string {
    memories.push_back(argumentMemory(launch, argument));
    const ArgumentMemory &memory = memories.back();
    if (!memory.argument)
      return "its memory is not known";
    if (!memory.isSizeKnown)
      return concat("the size of argument ", quoted(memory.argument->name),
                    " is not known");
    if (memory.size != 0 && launch.directory.objectOf(memory.bytes()).isEmpty())
      return concat("the memory of argument ", quoted(memory.argument->name),
                    " is not tracked");
    return "";
  };
  std::string problem;
  for (uint32_t i = 0; i < table.numTouched && problem.empty(); ++i)
    problem = add(table.touched[i]);
  for (uint32_t i = 0; i < table.fold.numReduced && problem.empty(); ++i)
    problem = add(table.fold.reduced[i]);
  for (uint32_t i = 0; i < table.numAccumulated && problem.empty(); ++i) {
    problem = add(table.accumulated[i].argument);
    if (problem.empty() &&
        memories.back().start % table.accumulated[i].elementBytes != 0)
      problem = concat("the memory of argument ",
                       quoted(memories.back().argument->name),
                       " does not begin with a whole element");
  }
  return problem;
}

/// Whether any two of them share bytes.
static bool overlap(std::span<const ByteRange> memories) {
  for (size_t i = 0; i < memories.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (!memories[i].intersect(memories[k]).isEmpty())
        return true;
  return false;
}

/// Why it is more work for several ranks to accumulate than for one, since each
/// fills, holds and sends all of the memory; empty if it is not.
static std::string
whyNotAccumulated(const SluicePlanShare &table,
                  std::span<const ArgumentMemory> accumulated,
                  uint64_t numInstances) {
  constexpr uint64_t fewBytes = uint64_t(1) << 20;
  for (uint32_t i = 0; i < table.numAccumulated; ++i) {
    const uint64_t size = accumulated[i].size;
    if (size > fewBytes &&
        size / 4 / table.accumulated[i].elementBytes > numInstances)
      return concat("each rank would fill and send the ", size,
                    " bytes of argument ",
                    quoted(accumulated[i].argument->name),
                    ", into which it accumulates, for ",
                    countOf(numInstances, "instance", "instances"));
  }
  return "";
}

/// Rank 0 brings together what ranks have of memory that is reduced,
/// accumulated or compared, all of which it needs for that.
static void addReadAndWritten(ByteRange bytes, RankShare &share) {
  if (bytes.isEmpty())
    return;
  for (auto *ranges : {&share.read, &share.written}) {
    ranges->push_back(bytes);
    join(*ranges);
  }
}

/// "argument 'a' at file.c:12:3", of a range.
static std::string accessText(const SharedLaunch &launch,
                              const SluicePlanShare &table, size_t range) {
  const uint32_t index = launch.info.pointerOf[table.touched[range]];
  const std::string_view place = table.places[range];
  return concat("argument ", quoted(launch.info.pointers[index].name),
                place.empty() ? "" : " at ", place);
}

//===----------------------------------------------------------------------===//
// Memory that is written at places that nobody knows before
//===----------------------------------------------------------------------===//

namespace {
/// Which arguments that is, and what becomes of them.
///
/// Instances that run at the same time write no bytes that another one touches.
/// So ranks may write to copies of such memory, and what each has changed goes
/// into the memory on rank 0: sums by label, of which each instance has its
/// own, and other scattered results. Each rank holds and compares all of it,
/// so it has to be little beside what the node touches otherwise.
class ScatteredWrites {
public:
  ScatteredWrites(const SharedLaunch &launch, const SluicePlanShare &table,
                  std::span<const ArgumentMemory> memories,
                  const std::vector<SlabRanges> &ranges);

  /// By the index of a range: its argument is compared.
  const std::vector<bool> &isCompared() const { return compared; }
  const std::vector<ComparedMemory> &memory() const { return all; }
  /// Why the node stays on rank 0; empty if it need not. `shares` have all that
  /// they touch otherwise.
  std::string problem(std::span<const RankShare> shares) const;

private:
  const SharedLaunch &launch;
  const SluicePlanShare &table;
  std::vector<bool> compared;
  std::vector<ComparedMemory> all;
  /// By compared memory: the index of a range that may be anywhere.
  std::vector<size_t> causes;
};
} // namespace

ScatteredWrites::ScatteredWrites(const SharedLaunch &launch,
                                 const SluicePlanShare &table,
                                 std::span<const ArgumentMemory> memories,
                                 const std::vector<SlabRanges> &ranges)
    : launch(launch), table(table), compared(table.numTouched) {
  for (size_t i = 0; i < table.numTouched; ++i) {
    const bool isAnywhere =
        std::any_of(ranges.begin(), ranges.end(), [&](const SlabRanges &share) {
          return isWrittenAnywhere(share[i]);
        });
    if (compared[i] || !isAnywhere || memories[i].size == 0)
      continue;
    all.push_back({table.touched[i], memories[i].bytes()});
    causes.push_back(i);
    for (size_t k = 0; k < table.numTouched; ++k)
      if (table.touched[k] == table.touched[i])
        compared[k] = true;
  }
}

static uint64_t sizeOf(std::span<const ByteRange> ranges) {
  uint64_t size = 0;
  for (const ByteRange &range : ranges)
    size += range.size();
  return size;
}

std::string ScatteredWrites::problem(std::span<const RankShare> shares) const {
  constexpr uint64_t fewBytes = uint64_t(1) << 20;
  uint64_t numTouched = 0, numCompared = 0;
  for (const RankShare &share : shares)
    numTouched += sizeOf(share.read) + sizeOf(share.written);
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string where =
        concat("which bytes of ", accessText(launch, table, causes[i]),
               " its instances write follows from more than ids, extents and "
               "arguments");
    if (!table.canCompare)
      return concat(where, ", and it has atomic or volatile accesses");
    numCompared += all[i].bytes.size();
    if (numCompared > fewBytes && numCompared > numTouched / 8)
      return concat(where, ", and each rank would hold and compare all ",
                    all[i].bytes.size(), " of them");
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

namespace {
/// Finds two accesses of different shares that meet, for the reason.
class MeetingAccesses {
public:
  MeetingAccesses(const SharedLaunch &launch, const SluicePlanShare &table,
                  std::vector<SlabRanges> ranges, std::vector<bool> isCompared)
      : launch(launch), table(table), ranges(std::move(ranges)),
        isCompared(std::move(isCompared)) {}
  std::string text() const;

private:
  bool doMeet(size_t writer, uint32_t written, size_t other, uint32_t part,
              bool isWrite) const;

  const SharedLaunch &launch;
  const SluicePlanShare &table;
  /// By share.
  const std::vector<SlabRanges> ranges;
  /// By range: its argument may be written anywhere, each rank its own bytes.
  const std::vector<bool> isCompared;
};
} // namespace

bool MeetingAccesses::doMeet(size_t writer, uint32_t written, size_t other,
                             uint32_t part, bool isWrite) const {
  auto bytesOf = [&](uint32_t of, int64_t first, int64_t end) {
    const ArgumentMemory memory = argumentMemory(launch, table.touched[of]);
    clampTo(first, memory.size);
    clampTo(end, memory.size);
    return first < end ? ByteRange{memory.start + uint64_t(first),
                                   memory.start + uint64_t(end)}
                       : ByteRange{};
  };
  const SluiceDeviceRange &mine = ranges[writer][written];
  const SluiceDeviceRange &its = ranges[other][part];
  return !bytesOf(written, mine.writtenFirst, mine.writtenEnd)
              .intersect(bytesOf(part,
                                 isWrite ? its.writtenFirst : its.readFirst,
                                 isWrite ? its.writtenEnd : its.readEnd))
              .isEmpty();
}

std::string MeetingAccesses::text() const {
  for (size_t a = 0; a < ranges.size(); ++a)
    for (size_t b = 0; b < ranges.size(); ++b)
      for (uint32_t i = 0; a != b && i < table.numTouched; ++i)
        for (uint32_t k = 0; k < table.numTouched; ++k)
          for (bool isWrite : {true, false})
            if (!(isCompared[i] && table.touched[i] == table.touched[k]) &&
                doMeet(a, i, b, k, isWrite))
              return concat("a part of its instances writes ",
                            accessText(launch, table, i),
                            ", and another part may ",
                            isWrite ? "write" : "read", " the same of ",
                            accessText(launch, table, k));
  return "a part of its instances writes what it also reduces, or what another "
         "part reduces";
}

NodeShares sluice::shareNode(const SharedLaunch &launch, const NodeInfo &node,
                             const int64_t *extents, const NodeCounts &counts,
                             ShareReason &reason) {
  auto onRank0 = [&](ShareReason why) {
    reason = std::move(why);
    return NodeShares{{wholeNode(launch, node, counts)}, {}};
  };
  auto because = [&](std::string why) {
    return onRank0([why = std::move(why)] { return why; });
  };
  const SluicePlanShare *table = node.node->share;
  if (!table)
    return because("the program was built without what ranks need");
  if (!table->touch)
    return because(table->problem);
  std::vector<ArgumentMemory> memories;
  if (std::string why = findMemories(launch, *table, memories); !why.empty())
    return because(std::move(why));
  const std::span<const ArgumentMemory> reduced =
      std::span(memories).subspan(table->numTouched);
  const bool folds = isFold(*node.node);
  // Touched ranges were found for numbers of instances below 2^31.
  for (uint32_t i = folds ? 3 * numCopyLevels : 0; i < 3 * node.node->numLevels;
       ++i)
    if (extents[i] > INT32_MAX)
      return because("it has more than 2^31 instances in one dimension");
  const auto numSlabs = static_cast<uint64_t>(extents[table->slabExtent]);
  // Chunks need not begin where slabs do.
  const uint64_t numPieces = folds ? counts.units : numSlabs;
  const uint64_t numUnits =
      folds ? numInstancesOfChunks(*node.node, extents) : counts.units;
  const uint64_t numShares = std::min<uint64_t>(launch.numRanks, numPieces);
  if (numShares < 2)
    return onRank0({});
  if (std::string why =
          whyNotAccumulated(*table, reduced.subspan(table->fold.numReduced),
                            folds ? numUnits : counts.instances);
      !why.empty())
    return because(std::move(why));
  if (numUnits % numSlabs != 0)
    return because("its slabs are not ranges of its units");
  const uint64_t slabUnits = numUnits / numSlabs;
  const uint64_t pieceUnits =
      folds ? instancesPerChunk(*node.node, extents) : slabUnits;
  NodeShares result = {std::vector<RankShare>(numShares), {}};
  std::vector<RankShare> &shares = result.shares;
  std::vector<SlabRanges> ranges;
  uint64_t first = 0;
  for (uint64_t i = 0; i < numShares; ++i) {
    // Earlier shares are larger by one piece if they cannot be equal.
    const uint64_t end =
        first + numPieces / numShares + (i < numPieces % numShares);
    RankShare &share = shares[i];
    share.rank = static_cast<uint32_t>(i);
    share.units = {first, end};
    if (!folds)
      share.units = {first * slabUnits, end * slabUnits};
    const uint64_t endUnit = std::min(end * pieceUnits, numUnits);
    ranges.push_back(rangesOf(launch, *table, extents,
                              {first * pieceUnits / slabUnits,
                               (endUnit + slabUnits - 1) / slabUnits}));
    first = end;
  }
  const auto touched = std::span(memories).first(table->numTouched);
  const ScatteredWrites scattered(launch, *table, touched, ranges);
  for (uint64_t i = 0; i < numShares; ++i)
    findUses(ranges[i], touched, scattered.isCompared(), shares[i]);
  if (std::string why = scattered.problem(shares); !why.empty())
    return because(std::move(why));
  std::vector<ByteRange> joined;
  for (const ArgumentMemory &memory : reduced)
    joined.push_back(memory.bytes());
  for (const ComparedMemory &memory : scattered.memory())
    joined.push_back(memory.bytes);
  if ((table->numAccumulated != 0 || !scattered.memory().empty()) &&
      overlap(joined))
    return because("arguments into which it accumulates, or writes what "
                   "follows from more than ids, extents and arguments, share "
                   "bytes");
  for (const ByteRange &bytes : joined)
    addReadAndWritten(bytes, shares.front());
  if (meet(shares))
    return onRank0([&launch, table, ranges = std::move(ranges),
                    isCompared = scattered.isCompared()] {
      return MeetingAccesses(launch, *table, ranges, isCompared).text();
    });
  result.compared = scattered.memory();
  for (const ComparedMemory &memory : result.compared)
    for (RankShare &share : std::span(shares).subspan(1)) {
      share.read.push_back(memory.bytes);
      join(share.read);
    }
  return result;
}
