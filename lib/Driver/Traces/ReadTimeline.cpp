//===- ReadTimeline.cpp - From a trace's events to a timeline -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns names to rows, launches to chunks, and waits to launches. Ignores
// other kinds of events.
//
//===----------------------------------------------------------------------===//

#include "TraceElements.h"
#include "sluice/Base/StableSort.h"
#include "sluice/Driver/Timeline.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <map>
#include <optional>
#include <tuple>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static uint32_t rankOf(uint32_t process) {
  return (std::max(process, 1u) - 1) / Timeline::processesPerRank;
}

std::string driver::cleanName(StringRef text) {
  const std::string name = json::fixUTF8(text);
  std::string clean;
  for (size_t i = 0; i != name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool isLatinControl = c == 0xc2 && i + 1 != name.size() &&
                                static_cast<unsigned char>(name[i + 1]) < 0xa0;
    if (isLatinControl)
      ++i;
    clean += c < 0x20 || c == 0x7f || isLatinControl ? '?' : name[i];
  }
  return clean;
}

namespace {
class TimelineReader {
public:
  Error readEvent(const json::Object &event);
  /// Whether it has events, but none written by Sluice.
  bool hasOthersOnly() const {
    return isForeign && timeline.spans.empty() && timeline.launches.empty();
  }
  Timeline finish();

private:
  using RowKey = std::pair<uint32_t, uint32_t>;
  /// The position of an arrow's end at a message.
  struct End {
    bool isKnown = false;
    RowKey row;
    int64_t time = 0;
  };
  /// Wait of a launch for memory.
  struct Wait {
    uint32_t rank, name;
    int64_t start, end;
  };

  uint32_t nameOf(StringRef name) {
    auto [entry, isNew] = known.try_emplace(name, timeline.names.size());
    if (isNew)
      timeline.names.push_back(cleanName(name));
    return entry->second;
  }
  Error readMetadata(const json::Object &event, uint32_t process);
  Error readSpan(const json::Object &event, RowKey row);
  Error readArrow(const json::Object &event, RowKey row, bool isEnd);
  void readGraph(const json::Object &arguments, uint32_t process);
  void sortRows();
  void sortLaunches();
  void findLaunches();
  void findMemoryWaits();
  void findMessages();

  Timeline timeline;
  StringMap<uint32_t> known;
  std::map<uint32_t, Timeline::Process> processes;
  /// Rows by their place in the trace, and in the order in which they were
  /// found.
  std::map<RowKey, uint32_t> rowNumbers;
  std::map<RowKey, std::string> rowNames;
  /// For each launch name in the trace, its index in `launches`.
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> launchNumbers;
  /// By span: the trace's number of its launch; 0 for none.
  std::vector<uint64_t> launchOfSpan;
  std::vector<Wait> waits;
  /// By name: the begins and the ends of arrows.
  std::map<std::string, std::pair<End, End>, std::less<>> arrows;
  /// Whether there are events that Sluice does not write.
  bool isForeign = false;
  /// Nodes of graphs, by rank and name.
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> graphOfNode;
};
} // namespace

static std::optional<uint64_t> wholeNumber(const json::Object &object,
                                           StringRef key) {
  const json::Value *value = object.get(key);
  return value ? value->getAsUINT64() : std::nullopt;
}

/// Converts a time in microseconds to nanoseconds.
static Expected<int64_t> timeOf(const json::Object &event, StringRef key) {
  std::optional<double> time = event.getNumber(key);
  constexpr double most = 1e14; // three years
  if (!time || !(*time >= 0 && *time <= most))
    return createStringError("expected \"" + key +
                             "\" of the event to be microseconds");
  return std::llround(*time * 1000);
}

