//===- LaunchRecorder.cpp - One launch of a record ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of memory always contain the state after the previous step.
//
//===----------------------------------------------------------------------===//

#include "LaunchRecorder.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace sluice;

/// Maximum number of bytes that a launch may compare beyond the declared writes
/// of its nodes.
static constexpr uint64_t maxLooked = uint64_t(1) << 30;
/// Limit on copies of memory that no recent launch used.
static constexpr uint64_t maxKnown = uint64_t(1) << 30;

LaunchRecorder::LaunchRecorder(Recorder &recorder, const RecordOptions &options,
                               std::vector<GivenMemory> given, uint64_t numRuns)
    : recorder(recorder), options(options) {
  join(std::move(given));
  uint64_t total = 0;
  for (const GivenMemory &block : blocks)
    total += block.size;
  // A second run must find everything unchanged.
  looksAtAll = options.verifies || total == 0 || numRuns <= maxLooked / total;
  wasUsed.resize(blocks.size());
  recorder.current = this;
  recorder.isInLaunch.store(true, std::memory_order_release);
}

LaunchRecorder::~LaunchRecorder() {
  recorder.current = nullptr;
  recorder.isInLaunch.store(false, std::memory_order_release);
}

/// Makes blocks of the given memory, joining overlapping ranges.
void LaunchRecorder::join(std::vector<GivenMemory> given) {
  for (GivenMemory &one : given) {
    const uint64_t size = readableBytes(one.start, one.size);
    if (size != one.size)
      recorder.noteLocked(concat(quoted(one.name), " is said to have ",
                                 one.size, " bytes, of which ", size,
                                 " can be read"));
    one.size = size;
    if (!size)
      continue;
    auto overlaps = [&](const GivenMemory &other) {
      return one.start < other.start + other.size &&
             other.start < one.start + one.size;
    };
    auto into = std::find_if(blocks.begin(), blocks.end(), overlaps);
    if (into == blocks.end()) {
      blocks.push_back(std::move(one));
      continue;
    }
    // The joined block may itself overlap with others.
    for (auto next = into;
         (next = std::find_if(into, blocks.end(), overlaps)) != blocks.end();) {
      const uint64_t end =
          std::max(one.start + one.size, next->start + next->size);
      one.start = std::min(one.start, next->start);
      one.size = end - one.start;
      one.access |= next->access;
      one.name = next->name == one.name ? one.name
                                        : concat(next->name, ", ", one.name);
      one.type = next->type == one.type ? one.type : std::string();
      if (next == into) {
        *next = {};
        continue;
      }
      blocks.erase(next);
    }
    *into = std::move(one);
  }
}

const GivenMemory *LaunchRecorder::blockOf(uint64_t address) const {
  for (const GivenMemory &block : blocks)
    if (address - block.start < block.size)
      return &block;
  return nullptr;
}

void LaunchRecorder::addValue(EncodedValues &values, std::string_view name,
                              const unsigned char *bytes, uint64_t size,
                              bool isPointer) const {
  ++values.count;
  RecordEncoder &out = values.values;
  out.text(name);
  uint64_t address = 0;
  if (size == sizeof address)
    std::memcpy(&address, bytes, sizeof address);
  const GivenMemory *block = address ? blockOf(address) : nullptr;
  if (block) {
    out.number(RecordedValue::Inside).number(size);
    out.number(static_cast<uint64_t>(block - blocks.data()));
    out.number(address - block->start);
    return;
  }
  if (isPointer) {
    out.number(address ? RecordedValue::Elsewhere : RecordedValue::Null);
    out.number(size);
    return;
  }
  const std::string_view all(reinterpret_cast<const char *>(bytes), size);
  out.number(RecordedValue::Bytes).number(size);
  out.text(all.substr(0, RecordedValue::maxBytes));
  if (size > RecordedValue::maxBytes)
    out.text(ContentHash().add(all).text());
}

