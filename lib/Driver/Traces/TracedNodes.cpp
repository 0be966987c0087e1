//===- TracedNodes.cpp - Times of the nodes of a drawing ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/TracedNodes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

#include <array>
#include <cmath>

using namespace llvm;
using namespace sluice::driver;

TracedNodes::TracedNodes(const Timeline &timeline, const TraceReport &report)
    : timeline(timeline), report(report) {
  for (const Timeline::Row &row : timeline.rows)
    numRanks = std::max(numRanks, row.rank + 1);
  // Ranks are numbered from 0, but a file may be anything.
  constexpr uint32_t mostRanks = 1u << 16;
  numRanks = std::min(numRanks, mostRanks);
  for (const TraceReport::NodeUse &use : report.nodes) {
    whole += use.time;
    Use &added = uses[use.name];
    added.use = &use;
    sorted.push_back(use.name);
    addFused(use.name);
  }
  llvm::sort(sorted, [&](uint32_t a, uint32_t b) {
    return timeline.names[a] < timeline.names[b];
  });
  for (const Timeline::Span &span : timeline.spans) {
    if (!span.isWork())
      continue;
    Use &use = uses[span.name];
    use.isTask |= span.kind == Timeline::Kind::Task;
    if (numRanks == 1)
      continue;
    const uint32_t rank = timeline.rows[span.row].rank;
    if (use.ofRanks.size() <= rank && rank < numRanks)
      use.ofRanks.resize(rank + 1);
    if (rank < numRanks)
      use.ofRanks[rank] += double(span.end - span.start);
  }
}

std::vector<std::string> sluice::driver::pathsOfFused(StringRef name) {
  SmallVector<StringRef> parts;
  name.split(parts, '+');
  constexpr size_t mostParts = 64;
  if (parts.size() < 2 || parts.size() > mostParts)
    return {};
  const StringRef first = parts.front();
  std::vector<std::string> paths = {first.str()};
  for (StringRef part : ArrayRef(parts).drop_front()) {
    const bool isChild = !part.contains('/');
    for (size_t end = first.rfind('/'); end != StringRef::npos;
         end = first.take_front(end).rfind('/')) {
      paths.push_back((first.take_front(end + 1) + part).str());
      if (isChild)
        break;
    }
  }
  return paths;
}

void TracedNodes::addFused(uint32_t name) {
  for (const std::string &path : pathsOfFused(timeline.names[name]))
    fused[path].push_back(name);
}

std::optional<NodeTime> TracedNodes::takeAll(std::vector<uint32_t> names) {
  for (uint32_t name : names)
    uses[name].isTaken = true;
  return sum(std::move(names));
}

std::optional<NodeTime> TracedNodes::take(StringRef wanted) {
  const std::string path = cleanName(wanted);
  auto text = [&](uint32_t name) { return StringRef(timeline.names[name]); };
  const std::string below = path + "/";
  std::vector<uint32_t> names;
  auto addFrom = [&](StringRef start, auto isWanted) {
    for (auto name = partition_point(
             sorted, [&](uint32_t name) { return text(name) < start; });
         name != sorted.end() && isWanted(text(*name)); ++name)
      names.push_back(*name);
  };
  addFrom(path, [&](StringRef name) { return name == path; });
  addFrom(below, [&](StringRef name) { return name.starts_with(below); });
  const bool isAlone = !fused.contains(path);
  if (!isAlone)
    append_range(names, fused[path]);
  std::optional<NodeTime> time = takeAll(std::move(names));
  if (time)
    time->isShared = !isAlone;
  return time;
}

std::optional<NodeTime> TracedNodes::takeTask(StringRef wanted) {
  const std::string name = cleanName(wanted);
  std::vector<uint32_t> names;
  for (auto one = partition_point(
           sorted, [&](uint32_t one) { return timeline.names[one] < name; });
       one != sorted.end() && timeline.names[*one] == name; ++one)
    names.push_back(*one);
  return takeAll(std::move(names));
}

std::optional<NodeTime> TracedNodes::sum(std::vector<uint32_t> names) const {
  llvm::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty())
    return std::nullopt;
  NodeTime time;
  uint64_t numTasks = 0;
  for (uint32_t name : names) {
    const Use &one = uses.at(name);
    time.total += one.use->time;
    time.onPath += one.use->onPath;
    time.numParts += one.use->numSpans;
    time.longest = std::max(time.longest, one.use->longest);
    if (one.isTask || !one.use->numLaunches)
      numTasks += one.use->numSpans;
    else
      time.numCalls = std::max(time.numCalls, one.use->numLaunches);
    if (time.ofRanks.size() < one.ofRanks.size())
      time.ofRanks.resize(one.ofRanks.size());
    for (size_t rank = 0; rank != one.ofRanks.size(); ++rank)
      time.ofRanks[rank] += one.ofRanks[rank];
  }
  time.numCalls += numTasks;
  time.share = whole > 0 ? time.total / whole : 0;
  time.names = std::move(names);
  return time;
}

std::vector<std::string> TracedNodes::unknown() const {
  std::vector<std::string> names;
  for (const TraceReport::NodeUse &use : report.nodes)
    if (!uses.at(use.name).isTaken)
      names.push_back(timeline.names[use.name]);
  return names;
}

Expected<std::unique_ptr<TraceFile>>
sluice::driver::readTraceFile(StringRef path) {
  auto text = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!text)
    return createStringError("cannot read '" + path +
                             "': " + text.getError().message());
  Expected<Timeline> timeline = readTimeline((*text)->getBuffer(), path);
  if (!timeline)
    return timeline.takeError();
  auto file = std::make_unique<TraceFile>();
  file->timeline = std::move(*timeline);
  file->report = analyseTimeline(file->timeline);
  return std::move(file);
}

std::string sluice::driver::colourOf(const std::optional<NodeTime> &time) {
  if (!time)
    return "#eeeeee";
  // Even the darkest colour is light enough for black text. The square root
  // makes small shares distinguishable.
  static constexpr std::array<int, 3> colours[] = {
      {255, 250, 235}, {253, 212, 158}, {252, 141, 89}, {226, 82, 56}};
  const double place = 3 * std::sqrt(std::clamp(time->share, 0.0, 1.0));
  const auto from = std::min(2u, unsigned(place));
  std::string text = "#";
  for (unsigned i = 0; i != 3; ++i) {
    const int begin = colours[from][i], end = colours[from + 1][i];
    raw_string_ostream(text) << format(
        "%02x",
        begin + int(std::lround((end - begin) * (place - double(from)))));
  }
  return text;
}

std::string sluice::driver::spellNodeTime(const std::optional<NodeTime> &time) {
  if (!time)
    return "";
  std::string text = spellTime(time->total);
  raw_string_ostream(text) << format(", %.1f %%", 100 * time->share)
                           << (time->isShared ? ", fused" : "");
  return text;
}
