//===- DeviceTraceTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device whose operations take the times that a test says: rows, order,
// names, bytes, and that nothing in a row overlaps.
//
//===----------------------------------------------------------------------===//

#include "DeviceTrace.h"
#include "../Trace/Trace.h"

#include "sluice/Base/Text.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

using namespace sluice;
using namespace sluice::device;

namespace {
/// An operation that ends when the test says so.
struct TimedState final : Event::State {
  explicit TimedState(TimeInterval time) : time(time) {}
  bool hasEnded() override { return ended; }
  Status wait() override {
    ended = true;
    return failed ? Status::error(StatusCode::System, "lost") : Status();
  }
  Result<TimeInterval> interval() override { return time; }
  TimeInterval time;
  bool ended = false, failed = false;
};

class TimedQueue final : public Queue {
public:
  /// The time of the next operation.
  TimeInterval next;
  std::vector<std::shared_ptr<TimedState>> states;

  Result<Event> add() {
    states.push_back(std::make_shared<TimedState>(next));
    return Event(states.back());
  }
  Result<Event> write(Buffer &, uint64_t, const void *, uint64_t,
                      std::span<const Event>) override {
    return add();
  }
  Result<Event> read(void *, Buffer &, uint64_t, uint64_t,
                     std::span<const Event>) override {
    return add();
  }
  Result<Event> copy(Buffer &, uint64_t, Buffer &, uint64_t, uint64_t,
                     std::span<const Event>) override {
    return add();
  }
  Result<Event> writeBox(Buffer &, const void *, const CopyBox &,
                         std::span<const Event>) override {
    return add();
  }
  Result<Event> readBox(void *, Buffer &, const CopyBox &,
                        std::span<const Event>) override {
    return add();
  }
  Result<Event> launch(DeviceKernel &, const LaunchShape &,
                       std::span<const KernelArgument>,
                       std::span<const Event>) override {
    return add();
  }
  Status notify(void (*)(void *, Status), void *) override { return {}; }
  Status flush() override { return {}; }
  Status finish() override { return {}; }
  Result<bool> beginRecording() override { return true; }
  Result<Event> replay(Recording &, std::span<const Event>) override {
    return add();
  }
};

class TimedDevice final : public Device {
public:
  explicit TimedDevice(std::vector<TimedQueue *> &queues) : queues(queues) {
    theProperties.name = "test:0";
  }
  Result<std::unique_ptr<Buffer>> allocate(uint64_t size) override {
    return std::make_unique<Buffer>(size);
  }
  Result<void *> allocateHost(uint64_t) override {
    return static_cast<void *>(nullptr);
  }
  void freeHost(void *) override {}
  Result<std::unique_ptr<Queue>> createQueue() override {
    auto queue = std::make_unique<TimedQueue>();
    queues.push_back(queue.get());
    return std::unique_ptr<Queue>(std::move(queue));
  }
  Result<std::unique_ptr<Module>> load(const SluiceDeviceModule &) override {
    return Status::misuse("nothing to load");
  }
  std::vector<TimedQueue *> &queues;
};

/// What stands in one line of a trace.
struct Line {
  std::string phase, name, category, arguments;
  unsigned process = 0, row = 0;
  double start = 0, duration = 0;
};

class DeviceTraceTest : public testing::Test {
protected:
  static constexpr uint64_t us = 1000;
  void SetUp() override {
    path = testing::TempDir() + std::to_string(getpid()) +
           "-sluice-device-trace.json";
    Result<std::unique_ptr<Trace>> created = Trace::create(path, 1);
    ASSERT_TRUE(created.ok());
    trace = std::move(*created);
    rows = &trace->addRows(std::make_unique<DeviceTrace>("test:0", "a device"));
    device = traceDevice(std::make_unique<TimedDevice>(inner), *rows);
    for (std::unique_ptr<Queue> *queue : {&kernels, &uploads, &downloads})
      *queue = std::move(*device->createQueue());
    // After the beginning of the trace, by any clock of this process.
    origin = uint64_t(1) << 62;
  }
  void TearDown() override { ::unlink(path.c_str()); }

