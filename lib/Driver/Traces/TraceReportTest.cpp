//===- TraceReportTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random runs of random graphs, as a trace would record them. The reports are
// compared with results computed from every nanosecond and every pair of
// chunks.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/TraceReport.h"
#include "IntervalUnion.h"
#include "sluice/Base/Text.h"

#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <set>

using namespace sluice;
using namespace sluice::driver;

namespace {
struct Chunk {
  unsigned node, launch, worker;
  int64_t start, end;
};
struct Launch {
  int64_t asked, start, end;
};

/// Launches of one graph on some workers, all times small.
struct RandomRun {
  explicit RandomRun(unsigned seed) : random(seed) {
    numNodes = number(1, 6), numWorkers = number(1, 4);
    for (unsigned to = 0; to != numNodes; ++to)
      for (unsigned from = 0; from != to; ++from)
        if (number(0, 2) == 0)
          edges.push_back({from, to});
    int64_t now = number(0, 5);
    std::vector<int64_t> free(numWorkers, 0);
    for (unsigned launch = 0, e = number(1, 6); launch != e; ++launch)
      runLaunch(launch, now, free);
  }
  int64_t number(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  }
  void runLaunch(unsigned launch, int64_t &now, std::vector<int64_t> &free) {
    // A launch may begin before others have ended, but no two begin at the same
    // time.
    const int64_t asked = now + 1;
    const int64_t start = asked + (number(0, 2) ? 0 : number(1, 9));
    std::vector<int64_t> ends(numNodes, start);
    int64_t last = start;
    for (unsigned node = 0; node != numNodes; ++node) {
      int64_t ready = start;
      for (auto [from, to] : edges)
        if (to == node)
          ready = std::max(ready, ends[from]);
      for (unsigned chunk = 0, e = number(0, 4); chunk != e; ++chunk) {
        const auto worker = unsigned(number(0, numWorkers - 1));
        const int64_t begun = std::max(free[worker], ready) + number(0, 3);
        const int64_t end = begun + number(1, 12);
        chunks.push_back({node, launch, worker, begun, end});
        free[worker] = end;
        ends[node] = std::max(ends[node], end);
      }
      ends[node] = std::max(ends[node], ready);
      last = std::max(last, ends[node]);
    }
    launches.push_back({asked, start, last + number(0, 2)});
    now = number(0, 1) ? launches.back().end + number(0, 9) : start;
  }

  static std::string time(int64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", double(nanoseconds) / 1000);
    return text;
  }
  static std::string event(unsigned row, const std::string &name,
                           const char *category, int64_t start, int64_t end,
                           const std::string &arguments) {
    return concat(",\n{\"ph\":\"X\",\"pid\":1,\"tid\":", row, ",\"name\":\"",
                  name, "\",\"cat\":\"", category, "\",\"ts\":", time(start),
                  ",\"dur\":", time(end - start), ",\"args\":{", arguments,
                  "}}");
  }
  std::string text() const {
    std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                       "{\"ph\":\"M\",\"pid\":1,\"name\":\"sluice_graph\","
                       "\"args\":{\"graph\":\"g\",\"nodes\":[";
    for (unsigned node = 0; node != numNodes; ++node)
      text += concat(node ? "," : "", "\"g/", node, '"');
    text += "],\"edges\":[";
    for (size_t i = 0; i != edges.size(); ++i)
      text +=
          concat(i ? "," : "", '[', edges[i].first, ',', edges[i].second, ']');
    text += "]}}";
    for (unsigned worker = 0; worker != numWorkers; ++worker)
      text += concat(",\n{\"ph\":\"M\",\"pid\":1,\"tid\":", worker,
                     ",\"name\":\"thread_name\",\"args\":{\"name\":\"worker ",
                     worker, "\"}}");
    for (const Chunk &chunk : chunks)
      text +=
          event(chunk.worker, concat("g/", chunk.node), "chunk", chunk.start,
                chunk.end, concat("\"launch\":", chunk.launch + 1));
    for (size_t i = 0; i != launches.size(); ++i) {
      const Launch &launch = launches[i];
      text += event(100, "g", "launch", launch.start, launch.end,
                    concat("\"launch\":", i + 1));
      if (launch.asked < launch.start)
        text += event(200, "g", "memory", launch.asked, launch.start, "");
    }
    return text + "\n]}\n";
  }