void LaunchRecorder::addUnset(EncodedValues &values, std::string_view name,
                              uint64_t size) {
  ++values.count;
  values.values.text(name).number(RecordedValue::Unset).number(size);
}

template <typename Work> void LaunchRecorder::guarded(Work &&work) {
  if (recorder.file->hasEnded())
    return;
  try {
    work();
  } catch (const std::bad_alloc &) {
    recorder.file->end("there is no memory for copies of what nodes change");
  }
}

/// Sorts and joins ranges.
static std::vector<ByteRange> joined(std::vector<ByteRange> ranges) {
  std::sort(
      ranges.begin(), ranges.end(),
      [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  std::vector<ByteRange> apart;
  for (const ByteRange &range : ranges) {
    if (apart.empty() || apart.back().end < range.begin)
      apart.push_back(range);
    else
      apart.back().end = std::max(apart.back().end, range.end);
  }
  return apart;
}

std::vector<ByteRange> LaunchRecorder::allBlocks() const {
  std::vector<ByteRange> ranges;
  for (const GivenMemory &block : blocks)
    ranges.push_back({block.start, block.start + block.size});
  return joined(std::move(ranges));
}

void Recorder::firstUse(const void *memory, uint64_t size) {
  const auto start = reinterpret_cast<uint64_t>(memory);
  if (current)
    current->firstUse({start, start + size});
}

/// Finds changes in sorted, disjoint ranges.
void LaunchRecorder::findChanges(const std::vector<ByteRange> &ranges,
                                 std::vector<Change> &changes) {
  changes.clear();
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    const GivenMemory &block = blocks[i];
    Change change = {i, {}, {}};
    const unsigned char *copy = recorder.known.find(block.start);
    const auto *now = reinterpret_cast<const unsigned char *>(block.start);
    const ByteRange own = {block.start, block.start + block.size};
    auto range = std::lower_bound(
        ranges.begin(), ranges.end(), own.begin,
        [](const ByteRange &one, uint64_t begin) { return one.end <= begin; });
    for (; range != ranges.end() && range->begin < own.end; ++range) {
      const ByteRange part = range->intersect(own);
      findDifferences(copy + (part.begin - own.begin),
                      now + (part.begin - own.begin), part.size(),
                      part.begin - own.begin, change.runs);
    }
    for (const RecordedRun &run : change.runs)
      change.bytes.append(reinterpret_cast<const char *>(now) + run.offset,
                          run.size);
    if (!change.runs.empty())
      changes.push_back(std::move(change));
  }
}

/// Copies the bytes of these changes to the copies.
void LaunchRecorder::takeOver(const std::vector<Change> &changes) {
  for (const Change &change : changes) {
    unsigned char *copy = recorder.known.find(blocks[change.block].start);
    size_t done = 0;
    for (const RecordedRun &run : change.runs) {
      std::memcpy(copy + run.offset, change.bytes.data() + done, run.size);
      done += run.size;
    }
  }
}

void LaunchRecorder::encode(const std::vector<Change> &changes,
                            RecordEncoder &out) {
  out.number(changes.size());
  for (const Change &change : changes) {
    RecordEncoder runs;
    uint64_t end = 0;
    for (const RecordedRun &run : change.runs) {
      runs.number(run.offset - end).number(run.size);
      end = run.offset + run.size;
    }
    out.number(change.block).number(change.runs.size());
    out.bytes += runs.bytes;
    out.text(ContentHash().add(runs.bytes).add(change.bytes).text());
    const std::string_view bytes = change.bytes;
    const bool isFill = bytes.find_first_not_of(bytes[0]) == bytes.npos;
    if (isFill)
      out.number(RecordedChange::Fill).text(bytes.substr(0, 1));
    else if (recorder.file->takeRoom(bytes.size()))
      out.number(RecordedChange::Kept).text(bytes);
    else
      out.number(RecordedChange::Cut).text({});
  }
}

void LaunchRecorder::begin(const std::string &graph,
                           const EncodedValues &arguments) {
  guarded([&] {
    std::vector<Change> found;
    std::vector<std::vector<ByteRange>> unknown(blocks.size());
    recorder.known.forgetOthers(allBlocks(), maxKnown);
    for (uint32_t i = 0; i < blocks.size(); ++i)
      recorder.known.cover({blocks[i].start, blocks[i].start + blocks[i].size},
                           unknown[i]);
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      const GivenMemory &block = blocks[i];
      unsigned char *copy = recorder.known.find(block.start);
      const auto *now = reinterpret_cast<const unsigned char *>(block.start);
      if (options.ofTasks) {
        std::memcpy(copy, now, block.size);
        continue;
      }
      // Memory without a copy counts as completely changed.
      Change change = {i, {}, {}};
      uint64_t done = 0;
      auto compareTo = [&](uint64_t end) {
        findDifferences(copy + done, now + done, end - done, done, change.runs);
        done = end;
      };
      for (const ByteRange &range : unknown[i]) {
        compareTo(range.begin - block.start);
        if (!change.runs.empty() &&
            change.runs.back().offset + change.runs.back().size == done)
          change.runs.back().size += range.size();
        else
          change.runs.push_back({done, range.size()});
        done += range.size();
      }
      compareTo(block.size);
      for (const RecordedRun &run : change.runs)
        change.bytes.append(reinterpret_cast<const char *>(now) + run.offset,
                            run.size);
      if (!change.runs.empty())
        found.push_back(std::move(change));
    }
    takeOver(found);
    const uint32_t number = recorder.graphOf(graph);
    RecordEncoder out;
    out.number(number).number(recorder.numLaunches[number]++);
    out.number(blocks.size());
    for (const GivenMemory &block : blocks)
      out.text(block.name)
          .text(block.type)
          .number(block.start)
          .number(block.size)
          .number(block.access);
    out.number(arguments.count).bytes += arguments.values.bytes;
    encode(found, out);
    recorder.file->append(RecordEvent::Launch, out.bytes);
  });
}

