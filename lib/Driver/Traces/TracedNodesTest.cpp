//===- TracedNodesTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that pictures and pages take from traces: times of nodes, compared
// with sums over all events, and bars, compared with results for every
// nanosecond.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/TracedNodes.h"
#include "TimelinePage.h"
#include "sluice/Base/Text.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace sluice;
using namespace sluice::driver;
using Bars = std::vector<TimelineBar>;

//===----------------------------------------------------------------------===//
// Bars
//===----------------------------------------------------------------------===//

/// Some bars overlap, and some have no duration.
static Bars randomBars(std::mt19937 &random, unsigned most) {
  Bars bars(random() % most);
  int64_t at = random() % 5;
  for (TimelineBar &bar : bars) {
    bar = {at, at + int64_t(random() % 12), uint32_t(random() % 3)};
    at += random() % 15;
  }
  return bars;
}

TEST(TimelineBars, MergeWhatIsShortAndKeepAllElse) {
  std::mt19937 random(1);
  for (unsigned round = 0; round != 500; ++round) {
    const Bars bars = randomBars(random, 40);
    const int64_t resolution = random() % 40;
    const Bars merged = mergeBars(bars, resolution);
    size_t next = 0;
    for (size_t i = 0; i != merged.size(); ++i) {
      const TimelineBar &bar = merged[i];
      ASSERT_LE(next + bar.count, bars.size());
      const Bars parts(bars.begin() + next, bars.begin() + next + bar.count);
      next += bar.count;
      int64_t end = 0;
      std::set<int64_t> busy;
      std::map<uint32_t, int64_t> times;
      for (const TimelineBar &part : parts) {
        end = std::max(end, part.end);
        times[part.what] += part.end - part.start;
        for (int64_t time = part.start; time != part.end; ++time)
          busy.insert(time);
      }
      EXPECT_EQ(bar.start, parts.front().start);
      EXPECT_EQ(bar.end, end);
      for (auto [what, time] : times)
        EXPECT_LE(time, times[bar.what]);
      if (bar.count > 1) {
        EXPECT_LE(bar.end - bar.start, resolution);
        EXPECT_EQ(bar.busy, int64_t(busy.size()));
        EXPECT_EQ(bar.of, Timeline::none);
      }
      if (next != bars.size())
        EXPECT_GT(std::max(end, bars[next].end) - bar.start, resolution);
    }
    EXPECT_EQ(next, bars.size());
  }
}