Error TimelineReader::readEvent(const json::Object &event) {
  std::optional<StringRef> phase = event.getString("ph");
  if (!phase)
    return createStringError("expected the event to have a \"ph\"");
  const bool isArrow = *phase == "s" || *phase == "f";
  isForeign |= *phase == "B" || *phase == "b" || *phase == "E";
  if (*phase != "X" && *phase != "M" &&
      !(isArrow && event.getString("cat") == "message"))
    return Error::success();
  std::optional<uint64_t> process = wholeNumber(event, "pid");
  constexpr uint64_t mostProcesses = 1u << 30;
  if (!process || *process > mostProcesses)
    return createStringError("expected \"pid\" of the event to be the number "
                             "of a process");
  const auto number = static_cast<uint32_t>(*process);
  if (*phase == "M" && event.getString("name") != "thread_name")
    return readMetadata(event, number);
  std::optional<uint64_t> row = wholeNumber(event, "tid");
  if (!row || *row > UINT32_MAX)
    return createStringError("expected \"tid\" of the event to be the number "
                             "of a row");
  const RowKey key = {number, static_cast<uint32_t>(*row)};
  if (*phase == "X")
    return readSpan(event, key);
  if (isArrow)
    return readArrow(event, key, *phase == "f");
  if (const json::Object *arguments = event.getObject("args"))
    rowNames[key] = cleanName(arguments->getString("name").value_or(""));
  return Error::success();
}

Error TimelineReader::readMetadata(const json::Object &event,
                                   uint32_t process) {
  const json::Object *arguments = event.getObject("args");
  if (!arguments)
    return Error::success();
  StringRef name = event.getString("name").value_or("");
  Timeline::Process &known = processes[process];
  known.number = process;
  if (name == "process_name")
    known.name = cleanName(arguments->getString("name").value_or(""));
  else if (name == "process_labels")
    known.about = cleanName(arguments->getString("labels").value_or(""));
  else if (name == "sluice_graph")
    readGraph(*arguments, process);
  return Error::success();
}

void TimelineReader::readGraph(const json::Object &arguments,
                               uint32_t process) {
  const json::Array *nodes = arguments.getArray("nodes");
  const json::Array *edges = arguments.getArray("edges");
  if (!nodes || !edges)
    return;
  const uint32_t rank = rankOf(process);
  const uint32_t graph = nameOf(arguments.getString("graph").value_or(""));
  std::vector<uint32_t> names;
  for (const json::Value &node : *nodes) {
    names.push_back(nameOf(node.getAsString().value_or("")));
    graphOfNode[{rank, names.back()}] = graph;
  }
  for (const json::Value &edge : *edges) {
    const json::Array *ends = edge.getAsArray();
    if (!ends || ends->size() != 2)
      continue;
    std::optional<uint64_t> from = (*ends)[0].getAsUINT64(),
                            to = (*ends)[1].getAsUINT64();
    if (from && to && *from < names.size() && *to < names.size())
      timeline.edges.push_back({rank, names[*from], names[*to]});
  }
}

Error TimelineReader::readArrow(const json::Object &event, RowKey row,
                                bool isEnd) {
  std::optional<StringRef> id = event.getString("id");
  if (!id)
    return Error::success();
  Expected<int64_t> time = timeOf(event, "ts");
  if (!time)
    return time.takeError();
  auto &[begin, end] = arrows[id->str()];
  (isEnd ? end : begin) = {true, row, *time};
  return Error::success();
}