void LaunchRecorder::firstUse(ByteRange range) {
  guarded([&] {
    std::vector<Change> found;
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      const GivenMemory &block = blocks[i];
      if (wasUsed[i] ||
          !range.overlaps({block.start, block.start + block.size}))
        continue;
      wasUsed[i] = true;
      found.push_back({i,
                       {{0, block.size}},
                       {reinterpret_cast<const char *>(block.start),
                        static_cast<size_t>(block.size)}});
    }
    if (found.empty())
      return;
    takeOver(found);
    RecordEncoder out;
    out.number(0);
    encode(found, out);
    recorder.file->append(RecordEvent::Changes, out.bytes);
  });
}

void LaunchRecorder::beginNode(uint32_t node, bool isPoint,
                               std::span<const int64_t> extents,
                               const EncodedValues &inputs,
                               std::vector<ByteRange> mayWrite) {
  guarded([&] {
    written = looksAtAll ? allBlocks() : joined(std::move(mayWrite));
    verification = RecordedStep::NotTried;
    finding.clear();
    changes.clear();
    RecordEncoder out;
    out.number(node).number(isPoint).number(extents.size());
    for (int64_t extent : extents)
      out.signedNumber(extent);
    out.number(inputs.count).bytes += inputs.values.bytes;
    recorder.file->append(RecordEvent::NodeBegin, out.bytes);
  });
}

bool LaunchRecorder::nodeHasRun(bool isToRunAgain) {
  bool again = false;
  guarded([&] {
    findChanges(written, changes);
    if (!isToRunAgain)
      return;
    for (const Change &change : changes) {
      const unsigned char *copy =
          recorder.known.find(blocks[change.block].start);
      for (const RecordedRun &run : change.runs)
        std::memcpy(live(change) + run.offset, copy + run.offset, run.size);
    }
    again = true;
  });
  return again;
}