  std::mt19937 random;
  unsigned numNodes, numWorkers;
  std::vector<std::pair<unsigned, unsigned>> edges;
  std::vector<Chunk> chunks;
  std::vector<Launch> launches;
};

class TraceReportTest : public testing::TestWithParam<unsigned> {
protected:
  TraceReportTest() : run(GetParam()) {
    llvm::Expected<Timeline> read = readTimeline(run.text(), "t.json");
    EXPECT_TRUE(bool(read)) << llvm::toString(read.takeError());
    timeline = std::move(*read);
    report = analyseTimeline(timeline);
  }
  bool isEdge(unsigned from, unsigned to) const {
    return std::find(run.edges.begin(), run.edges.end(), std::pair(from, to)) !=
           run.edges.end();
  }
  bool waitsFor(const Chunk &chunk, const Chunk &other) const {
    return other.launch == chunk.launch && isEdge(other.node, chunk.node) &&
           other.end <= chunk.start;
  }
  /// The kind of wait of a worker at a time, by the definitions; none if the
  /// worker was busy.
  std::optional<WaitKind> kindAt(unsigned worker, int64_t time) const {
    const Chunk *next = nullptr;
    for (const Chunk &chunk : run.chunks) {
      if (chunk.worker != worker)
        continue;
      if (chunk.start <= time && time < chunk.end)
        return std::nullopt;
      if (chunk.start > time && (!next || chunk.start < next->start))
        next = &chunk;
    }
    bool isInFlight = false;
    for (const Launch &launch : run.launches)
      isInFlight |= launch.asked <= time && time < launch.end;
    const WaitKind idle = isInFlight ? WaitKind::Shortage : WaitKind::Nothing;
    if (!next)
      return idle;
    const Launch &launch = run.launches[next->launch];
    if (time < launch.start)
      return time < launch.asked ? idle : WaitKind::Memory;
    for (const Chunk &other : run.chunks)
      if (waitsFor(*next, other) && time < other.end)
        return WaitKind::Dependence;
    return WaitKind::Start;
  }

  RandomRun run;
  Timeline timeline;
  TraceReport report;
};
} // namespace

TEST_P(TraceReportTest, ExplainsEveryNanosecondOfEveryWorker) {
  ASSERT_EQ(timeline.rows.size(), run.numWorkers);
  std::array<double, numWaitKinds> times = {};
  for (unsigned worker = 0; worker != run.numWorkers; ++worker) {
    int64_t busy = 0;
    for (int64_t time = timeline.begin; time != timeline.end; ++time) {
      std::optional<WaitKind> kind = kindAt(worker, time), found;
      for (const TraceReport::Wait &wait : report.waits)
        if (wait.row == worker && wait.start <= time && time < wait.end) {
          EXPECT_FALSE(found) << "two waits at " << time;
          found = wait.kind;
        }
      EXPECT_EQ(int(found.value_or(WaitKind(99))),
                int(kind.value_or(WaitKind(99))))
          << "worker " << worker << " at " << time << "\n"
          << run.text();
      if (kind)
        ++times[unsigned(*kind)];
      else
        ++busy;
    }
    EXPECT_EQ(report.rows[worker].busy, busy);
  }
  EXPECT_EQ(report.waitTimes, times);
}