Error TimelineReader::readSpan(const json::Object &event, RowKey row) {
  using Kind = Timeline::Kind;
  StringRef category = event.getString("cat").value_or("");
  auto kind = StringSwitch<std::optional<Kind>>(category)
                  .Case("chunk", Kind::Chunk)
                  .Case("task", Kind::Task)
                  .Cases({"kernel", "replay"}, Kind::Kernel)
                  .Cases({"upload", "download", "copy"}, Kind::Transfer)
                  .Case("message", Kind::Message)
                  .Case("compile", Kind::Compile)
                  .Default(std::nullopt);
  if (!kind && category != "launch" && category != "memory") {
    isForeign = true;
    return Error::success();
  }
  Expected<int64_t> start = timeOf(event, "ts");
  if (!start)
    return start.takeError();
  Expected<int64_t> duration = timeOf(event, "dur");
  if (!duration)
    return duration.takeError();
  const int64_t end = *start + *duration;
  const uint32_t rank = rankOf(row.first);
  const uint32_t name = nameOf(event.getString("name").value_or(""));
  static const json::Object nothing;
  const json::Object *arguments = event.getObject("args");
  arguments = arguments ? arguments : &nothing;
  const uint64_t launch = wholeNumber(*arguments, "launch").value_or(0);
  if (category == "memory") {
    waits.push_back({rank, name, *start, end});
    return Error::success();
  }
  if (category == "launch") {
    if (launch)
      launchNumbers.try_emplace({rank, launch}, timeline.launches.size());
    timeline.launches.push_back({name, rank, *start, end, *start});
    return Error::success();
  }
  auto [entry, isNew] = rowNumbers.try_emplace(row, rowNumbers.size());
  const uint64_t first = wholeNumber(*arguments, "begin").value_or(0),
                 last = wholeNumber(*arguments, "end").value_or(0);
  const uint64_t bytes = wholeNumber(*arguments, "bytes").value_or(0);
  timeline.spans.push_back({*kind, name, entry->second, Timeline::none, *start,
                            end, last > first ? last - first : bytes});
  launchOfSpan.push_back(launch);
  return Error::success();
}

/// Sorts rows in the order of a trace viewer. Keeps rows of workers even
/// without events.
void TimelineReader::sortRows() {
  auto isWorkerName = [](StringRef name) {
    return name.starts_with("worker ") || name == "host (worker 0)";
  };
  for (auto &[key, name] : rowNames)
    if (isWorkerName(name))
      rowNumbers.try_emplace(key, rowNumbers.size());
  std::vector<uint32_t> places(rowNumbers.size());
  for (auto &[key, number] : rowNumbers) {
    places[number] = timeline.rows.size();
    auto name = rowNames.find(key);
    Timeline::Row row = {key.first, key.second, rankOf(key.first), false,
                         name == rowNames.end()
                             ? "row " + std::to_string(key.second)
                             : name->second};
    row.isWorker = isWorkerName(row.name);
    timeline.rows.push_back(std::move(row));
    processes[key.first].number = key.first;
  }
  for (Timeline::Span &span : timeline.spans) {
    span.row = places[span.row];
    if (span.kind == Timeline::Kind::Chunk || span.kind == Timeline::Kind::Task)
      timeline.rows[span.row].isWorker = true;
  }
}

/// Sorts launches by their starts, and updates everything that refers to them.
void TimelineReader::sortLaunches() {
  const size_t number = timeline.launches.size();
  std::vector<uint32_t> order(number), places(number);
  for (uint32_t i = 0; i != number; ++i)
    order[i] = i;
  stableSort(order, [&](uint32_t a, uint32_t b) {
    return timeline.launches[a].start < timeline.launches[b].start;
  });
  std::vector<Timeline::Launch> sorted;
  for (uint32_t launch : order) {
    places[launch] = sorted.size();
    sorted.push_back(timeline.launches[launch]);
  }
  timeline.launches = std::move(sorted);
  for (auto &[key, launch] : launchNumbers)
    launch = places[launch];
}

/// Chunks name their launches. Any other span belongs to the launch that
/// started last, among launches of a graph with that node or launches without a
/// graph.
void TimelineReader::findLaunches() {
  // By rank and name of the graph; `none` stands for launches without a graph.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> byGraph;
  std::map<std::pair<uint32_t, uint32_t>, bool> hasGraph;
  for (auto &[node, graph] : graphOfNode)
    hasGraph[{node.first, graph}] = true;
  for (uint32_t i = 0; i != timeline.launches.size(); ++i) {
    const Timeline::Launch &launch = timeline.launches[i];
    const bool isGraph = hasGraph.count({launch.rank, launch.name});
    byGraph[{launch.rank, isGraph ? launch.name : Timeline::none}].push_back(i);
  }
  for (auto [span, number] : zip_equal(timeline.spans, launchOfSpan)) {
    const uint32_t rank = timeline.rows[span.row].rank;
    if (number) {
      auto found = launchNumbers.find({rank, number});
      if (found != launchNumbers.end())
        span.launch = found->second;
      continue;
    }
    auto graph = graphOfNode.find({rank, span.name});
    auto launches = byGraph.find(
        {rank, graph == graphOfNode.end() ? Timeline::none : graph->second});
    if (launches == byGraph.end())
      continue;
    auto next = upper_bound(launches->second, span.start,
                            [&](int64_t time, uint32_t launch) {
                              return time < timeline.launches[launch].start;
                            });
    if (next != launches->second.begin() &&
        timeline.launches[*std::prev(next)].end >= span.start)
      span.launch = *std::prev(next);
  }
}