  /// Sets when the next operation of a queue runs.
  void at(unsigned queue, uint64_t start, uint64_t end) {
    inner[queue]->next = {origin + start, origin + end};
  }
  void launch(const char *node, uint64_t start, uint64_t end) {
    TraceLabel label(node);
    at(0, start, end);
    ASSERT_TRUE(kernels->launch(kernel, {}, {}).ok());
  }
  void upload(const char *node, uint64_t bytes, uint64_t start, uint64_t end) {
    TraceLabel label(node);
    at(1, start, end);
    ASSERT_TRUE(uploads->write(buffer, 0, nullptr, bytes).ok());
  }
  void download(uint64_t bytes, uint64_t start, uint64_t end) {
    at(2, start, end);
    ASSERT_TRUE(downloads->read(nullptr, buffer, 0, bytes).ok());
  }

  static std::string valueOf(const std::string &line, const std::string &key) {
    size_t at = line.find("\"" + key + "\":");
    if (at == line.npos)
      return "";
    at += key.size() + 3;
    if (line[at] == '"')
      return line.substr(at + 1, line.find('"', at + 1) - at - 1);
    size_t end =
        line[at] == '{' ? line.find('}', at) + 1 : line.find_first_of(",}", at);
    return line.substr(at, end - at);
  }
  std::vector<Line> write(bool mayAsk = true) {
    EXPECT_TRUE(trace->write(mayAsk).ok());
    std::ifstream in(path);
    std::vector<Line> lines;
    for (std::string text; std::getline(in, text);) {
      if (text.find("\"ph\"") == text.npos)
        continue;
      Line line;
      line.phase = valueOf(text, "ph");
      line.name = valueOf(text, "name");
      line.category = valueOf(text, "cat");
      line.arguments = valueOf(text, "args");
      line.process = std::atoi(valueOf(text, "pid").c_str());
      line.row = std::atoi(valueOf(text, "tid").c_str());
      line.start = std::atof(valueOf(text, "ts").c_str());
      line.duration = std::atof(valueOf(text, "dur").c_str());
      if (line.process == 2)
        lines.push_back(line);
    }
    return lines;
  }
  static std::vector<Line> only(const std::vector<Line> &lines,
                                const char *phase) {
    std::vector<Line> found;
    for (const Line &line : lines)
      if (line.phase == phase)
        found.push_back(line);
    return found;
  }

  std::string path;
  std::unique_ptr<Trace> trace;
  DeviceTrace *rows = nullptr;
  std::vector<TimedQueue *> inner;
  std::unique_ptr<Device> device;
  std::unique_ptr<Queue> kernels, uploads, downloads;
  DeviceKernel kernel;
  Buffer buffer{1 << 20};
  uint64_t origin = 0;
};
} // namespace

TEST_F(DeviceTraceTest, EveryQueueHasARowNamedAfterWhatItDoes) {
  upload("g/a", 4096, 0, 10 * us);
  launch("g/a", 10 * us, 30 * us);
  upload("g/b", 512, 10 * us, 20 * us);
  launch("g/b", 30 * us, 40 * us);
  download(64, 40 * us, 45 * us);
  std::vector<Line> lines = write();
  std::map<unsigned, std::string> names;
  for (const Line &line : only(lines, "M"))
    if (line.name == "thread_name")
      names[line.row] = line.arguments;
    else if (line.name == "process_name")
      EXPECT_EQ(line.arguments, "{\"name\":\"test:0\"}");
    else
      EXPECT_EQ(line.arguments, "{\"labels\":\"a device\"}");
  EXPECT_EQ(names,
            (std::map<unsigned, std::string>{{0, "{\"name\":\"kernels\"}"},
                                             {1, "{\"name\":\"uploads\"}"},
                                             {2, "{\"name\":\"downloads\"}"}}));
  std::vector<std::string> seen;
  for (const Line &line : only(lines, "X"))
    seen.push_back(concat(line.row, ' ', line.category, ' ', line.name, ' ',
                          line.arguments, ' ',
                          static_cast<int>(line.duration)));
  EXPECT_EQ(seen, (std::vector<std::string>{
                      "0 kernel g/a {} 20", "0 kernel g/b {} 10",
                      "1 upload g/a {\"bytes\":4096} 10",
                      "1 upload g/b {\"bytes\":512} 10",
                      "2 download download {\"bytes\":64} 5"}));
}