TEST_P(TraceReportTest, ThePathCoversTheRunAndFollowsWhatEndedLast) {
  double sum = double(report.pathTail) + report.pathOther;
  for (double time : report.pathWaits)
    sum += time;
  for (const TraceReport::NodeUse &node : report.nodes)
    sum += node.onPath;
  EXPECT_EQ(sum, double(timeline.end - timeline.begin));
  int64_t at = timeline.begin;
  for (const TraceReport::Step &step : report.path) {
    EXPECT_EQ(step.waitStart, at);
    EXPECT_LE(step.waitStart, step.start);
    EXPECT_LT(step.start, step.end);
    at = step.end;
    // The wait begins at the last end among the events that it may have waited
    // for.
    const Timeline::Span &span = timeline.spans[step.span];
    for (const Chunk &chunk : run.chunks) {
      if (chunk.worker != span.row || chunk.start != span.start)
        continue;
      EXPECT_EQ(timeline.names[span.name], concat("g/", chunk.node));
      EXPECT_EQ(span.launch, chunk.launch);
      const int64_t launched =
          std::min(chunk.start, run.launches[chunk.launch].start);
      int64_t last = timeline.begin, before = timeline.begin;
      for (const Chunk &other : run.chunks) {
        if (waitsFor(chunk, other) ||
            (other.worker == chunk.worker && other.end <= chunk.start))
          last = std::max(last, other.end);
        if (other.end <= launched)
          before = std::max(before, other.end);
      }
      EXPECT_EQ(step.waitStart, last >= launched ? last : before) << run.text();
    }
  }
  EXPECT_EQ(at + report.pathTail, timeline.end);
}