/// Empty if both are equal.
std::string LaunchRecorder::compare(const std::vector<Change> &first,
                                    const std::vector<Change> &second) const {
  auto isSame = [](const RecordedRun &a, const RecordedRun &b) {
    return a.offset == b.offset && a.size == b.size;
  };
  auto placeOf = [&](const Change &change, uint64_t offset) {
    return concat("byte ", offset, " of ", quoted(blocks[change.block].name));
  };
  for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i == first.size() || i == second.size() ||
        first[i].block != second[i].block) {
      const Change &only =
          i == second.size() ||
                  (i != first.size() && first[i].block < second[i].block)
              ? first[i]
              : second[i];
      return concat(placeOf(only, only.runs.front().offset),
                    " was changed in one of two runs only");
    }
    const Change &a = first[i], &b = second[i];
    if (!std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(),
                    isSame)) {
      auto [x, y] = std::mismatch(a.runs.begin(), a.runs.end(), b.runs.begin(),
                                  b.runs.end(), isSame);
      const uint64_t offset = x == a.runs.end() ? y->offset
                              : y == b.runs.end()
                                  ? x->offset
                                  : std::min(x->offset, y->offset);
      return concat("from ", placeOf(a, offset),
                    " on two runs did not change the same bytes");
    }
    if (a.bytes == b.bytes)
      continue;
    auto at = std::mismatch(a.bytes.begin(), a.bytes.end(), b.bytes.begin());
    auto index = static_cast<uint64_t>(at.first - a.bytes.begin());
    for (const RecordedRun &run : a.runs) {
      if (index < run.size)
        return concat(
            placeOf(a, run.offset + index), " became ",
            int(static_cast<unsigned char>(*at.first)), " in one run and ",
            int(static_cast<unsigned char>(*at.second)), " in another");
      index -= run.size;
    }
  }
  return {};
}

void LaunchRecorder::nodeHasRunAgain(std::string problem) {
  guarded([&] {
    std::vector<Change> second;
    findChanges(written, second);
    finding = compare(changes, second);
    if (finding.empty())
      finding = std::move(problem);
    verification = finding.empty() ? RecordedStep::Same : RecordedStep::Differs;
    for (const Change &change : second) {
      const unsigned char *copy =
          recorder.known.find(blocks[change.block].start);
      for (const RecordedRun &run : change.runs)
        std::memcpy(live(change) + run.offset, copy + run.offset, run.size);
    }
    for (const Change &change : changes) {
      size_t done = 0;
      for (const RecordedRun &run : change.runs) {
        std::memcpy(live(change) + run.offset, change.bytes.data() + done,
                    run.size);
        done += run.size;
      }
    }
  });
}

void LaunchRecorder::refuseToRunAgain(std::string why) {
  verification = RecordedStep::Refused;
  finding = std::move(why);
}

void LaunchRecorder::endNode(const EncodedValues &outputs,
                             const std::string &error) {
  guarded([&] {
    takeOver(changes);
    RecordEncoder out;
    out.number(outputs.count).bytes += outputs.values.bytes;
    encode(changes, out);
    out.number(verification).text(finding).text(error);
    recorder.file->append(RecordEvent::NodeEnd, out.bytes);
  });
}

void LaunchRecorder::end(const EncodedValues &results,
                         const std::string &error) {
  guarded([&] {
    if (!looksAtAll) {
      std::vector<Change> rest;
      findChanges(allBlocks(), rest);
      takeOver(rest);
      RecordEncoder out;
      out.number(1);
      encode(rest, out);
      if (!rest.empty())
        recorder.file->append(RecordEvent::Changes, out.bytes);
    }
    RecordEncoder out;
    out.number(results.count).bytes += results.values.bytes;
    out.text(error);
    recorder.file->append(RecordEvent::LaunchEnd, out.bytes);
  });
}