/// A launch that waited for memory starts when the wait has ended.
void TimelineReader::findMemoryWaits() {
  stableSort(waits, [](const Wait &a, const Wait &b) { return a.end < b.end; });
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> byName;
  for (uint32_t i = 0; i != timeline.launches.size(); ++i)
    byName[{timeline.launches[i].rank, timeline.launches[i].name}].push_back(i);
  std::map<std::pair<uint32_t, uint32_t>, size_t> numTaken;
  for (const Wait &wait : waits) {
    auto launches = byName.find({wait.rank, wait.name});
    if (launches == byName.end())
      continue;
    size_t &taken = numTaken[launches->first];
    while (taken != launches->second.size() &&
           timeline.launches[launches->second[taken]].start < wait.end)
      ++taken;
    if (taken != launches->second.size())
      timeline.launches[launches->second[taken++]].asked = wait.start;
  }
}

/// The ends of arrows lie in messages, which in a row do not overlap.
void TimelineReader::findMessages() {
  if (arrows.empty())
    return;
  std::map<RowKey, std::vector<uint32_t>> byRow;
  for (uint32_t i = 0; i != timeline.spans.size(); ++i)
    if (timeline.spans[i].kind == Timeline::Kind::Message) {
      const Timeline::Row &row = timeline.rows[timeline.spans[i].row];
      byRow[{row.process, row.number}].push_back(i);
    }
  auto spanAt = [&](const End &end) {
    auto spans = byRow.find(end.row);
    if (!end.isKnown || spans == byRow.end())
      return Timeline::none;
    auto next =
        upper_bound(spans->second, end.time, [&](int64_t time, uint32_t span) {
          return time < timeline.spans[span].start;
        });
    return next == spans->second.begin() ? Timeline::none : *std::prev(next);
  };
  for (const auto &[id, ends] : arrows) {
    const uint32_t sent = spanAt(ends.first), received = spanAt(ends.second);
    if (sent != Timeline::none && received != Timeline::none &&
        sent != received)
      timeline.messages.push_back({sent, received});
  }
}

Timeline TimelineReader::finish() {
  sortRows();
  sortLaunches();
  findLaunches();
  findMemoryWaits();
  stableSort(timeline.spans,
             [](const Timeline::Span &a, const Timeline::Span &b) {
               return std::tie(a.start, a.end) < std::tie(b.start, b.end);
             });
  findMessages();
  for (auto &[number, process] : processes)
    timeline.processes.push_back(std::move(process));
  bool isFirst = true;
  auto include = [&](int64_t start, int64_t end) {
    timeline.begin = isFirst ? start : std::min(timeline.begin, start);
    timeline.end = isFirst ? end : std::max(timeline.end, end);
    isFirst = false;
  };
  for (const Timeline::Span &span : timeline.spans)
    include(span.start, span.end);
  for (const Timeline::Launch &launch : timeline.launches)
    include(launch.asked, launch.end);
  return std::move(timeline);
}

Expected<Timeline> driver::readTimeline(StringRef text, StringRef path) {
  TimelineReader reader;
  if (Error error =
          forEachEvent(text, path, [&](const json::Object &event) -> Error {
            return reader.readEvent(event);
          }))
    return std::move(error);
  if (reader.hasOthersOnly())
    return createStringError(path + ": none of its events is of a run of "
                                    "Sluice; SLUICE_TRACE=FILE makes such "
                                    "traces");
  return reader.finish();
}