TEST_P(TraceReportTest, CountsNodes) {
  for (unsigned node = 0; node != run.numNodes; ++node) {
    double time = 0;
    uint64_t number = 0;
    std::set<unsigned> launches;
    for (const Chunk &chunk : run.chunks)
      if (chunk.node == node) {
        time += double(chunk.end - chunk.start);
        ++number;
        launches.insert(chunk.launch);
      }
    const TraceReport::NodeUse *found = nullptr;
    for (const TraceReport::NodeUse &use : report.nodes)
      if (timeline.names[use.name] == concat("g/", node))
        found = &use;
    ASSERT_EQ(found != nullptr, number != 0);
    if (!found)
      continue;
    EXPECT_EQ(found->time, time);
    EXPECT_EQ(found->numSpans, number);
    EXPECT_EQ(found->numLaunches, launches.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, TraceReportTest, testing::Range(0u, 300u));

/// Reads the text, and processes it as the command does.
static std::string outcome(const std::string &text) {
  llvm::Expected<Timeline> timeline = readTimeline(text, "t.json");
  if (!timeline)
    return llvm::toString(timeline.takeError());
  const TraceReport report = analyseTimeline(*timeline);
  std::string printed;
  llvm::raw_string_ostream os(printed);
  printTraceReport(*timeline, report, {.most = 3, .hasSteps = true}, os);
  EXPECT_FALSE(drawTimeline(*timeline, report).empty());
  return "";
}

TEST(DamagedTrace, EveryPartOfATextIsRefused) {
  const std::string text = RandomRun(7).text();
  ASSERT_EQ(outcome(text), "");
  for (size_t length = 0; length + 3 < text.size(); ++length)
    EXPECT_TRUE(
        llvm::StringRef(outcome(text.substr(0, length))).starts_with("t.json:"))
        << text.substr(0, length);
}

TEST(DamagedTrace, ChangedBytesDoNoHarm) {
  std::mt19937 random(1);
  const std::string bytes = "{}[]\",:\\0019eE-+.\n\xff\x80 x";
  for (unsigned round = 0; round != 3000; ++round) {
    std::string text = RandomRun(round % 20).text();
    for (unsigned change = 0, e = 1 + random() % 4; change != e; ++change) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text[at] = bytes[random() % bytes.size()];
        break;
      case 1:
        text.erase(at, 1 + random() % 9);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
    }
    const std::string said = outcome(text);
    EXPECT_TRUE(said.empty() || llvm::StringRef(said).starts_with("t.json:"))
        << said;
  }
}

TEST(DamagedTrace, SaysWhatIsWrongAndWhere) {
  auto expect = [](const std::string &text, const std::string &message) {
    EXPECT_EQ(outcome(text), message) << text;
  };
  auto withEvent = [](const std::string &event) {
    return "{\"traceEvents\":[\n" + event + "\n]}";
  };
  const std::string noTrace = "this is no trace: it has no \"traceEvents\"";
  expect("", "t.json:1: this is no trace: expected an array of events");
  expect("{}", "t.json:1: " + noTrace);
  expect("{\"a\":\n[1],\"b\":2}", "t.json:2: " + noTrace);
  expect("{\"traceEvents\":3}",
         "t.json:1: this is no trace: expected an array of events");
  expect(withEvent("3"), "t.json:2: expected an event, which is an object");
  expect(withEvent("{\"ph\":}"), "t.json:2: this event is damaged");
  expect(withEvent("{\"ph\":\"X\"}"),
         "t.json:2: expected \"pid\" of the event to be the number of a "
         "process");
  expect(withEvent("{\"ph\":\"X\",\"pid\":1,\"tid\":-1}"),
         "t.json:2: expected \"tid\" of the event to be the number of a row");
  for (const char *time : {"-1", "1e300", "\"1\"", "1e15"})
    expect(withEvent(concat("{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"cat\":"
                            "\"chunk\",\"name\":\"a\",\"ts\":",
                            time, ",\"dur\":1}")),
           "t.json:2: expected \"ts\" of the event to be microseconds");
  expect(withEvent(std::string(100000, '[')),
         "t.json:2: the text ends, or is damaged, within the events");
  expect(std::string(100000, '['),
         "t.json:1: the text ends, or is damaged, within the events");
  EXPECT_EQ(outcome("[]"), "");
  EXPECT_EQ(outcome(withEvent("{\"ph\":\"C\"}")), "");
}

TEST(DamagedTrace, NamesCannotChangeATerminal) {
  llvm::Expected<Timeline> timeline = readTimeline(
      "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"cat\":\"task\",\"name\":"
      "\"a\\u001b[31m\\u009bb\\u007f\\n\",\"ts\":0,\"dur\":1}]",
      "t.json");
  ASSERT_TRUE(bool(timeline));
  EXPECT_EQ(timeline->names, std::vector<std::string>{"a?[31m?b??"});
}

TEST(DamagedTrace, NamesOfAnyBytesAndLengthAreRead) {
  const std::string name = "g/\xe9" + std::string(300, 'x');
  llvm::Expected<Timeline> timeline =
      readTimeline("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"cat\":\"task\","
                   "\"name\":\"" +
                       name + "\",\"ts\":0,\"dur\":1}]",
                   "t.json");
  ASSERT_TRUE(bool(timeline));
  // A picture that looks up the name finds it.
  EXPECT_EQ(timeline->names, std::vector<std::string>{cleanName(name)});
  EXPECT_EQ(cleanName(name), "g/\xef\xbf\xbd" + std::string(300, 'x'));
  EXPECT_EQ(shortName(cleanName(name)),
            "g/\xef\xbf\xbd" + std::string(195, 'x') + "...");
  EXPECT_EQ(shortName(std::string(199, 'x') + "\xc3\xa9"),
            std::string(199, 'x') + "...");
}

TEST(IntervalUnion, IsTheUnionOfItsParts) {
  std::mt19937 random(3);
  for (unsigned round = 0; round != 200; ++round) {
    bool isCovered[64] = {};
    IntervalUnion coverage;
    for (unsigned part = 0, e = random() % 6; part != e; ++part) {
      const int64_t start = random() % 64, end = random() % 64;
      coverage.add(start, end);
      for (int64_t time = start; time < end; ++time)
        isCovered[time] = true;
    }
    coverage.finish();
    const int64_t from = random() % 64, to = random() % 64;
    int64_t at = from;
    coverage.split(from, to, [&](int64_t start, int64_t end, bool covered) {
      EXPECT_EQ(start, at);
      EXPECT_LT(start, end);
      for (int64_t time = start; time != end; ++time)
        EXPECT_EQ(isCovered[time], covered);
      at = end;
    });
    EXPECT_EQ(at, std::max(from, to));
  }
}

TEST(SpellTime, HasThreeDigits) {
  EXPECT_EQ(spellTime(0), "0 ns");
  EXPECT_EQ(spellTime(999), "999 ns");
  EXPECT_EQ(spellTime(1000), "1.00 us");
  EXPECT_EQ(spellTime(12345), "12.3 us");
  EXPECT_EQ(spellTime(999600), "1.00 ms");
  EXPECT_EQ(spellTime(123.4e6), "123 ms");
  EXPECT_EQ(spellTime(61e9), "61.0 s");
}