TEST(TimelineBars, AreAsManyAsAskedForAtMost) {
  std::mt19937 random(2);
  for (unsigned round = 0; round != 300; ++round) {
    std::vector<Bars> rows(1 + random() % 4);
    size_t number = 0, numRows = 0;
    for (Bars &row : rows) {
      row = randomBars(random, 200);
      number += row.size();
      numRows += !row.empty();
    }
    const size_t most = 1 + random() % 100;
    const std::vector<Bars> before = rows;
    const int64_t resolution = mergeRows(rows, most);
    size_t left = 0, all = 0;
    for (const Bars &row : rows) {
      left += row.size();
      for (const TimelineBar &bar : row)
        all += bar.count;
    }
    EXPECT_EQ(all, number);
    EXPECT_LE(left, std::max(most, numRows));
    EXPECT_EQ(resolution == 0, number <= most);
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// A trace with a chunk of `time` ns for each name, on ranks in turn.
static Timeline timelineOf(const std::vector<std::pair<std::string, int>> &runs,
                           const char *category = "chunk",
                           unsigned numRanks = 1) {
  std::string text = "[";
  int at = 0;
  for (size_t i = 0; i != runs.size(); ++i) {
    std::string name;
    llvm::raw_string_ostream(name) << llvm::json::Value(runs[i].first);
    text += concat(
        i ? "," : "",
        "{\"ph\":\"X\",\"pid\":", 1 + i % numRanks * Timeline::processesPerRank,
        ",\"tid\":0,\"cat\":\"", category, "\",\"name\":", name, ",\"ts\":0.",
        std::to_string(1000 + at).substr(1), ",\"dur\":0.",
        std::to_string(1000 + runs[i].second).substr(1), "}");
    at += runs[i].second;
  }
  llvm::Expected<Timeline> timeline = readTimeline(text + "]", "t.json");
  EXPECT_TRUE(bool(timeline)) << llvm::toString(timeline.takeError());
  return std::move(*timeline);
}

namespace {
struct Traced {
  explicit Traced(Timeline made)
      : timeline(std::move(made)), report(analyseTimeline(timeline)),
        nodes(timeline, report) {}
  double total(const std::string &path) {
    std::optional<NodeTime> time = nodes.take(path);
    return time ? time->total : -1;
  }
  bool isShared(const std::string &path) {
    std::optional<NodeTime> time = nodes.take(path);
    return time && time->isShared;
  }
  Timeline timeline;
  TraceReport report;
  TracedNodes nodes;
};
} // namespace

TEST(TracedNodes, AreFoundByTheirPaths) {
  Traced traced(timelineOf({{"g/a", 1},
                            {"g/a", 2},
                            {"g/a#2", 4},
                            {"g/ab", 8},
                            {"g/f/b", 16},
                            {"g/f/h/c", 32},
                            {"other/a", 64}}));
  EXPECT_EQ(traced.nodes.numNodes(), 6u);
  EXPECT_EQ(traced.total("g/a"), 3);
  EXPECT_EQ(traced.total("g/a#2"), 4);
  EXPECT_EQ(traced.total("g/f"), 48);
  EXPECT_EQ(traced.total("g/f/h"), 32);
  EXPECT_EQ(traced.total("g/c"), -1);
  EXPECT_EQ(traced.total(""), -1);
  EXPECT_FALSE(traced.isShared("g/a"));
  EXPECT_EQ(traced.nodes.unknown(),
            (std::vector<std::string>{"other/a", "g/ab"}));
  EXPECT_EQ(traced.total("g"), 63);
  EXPECT_EQ(traced.nodes.unknown(), std::vector<std::string>{"other/a"});
}

TEST(TracedNodes, HaveTheTimeOfWhatTheyWereFusedInto) {
  Traced traced(timelineOf(
      {{"g/x+y+z", 1}, {"g/f/p+q", 2}, {"g/f/m+h/n", 4}, {"g/y", 8}}));
  EXPECT_EQ(traced.total("g/x"), 1);
  EXPECT_EQ(traced.total("g/y"), 9);
  EXPECT_EQ(traced.total("g/z"), 1);
  EXPECT_EQ(traced.total("g/f/p"), 2);
  EXPECT_EQ(traced.total("g/f/q"), 2);
  EXPECT_EQ(traced.total("g/q"), -1);
  EXPECT_EQ(traced.total("g/h/n"), 4);
  EXPECT_TRUE(traced.isShared("g/x"));
  EXPECT_TRUE(traced.isShared("g/y"));
  EXPECT_EQ(traced.total("g/f"), 6);
  EXPECT_TRUE(traced.nodes.unknown().empty());
  EXPECT_EQ(spellNodeTime(traced.nodes.take("g/x")), "1 ns, 6.7 %, fused");
}

TEST(TracedNodes, OfRegionsHaveNoPaths) {
  Traced traced(
      timelineOf({{"sweep", 3}, {"sweep", 5}, {"sweep/2", 7}}, "task"));
  std::optional<NodeTime> time = traced.nodes.takeTask("sweep");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->total, 8);
  EXPECT_EQ(time->numCalls, 2u);
  EXPECT_EQ(time->longest, 5);
  EXPECT_FALSE(traced.nodes.takeTask("swee"));
  EXPECT_EQ(traced.nodes.unknown(), std::vector<std::string>{"sweep/2"});
}

TEST(TracedNodes, AddUpWhatEachRankDid) {
  std::mt19937 random(3);
  for (unsigned round = 0; round != 50; ++round) {
    const unsigned numRanks = 1 + random() % 3;
    std::vector<std::pair<std::string, int>> runs;
    std::map<std::string, std::vector<double>> times;
    double whole = 0;
    for (unsigned i = 0, e = numRanks + random() % 20; i != e; ++i) {
      const std::string name = concat("g/", random() % 4);
      runs.push_back({name, int(random() % 30)});
      times[name].resize(numRanks);
      times[name][i % numRanks] += runs.back().second;
      whole += runs.back().second;
    }
    Traced traced(timelineOf(runs, "kernel", numRanks));
    for (const auto &[name, ofRanks] : times) {
      std::optional<NodeTime> time = traced.nodes.take(name);
      ASSERT_TRUE(time);
      double total = 0;
      for (double one : ofRanks)
        total += one;
      EXPECT_EQ(time->total, total);
      EXPECT_EQ(time->share, whole > 0 ? total / whole : 0);
      if (numRanks == 1) {
        EXPECT_TRUE(time->ofRanks.empty());
        continue;
      }
      for (size_t rank = 0; rank != numRanks; ++rank)
        EXPECT_EQ(rank < time->ofRanks.size() ? time->ofRanks[rank] : 0,
                  ofRanks[rank]);
    }
  }
}

TEST(TracedNodes, GetDarkerTheMoreTimeTheyTake) {
  auto brightness = [](double share) {
    NodeTime time;
    time.share = share;
    const std::string colour = colourOf(time);
    EXPECT_EQ(colour.size(), 7u);
    int sum = 0;
    for (size_t i = 1; i != 7; i += 2)
      sum += std::stoi(colour.substr(i, 2), nullptr, 16);
    return sum;
  };
  for (int percent = 0; percent != 100; ++percent)
    EXPECT_GT(brightness(percent / 100.0), brightness((percent + 1) / 100.0));
  EXPECT_EQ(brightness(7), brightness(1));
  EXPECT_EQ(colourOf(std::nullopt), "#eeeeee");
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

static llvm::json::Object pageOf(const Traced &traced, size_t most) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  TimelinePage(traced.timeline, traced.report, most).write(json);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  EXPECT_TRUE(bool(value)) << text;
  return std::move(*value->getAsObject());
}

TEST(TimelinePage, HasEveryEventWhereThereIsRoom) {
  std::vector<std::pair<std::string, int>> runs;
  std::mt19937 random(4);
  for (unsigned i = 0; i != 25; ++i)
    runs.push_back({concat("g/\"<\xff", random() % 5), int(random() % 30)});
  runs.push_back({"g/last", 3});
  for (auto &[name, time] : runs)
    name = llvm::json::fixUTF8(name);
  Traced traced(timelineOf(runs));
  llvm::json::Object page = pageOf(traced, 100);
  EXPECT_EQ(page.getInteger("resolution"), 0);
  const llvm::json::Object &bars =
      *(*page.getArray("rows"))[0].getAsObject()->getObject("bars");
  EXPECT_FALSE(bars.get("count"));
  auto number = [&](const char *list, size_t index) {
    return *(*bars.getArray(list))[index].getAsInteger();
  };
  ASSERT_EQ(bars.getArray("start")->size(), runs.size());
  int64_t at = 0;
  for (size_t i = 0; i != runs.size(); ++i) {
    const Timeline::Span &span = traced.timeline.spans[i];
    at += number("start", i);
    EXPECT_EQ(at, span.start - traced.timeline.begin);
    EXPECT_EQ(number("time", i), span.end - span.start);
    EXPECT_EQ((*page.getArray("names"))[number("what", i)].getAsString(),
              llvm::StringRef(traced.timeline.names[span.name]));
  }
  // The path is exactly one row's bars.
  EXPECT_EQ(page.getInteger("length"),
            traced.timeline.end - traced.timeline.begin);
}

TEST(TimelinePage, IsBoundedWhateverTheTraceIs) {
  std::vector<std::pair<std::string, int>> runs;
  for (unsigned i = 0; i != 500; ++i)
    runs.push_back({concat("g/", i), 1});
  Traced traced(timelineOf(runs));
  llvm::json::Object page = pageOf(traced, 20);
  const llvm::json::Object &bars =
      *(*page.getArray("rows"))[0].getAsObject()->getObject("bars");
  int64_t count = 0;
  for (const llvm::json::Value &number : *bars.getArray("count"))
    count += *number.getAsInteger();
  EXPECT_EQ(count, 500);
  EXPECT_LE(bars.getArray("start")->size(), 20u);
  EXPECT_LE(page.getArray("names")->size(), 20u);
}

TEST(TimelinePage, OfNothingIsEmpty) {
  Traced traced(timelineOf({}));
  EXPECT_TRUE(pageOf(traced, 10).getArray("rows")->empty());
}
