//===- RankReportTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of several ranks: waiting for a message means waiting for the rank
// that sends it, until the message is under way.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Text.h"
#include "sluice/Driver/TraceReport.h"

#include <gtest/gtest.h>
#include <random>

using namespace sluice;
using namespace sluice::driver;

namespace {
/// The text of a trace of several ranks, each with one worker.
class RankTrace {
public:
  void addTask(unsigned rank, const std::string &name, int64_t start,
               int64_t end) {
    addSpan(rank, 0, name, "task", start, end);
  }
  void addLaunch(unsigned rank, int64_t start, int64_t end) {
    addSpan(rank, 1, "main", "launch", start, end);
  }
  /// The caller gives the rows of a rank's messages, since messages in one row
  /// do not overlap.
  void addMessage(unsigned from, unsigned fromRow, int64_t sent, int64_t gone,
                  unsigned to, unsigned toRow, int64_t posted,
                  int64_t received) {
    addSpan(from, fromRow, concat("to rank ", to), "message", sent, gone);
    addSpan(to, toRow, concat("from rank ", from), "message", posted, received);
    const unsigned id = numMessages++;
    addArrow(from, fromRow, id, "s", sent);
    addArrow(to, toRow, id, "f", received);
  }
  Timeline timeline() const {
    llvm::Expected<Timeline> read = readTimeline("[" + text + "]", "t.json");
    EXPECT_TRUE(bool(read)) << llvm::toString(read.takeError());
    return std::move(*read);
  }
  std::string text;

private:
  static std::string time(int64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", double(nanoseconds) / 1000);
    return text;
  }
  static std::string place(unsigned rank, unsigned row) {
    return concat("\"pid\":", 1 + rank * Timeline::processesPerRank,
                  ",\"tid\":", row);
  }
  void add(const std::string &event) {
    text += (text.empty() ? "{" : ",\n{") + event + "}";
  }
  void addSpan(unsigned rank, unsigned row, const std::string &name,
               const char *category, int64_t start, int64_t end) {
    add(concat("\"ph\":\"X\",", place(rank, row), ",\"name\":\"", name,
               "\",\"cat\":\"", category, "\",\"ts\":", time(start),
               ",\"dur\":", time(end - start)));
  }
  void addArrow(unsigned rank, unsigned row, unsigned id, const char *phase,
                int64_t at) {
    add(concat("\"ph\":\"", phase, "\",", place(rank, row),
               ",\"name\":\"message\",\"cat\":\"message\",\"id\":\"", id,
               "\",\"ts\":", time(at)));
  }
  unsigned numMessages = 0;
};
} // namespace

TEST(RankReport, WaitsForTheRankThatSends) {
  RankTrace trace;
  trace.addLaunch(0, 0, 130);
  trace.addLaunch(1, 0, 160);
  trace.addTask(0, "make", 0, 100);
  trace.addMessage(0, 2, 102, 110, 1, 2, 10, 120);
  trace.addTask(1, "use", 122, 150);
  const Timeline timeline = trace.timeline();
  ASSERT_EQ(timeline.messages.size(), 1u);
  const TraceReport report = analyseTimeline(timeline);

  struct Wait {
    int64_t start, end;
    WaitKind kind;
    std::string waitedFor;
  };
  const std::vector<Wait> expected = {{0, 10, WaitKind::Start, ""},
                                      {10, 102, WaitKind::Dependence, "make"},
                                      {102, 120, WaitKind::Transfer, ""},
                                      {120, 122, WaitKind::Start, ""},
                                      {150, 160, WaitKind::Shortage, ""}};
  std::vector<TraceReport::Wait> found;
  for (const TraceReport::Wait &wait : report.waits)
    if (timeline.rows[wait.row].rank == 1)
      found.push_back(wait);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i != found.size(); ++i) {
    EXPECT_EQ(found[i].start, expected[i].start);
    EXPECT_EQ(found[i].end, expected[i].end);
    EXPECT_EQ(int(found[i].kind), int(expected[i].kind));
    EXPECT_EQ(found[i].waitedFor == Timeline::none
                  ? ""
                  : timeline.names[found[i].waitedFor],
              expected[i].waitedFor);
  }
  // The path leads from one rank to the other.
  ASSERT_EQ(report.path.size(), 3u);
  const int64_t starts[] = {0, 102, 122}, ends[] = {100, 120, 150};
  for (size_t i = 0; i != 3; ++i) {
    EXPECT_EQ(report.path[i].start, starts[i]);
    EXPECT_EQ(report.path[i].end, ends[i]);
  }
  EXPECT_EQ(report.pathOther, 18);
}

TEST(RankReport, TakesWhatWasSentBeforeAsIs) {
  RankTrace trace;
  trace.addLaunch(1, 0, 160);
  trace.addTask(0, "make", 0, 20);
  trace.addTask(1, "other", 0, 50);
  trace.addMessage(0, 2, 21, 30, 1, 2, 55, 60);
  trace.addTask(1, "use", 60, 150);
  const Timeline timeline = trace.timeline();
  const TraceReport report = analyseTimeline(timeline);
  ASSERT_EQ(report.path.size(), 3u);
  EXPECT_EQ(timeline.names[timeline.spans[report.path[0].span].name], "other");
  EXPECT_EQ(report.path[1].start, 55);
}

/// With skewed clocks, and arrows that lead nowhere, to themselves or in
/// circles, the path still ends and covers the time.
TEST(RankReport, CoversTheTimeWhateverMessagesSay) {
  std::mt19937 random(5);
  auto number = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (unsigned round = 0; round != 300; ++round) {
    RankTrace trace;
    for (unsigned i = 0, e = unsigned(number(0, 12)); i != e; ++i) {
      const int64_t start = number(0, 90);
      trace.addTask(unsigned(number(0, 2)), concat("t", number(0, 3)), start,
                    start + number(0, 20));
    }
    for (unsigned i = 0, e = unsigned(number(1, 12)); i != e; ++i) {
      const int64_t sent = number(0, 90), posted = number(0, 90);
      trace.addMessage(unsigned(number(0, 2)), 2 + unsigned(number(0, 1)), sent,
                       sent + number(0, 20), unsigned(number(0, 2)),
                       2 + unsigned(number(0, 1)), posted,
                       posted + number(0, 30));
    }
    if (number(0, 1))
      trace.addLaunch(unsigned(number(0, 2)), number(0, 10), number(20, 90));
    const Timeline timeline = trace.timeline();
    const TraceReport report = analyseTimeline(timeline);
    double sum = double(report.pathTail) + report.pathOther;
    for (double time : report.pathWaits)
      sum += time;
    for (const TraceReport::NodeUse &node : report.nodes)
      sum += node.onPath;
    EXPECT_EQ(sum, double(timeline.end - timeline.begin)) << trace.text;
    int64_t at = timeline.begin;
    for (const TraceReport::Step &step : report.path) {
      EXPECT_EQ(step.waitStart, at) << trace.text;
      EXPECT_LE(step.waitStart, step.start);
      EXPECT_LT(step.start, step.end);
      at = step.end;
    }
    // Rows are covered as well: at each time, a row is either busy or waiting.
    for (const TraceReport::RowUse &use : report.rows) {
      if (timeline.rows[use.row].number != 0)
        continue;
      int64_t waited = 0;
      for (const TraceReport::Wait &wait : report.waits)
        if (wait.row == use.row)
          waited += wait.end - wait.start;
      EXPECT_EQ(use.busy + waited, timeline.end - timeline.begin);
    }
  }
}