TEST_F(DeviceTraceTest, CopiesBesideKernelsAreSeenToOverlap) {
  launch("g/a", 0, 100 * us);
  upload("g/b", 1, 20 * us, 60 * us);
  std::vector<Line> events = only(write(), "X");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NE(events[0].row, events[1].row);
  EXPECT_GT(events[1].start, events[0].start);
  EXPECT_LT(events[1].start + events[1].duration,
            events[0].start + events[0].duration);
}

TEST_F(DeviceTraceTest, NothingInARowOverlaps) {
  // The clocks of devices step, and their drivers report out of order.
  uint64_t state = 88172645463325252u;
  for (int i = 0; i < 500; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    uint64_t start = state % 100000;
    launch("g/a", start, start + state % 300);
  }
  launch("g/backwards", 50, 10);
  std::vector<Line> events = only(write(), "X");
  ASSERT_EQ(events.size(), 501u);
  for (size_t i = 1; i < events.size(); ++i) {
    EXPECT_GE(events[i].duration, 0);
    EXPECT_GE(events[i].start + 1e-6,
              events[i - 1].start + events[i - 1].duration);
  }
}

TEST_F(DeviceTraceTest, BytesAreCounted) {
  upload("g/a", 100, 0, 10);
  download(30, 10, 20);
  upload("g/a", 5, 20, 30);
  std::vector<Line> counters = only(write(), "C");
  ASSERT_EQ(counters.size(), 3u);
  EXPECT_EQ(counters[0].arguments, "{\"uploaded\":100,\"downloaded\":0}");
  EXPECT_EQ(counters[1].arguments, "{\"uploaded\":100,\"downloaded\":30}");
  EXPECT_EQ(counters[2].arguments, "{\"uploaded\":105,\"downloaded\":30}");
}

TEST_F(DeviceTraceTest, WhatFailedOrWasRecordedOnlyIsLeftOut) {
  launch("g/lost", 0, 10);
  inner[0]->states[0]->failed = true;
  ASSERT_TRUE(*kernels->beginRecording());
  launch("g/recorded", 0, 10);
  ASSERT_TRUE(kernels->endRecording().ok());
  Recording recording;
  at(0, 20, 30);
  ASSERT_TRUE(kernels->replay(recording).ok());
  std::vector<Line> events = only(write(), "X");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].category, "recording");
}

TEST_F(DeviceTraceTest, AtExitDriversAreNotAsked) {
  launch("g/a", 0, 10);
  inner[0]->states[0]->ended = true;
  launch("g/b", 10, 20);
  std::vector<Line> events = only(write(false), "X");
  ASSERT_EQ(events.size(), 1u) << "of the second it is not known that it ended";
  EXPECT_FALSE(inner[0]->states[1]->ended);
}

TEST_F(DeviceTraceTest, KernelsWithoutALabelAreNamedByTheirNode) {
  rows->nameKernel(&kernel, "g/node");
  at(0, 0, 10);
  ASSERT_TRUE(kernels->launch(kernel, {}, {}).ok());
  std::vector<Line> events = only(write(), "X");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "g/node");
}

TEST_F(DeviceTraceTest, EventsAreForgottenWithTheDevice) {
  launch("g/a", 0, 10);
  std::weak_ptr<TimedState> state = inner[0]->states[0];
  inner[0]->states.clear();
  EXPECT_FALSE(state.expired());
  rows->close();
  EXPECT_TRUE(state.expired());
}
