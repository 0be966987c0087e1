//===- StreamOrderTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items of a stream overlap, and the results are still those of one item after
// another.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"
#include "../Memory/Testing/Access.h"
#include "../Plan/Testing/RandomGraph.h"

#include "../Scheduling/Clock.h"

#include <stdexcept>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
class StreamOrderTest : public RuntimeTest {
protected:
  void *open(const SluicePlan *plan, Structure &structure) {
    auto graph = runtime->launch(plan, structure.data(), nullptr, true);
    EXPECT_EQ(graph.status().message(), "");
    return *graph;
  }
  void push(void *graph, Structure &structure) {
    ASSERT_EQ(runtime->push(graph, structure.data(), nullptr).message(), "");
  }
  template <typename Value> Value pop(void *graph) {
    auto result = runtime->pop(graph);
    EXPECT_EQ(result.status().message(), "");
    Value value = {};
    if (result.ok())
      std::memcpy(&value, *result, sizeof(value));
    return value;
  }
};
} // namespace

/// Keeps a worker busy so that items count as expensive.
static void spin(uint64_t nanoseconds) {
  uint64_t end = clockNanoseconds() + nanoseconds;
  while (clockNanoseconds() < end)
    ;
}

//===----------------------------------------------------------------------===//
// Random graphs over random memory
//===----------------------------------------------------------------------===//

namespace {
/// One node of a random stream: which cells it reads and which it changes.
struct Stage {
  std::vector<uint64_t> inputs;  ///< frame offsets of values
  std::vector<uint64_t> reads;   ///< frame offsets of pointers to cells
  std::vector<uint64_t> changes; ///< likewise
  uint64_t output = 0;
  uint32_t index = 0;
  bool isExpensive = false;
};
constexpr uint32_t numStages = 6;
std::array<Stage, numStages> stages;

void runStage(const Stage &stage, unsigned char *frame) {
  auto value = [&](uint64_t offset) -> uint64_t & {
    return *reinterpret_cast<uint64_t *>(frame + offset);
  };
  auto cell = [&](uint64_t offset) -> uint64_t & {
    return **reinterpret_cast<uint64_t **>(frame + offset);
  };
  uint64_t hash = stage.index;
  for (uint64_t offset : stage.inputs)
    hash = mix(hash, value(offset));
  for (uint64_t offset : stage.reads)
    hash = mix(hash, cell(offset));
  if (stage.isExpensive)
    spin(hash % 3 * 4000);
  for (uint64_t offset : stage.changes)
    cell(offset) = mix(cell(offset), hash);
  value(stage.output) = hash;
}

template <uint32_t Index>
void stageKernel(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  runStage(stages[Index], invocation->frame);
}

template <size_t... Indices>
std::array<SluiceKernel, sizeof...(Indices)>
stageKernels(std::index_sequence<Indices...>) {
  return {stageKernel<Indices>...};
}

/// A stream with cells behind fixed pointers, and some behind pointers that
/// come with every item.
class RandomStream {
public:
  static constexpr uint32_t numFixed = 3, numMoving = 2, maxRing = 97;
  /// Neighbouring items share moving cells, or only items far apart do.
  const uint32_t ringSize;

  RandomStream(unsigned seed, bool hasMoving, bool isExpensive)
      : ringSize(std::array{2, 5, 30, 97}[seed / 2 % 4]), random(seed),
        hasMoving(hasMoving) {
    for (uint32_t i = 0; i < numFixed; ++i)
      pointers.push_back(builder.buffer("fixed", inOut));
    for (uint32_t i = 0; hasMoving && i < numMoving; ++i)
      pointers.push_back(builder.buffer("moving", inOut, SLUICE_PORT_STREAM));
    uint64_t x = builder.argument("x", 8, SLUICE_PORT_STREAM);
    static const auto kernels =
        stageKernels(std::make_index_sequence<numStages>());
    for (uint32_t i = 0; i < numStages; ++i) {
      Stage &stage = stages[i] = {};
      stage.index = i;
      stage.isExpensive = isExpensive;
      builder.node("root/stage", kernels[i]);
      stage.output = builder.output(i, "out", 8);
      if (random() % 4)
        stage.inputs.push_back(x);
      for (uint32_t source = 0; source < i; ++source)
        if (random() % 3 == 0) {
          builder.order(source, i);
          stage.inputs.push_back(stages[source].output);
          before[i] |= before[source] | 1u << source;
        }
      addMemory(i);
      builder.result("out", 8, stage.output);
    }
    builder.plan.isStreaming = 1;
    plan = builder.finish();
  }

  /// Arguments of item `item`, over the given cells.
  Structure arguments(uint64_t item, uint64_t *fixed, uint64_t *ring) const {
    Structure structure;
    for (uint32_t i = 0; i < numFixed; ++i)
      structure.add(fixed + i).add(uint64_t(8));
    for (uint32_t i = 0; hasMoving && i < numMoving; ++i)
      structure.add(ring + (item * (i + 1) + i) % ringSize).add(uint64_t(8));
    structure.add(item);
    return structure;
  }

  PlanBuilder builder;
  const SluicePlan *plan;

private:
  /// Stages of one item that are not ordered do not share what they change.
  bool mayUse(uint32_t stage, uint32_t pointer, bool writes) const {
    for (uint32_t other = 0; other < stage; ++other)
      if (!(before[stage] >> other & 1) &&
          (changedBy[pointer] >> other & 1 ||
           (writes && readBy[pointer] >> other & 1)))
        return false;
    return true;
  }
  void addMemory(uint32_t stage) {
    // Moving cells of one item may be the same cell.
    uint32_t numPointers = pointers.size();
    for (uint32_t i = 0; i < numPointers; ++i) {
      bool writes = random() % 2;
      if (random() % 3 != 0 || !mayUse(stage, i, writes) ||
          (i >= numFixed &&
           !mayUse(stage, numFixed + numMoving - 1 - (i - numFixed), writes)))
        continue;
      (writes ? stages[stage].changes : stages[stage].reads)
          .push_back(pointers[i]);
      (writes ? changedBy : readBy)[i] |= 1u << stage;
      builder.operand(stage, 2 * i,
                      writes ? SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT
                             : SLUICE_ACCESS_IN);
    }
  }

  std::mt19937 random;
  bool hasMoving;
  std::vector<uint64_t> pointers;
  uint32_t before[numStages] = {};
  uint32_t changedBy[numFixed + numMoving] = {};
  uint32_t readBy[numFixed + numMoving] = {};
};
} // namespace

using StageResults = std::array<uint64_t, numStages>;

TEST_P(StreamOrderTest, ResultsAreThoseOfOneItemAfterAnother) {
  for (unsigned seed = 0; seed < 72; ++seed) {
    start(); // The next plan may have this one's address.
    bool isExpensive = seed % 3 == 0;
    const uint64_t numItems = isExpensive ? 60 : 400;
    RandomStream stream(seed, seed % 2, isExpensive);
    uint64_t expectedFixed[3] = {1, 2, 3};
    uint64_t expectedRing[RandomStream::maxRing] = {4, 5, 6, 7, 8};
    std::vector<StageResults> expected;
    std::vector<unsigned char> frame(stream.plan->frameSize);
    for (uint64_t item = 0; item < numItems; ++item) {
      Structure arguments = stream.arguments(item, expectedFixed, expectedRing);
      uint64_t offset = 0;
      for (uint32_t i = 0; i < stream.plan->numArguments; ++i) {
        const SluicePlanArgument &argument = stream.plan->arguments[i];
        std::memcpy(frame.data() + argument.frameOffset,
                    static_cast<char *>(arguments.data()) + offset,
                    argument.size);
        offset += argument.size;
      }
      StageResults &results = expected.emplace_back();
      for (uint32_t i = 0; i < numStages; ++i) {
        runStage(stages[i], frame.data());
        std::memcpy(&results[i], frame.data() + stages[i].output, 8);
      }
    }
    uint64_t fixed[3] = {1, 2, 3};
    uint64_t ring[RandomStream::maxRing] = {4, 5, 6, 7, 8};
    Structure first = stream.arguments(0, fixed, ring);
    void *graph = open(stream.plan, first);
    uint64_t popped = 0;
    const uint64_t depth = 1 + seed % 40;
    for (uint64_t item = 0; item < numItems; ++item) {
      Structure arguments = stream.arguments(item, fixed, ring);
      push(graph, arguments);
      if (item >= depth) {
        ASSERT_EQ(pop<StageResults>(graph), expected[popped])
            << "seed " << seed << ", item " << popped;
        ++popped;
      }
    }
    ASSERT_EQ(runtime->wait(graph).message(), "");
    for (; popped < numItems; ++popped)
      ASSERT_EQ(pop<StageResults>(graph), expected[popped])
          << "seed " << seed << ", item " << popped;
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(fixed[i], expectedFixed[i]) << "seed " << seed;
    for (uint32_t i = 0; i < RandomStream::maxRing; ++i)
      EXPECT_EQ(ring[i], expectedRing[i]) << "seed " << seed;
  }
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

static std::atomic<int> numMeeting;

/// Ends when another item is in this node, too. Expensive, since workers leave
/// cheap items to the host.
static void meet(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  spin(20'000);
  int arrived = ++numMeeting;
  int pair = (arrived + 1) / 2 * 2;
  uint64_t end = clockNanoseconds() + UINT64_C(300'000'000'000);
  while (numMeeting < pair && clockNanoseconds() < end)
    ;
  at<int64_t>(invocation, 8) = numMeeting >= pair;
}

namespace {
/// Over numbers of workers that can do two things at once.
class StreamOverlapTest : public StreamOrderTest {};
} // namespace

TEST_P(StreamOverlapTest, IndependentItemsOverlap) {
  PlanBuilder builder;
  builder.argument("x", 8, SLUICE_PORT_STREAM);
  uint32_t node = builder.node("root/meet", meet);
  builder.result("met", 8, builder.output(node, "met", 8));
  builder.plan.isStreaming = 1;
  Structure structure;
  structure.add(int64_t(0));
  void *graph = open(builder.finish(), structure);
  numMeeting = 0;
  for (int i = 0; i < 20; ++i)
    push(graph, structure);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(pop<int64_t>(graph), 1);
  EXPECT_EQ(runtime->wait(graph).message(), "");
}

static std::atomic<int> numInLog;
/// Frame: log at 0, its size at 8, x at 16. Globals are memory, too.
static void appendToLog(const SluiceInvocation *invocation, uint64_t,
                        uint64_t) {
  EXPECT_EQ(++numInLog, 1) << "two items are in a node that writes";
  auto *log = at<std::vector<int64_t> *>(invocation, 0);
  int64_t x = at<int64_t>(invocation, 16);
  if (x % 64 < 8)
    spin(3000);
  log->push_back(x);
  --numInLog;
}

TEST_P(StreamOrderTest, ANodeThatWritesTakesItemsInOrder) {
  for (bool isGlobal : {false, true}) {
    PlanBuilder builder;
    builder.buffer("log", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    builder.argument("x", 8, SLUICE_PORT_STREAM);
    uint32_t node = builder.node("root/append", appendToLog);
    builder.operand(node, 0,
                    isGlobal ? SLUICE_ACCESS_IN
                             : SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    if (isGlobal)
      builder.use(node, builder.memory("counter"), SLUICE_ACCESS_OUT);
    builder.plan.isStreaming = 1;
    std::vector<int64_t> log;
    auto arguments = [&](int64_t x) {
      Structure structure;
      structure.add(&log).add(uint64_t(sizeof(log))).add(x);
      return structure;
    };
    Structure first = arguments(0);
    void *graph = open(builder.finish(), first);
    ASSERT_TRUE(runtime->setStreamBound(graph, 200).ok());
    for (int64_t i = 0; i < 2000; ++i) {
      Structure structure = arguments(i);
      push(graph, structure);
    }
    EXPECT_EQ(runtime->wait(graph).message(), "");
    ASSERT_EQ(log.size(), 2000u);
    for (int64_t i = 0; i < 2000; ++i)
      ASSERT_EQ(log[i], i);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

struct __attribute__((packed)) Odd {
  char bytes[1000];
  float vector[4];
  double number;
  char last;
};

/// Frame: the value at 0, the result behind it.
static void copyOdd(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  Odd value;
  std::memcpy(&value, invocation->frame, sizeof(value));
  value.number *= 2;
  value.last += value.bytes[999];
  std::memcpy(invocation->frame + 1032, &value, sizeof(value));
}

TEST_P(StreamOrderTest, ValuesHaveAnySize) {
  PlanBuilder builder;
  builder.argument("odd", sizeof(Odd), SLUICE_PORT_STREAM);
  uint32_t node = builder.node("root/copy", copyOdd);
  ASSERT_EQ(builder.output(node, "odd", sizeof(Odd)), 1032u);
  builder.result("odd", sizeof(Odd), 1032);
  builder.plan.isStreaming = 1;
  Structure none;
  void *graph = open(builder.finish(), none);
  for (int i = 0; i < 100; ++i) {
    Odd odd = {};
    odd.bytes[999] = static_cast<char>(i);
    odd.number = i;
    odd.last = 3;
    Structure structure;
    structure.add(odd);
    push(graph, structure);
  }
  for (int i = 0; i < 100; ++i) {
    Odd odd = pop<Odd>(graph);
    ASSERT_EQ(odd.number, 2 * i);
    ASSERT_EQ(odd.last, static_cast<char>(3 + i));
  }
  EXPECT_EQ(runtime->wait(graph).message(), "");
}

//===----------------------------------------------------------------------===//
// Replicated stages
//===----------------------------------------------------------------------===//

/// As many instances as the item says.
static void countExtent(const unsigned char *frame, int64_t *extents) {
  std::memcpy(extents, frame, 8);
  extents[1] = extents[2] = 1;
}
static uint64_t squaresAt, sumAt;
static void square(const SluiceInvocation *invocation, uint64_t begin,
                   uint64_t end) {
  for (uint64_t i = begin; i < end; ++i)
    at<int64_t *>(invocation, squaresAt)[i] = i * i;
}
static void sum(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  int64_t total = 0, count = at<int64_t>(invocation, 0);
  for (int64_t i = 0; i < count; ++i)
    total += at<int64_t *>(invocation, squaresAt)[i];
  at<int64_t>(invocation, sumAt) = total;
}

TEST_P(StreamOrderTest, ExtentsBelongToTheItem) {
  PlanBuilder builder;
  builder.argument("count", 8, SLUICE_PORT_STREAM);
  builder.node("root/square", square, countExtent);
  builder.output(0, "square", 8, true, &squaresAt);
  builder.node("root/sum", sum);
  sumAt = builder.output(1, "sum", 8);
  builder.order(0, 1);
  builder.result("sum", 8, sumAt);
  builder.plan.isStreaming = 1;
  Structure none;
  void *graph = open(builder.finish(), none);
  auto count = [](int64_t item) { return item % 50 == 49 ? 3000 : item % 7; };
  for (int64_t i = 0; i < 1000; ++i) {
    Structure structure;
    structure.add(count(i));
    push(graph, structure);
  }
  for (int64_t i = 0; i < 1000; ++i) {
    int64_t n = count(i);
    ASSERT_EQ(pop<int64_t>(graph), n ? (n - 1) * n * (2 * n - 1) / 6 : 0);
  }
  Structure negative;
  negative.add(int64_t(-1));
  push(graph, negative);
  EXPECT_NE(runtime->wait(graph).message().find("extent"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static void failAt500(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  int64_t x = at<int64_t>(invocation, 0);
  if (x >= 500)
    throw std::runtime_error("item " + std::to_string(x));
  at<int64_t>(invocation, 8) = x;
}

TEST_P(StreamOrderTest, ResultsBeforeAFailureCanBePopped) {
  for (int64_t depth : {1, 30, 64}) {
    PlanBuilder builder;
    builder.argument("x", 8, SLUICE_PORT_STREAM);
    uint32_t node = builder.node("root/fail", failAt500);
    builder.result("x", 8, builder.output(node, "x", 8));
    builder.plan.isStreaming = 1;
    Structure none;
    void *graph = open(builder.finish(), none);
    const char *message = "node 'root/fail' at test.c:1:1: an exception left "
                          "it: item 500";
    int64_t popped = 0;
    for (int64_t i = 0; i < 600; ++i) {
      Structure structure;
      structure.add(i);
      Status status = runtime->push(graph, structure.data(), nullptr);
      if (!status.ok()) {
        EXPECT_EQ(status.message(), message);
        EXPECT_GE(i, 500);
        break;
      }
      if (i < depth || popped == 500)
        continue;
      ASSERT_EQ(pop<int64_t>(graph), popped);
      ++popped;
    }
    for (; popped < 500; ++popped)
      ASSERT_EQ(pop<int64_t>(graph), popped);
    EXPECT_EQ(runtime->pop(graph).status().message(), message);
    EXPECT_EQ(runtime->wait(graph).message(), message);
    EXPECT_EQ(runtime->pop(graph).status().message(), message);
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static void passOn(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  int64_t x = at<int64_t>(invocation, 0);
  if (x % 1009 == 0)
    spin(2000);
  at<int64_t>(invocation, 8) = x + 1;
}
static void passOnAgain(const SluiceInvocation *invocation, uint64_t,
                        uint64_t) {
  at<int64_t>(invocation, 16) = at<int64_t>(invocation, 8) + 1;
}

/// Three streams, each with a producer and a consumer, and random delays:
/// nothing is lost, repeated or reordered. SLUICE_TEST_ITEMS sets how many.
TEST_P(StreamOrderTest, ProducersAndConsumersAtOnce) {
  const char *setting = std::getenv("SLUICE_TEST_ITEMS");
  const int64_t numItems = setting ? std::atoll(setting) : 20'000;
  PlanBuilder builder;
  builder.argument("x", 8, SLUICE_PORT_STREAM);
  uint32_t first = builder.node("root/first", passOn);
  builder.output(first, "x", 8);
  uint32_t second = builder.node("root/second", passOnAgain);
  builder.result("x", 8, builder.output(second, "x", 8));
  builder.order(first, second);
  builder.plan.isStreaming = 1;
  const SluicePlan *plan = builder.finish();
  std::vector<std::thread> threads;
  std::vector<void *> graphs;
  for (int i = 0; i < 3; ++i) {
    Structure none;
    graphs.push_back(open(plan, none));
  }
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(i);
      for (int64_t x = 0; x < numItems; ++x) {
        Structure structure;
        structure.add(x);
        push(graphs[i], structure);
        if (random() % 512 == 0)
          spin(random() % 20'000);
      }
    });
    threads.emplace_back([&, i] {
      std::mt19937 random(100 + i);
      for (int64_t x = 0; x < numItems; ++x) {
        ASSERT_EQ(pop<int64_t>(graphs[i]), x + 2);
        if (random() % 512 == 0)
          spin(random() % 20'000);
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  for (void *graph : graphs)
    EXPECT_EQ(runtime->wait(graph).message(), "");
}

TEST_P(StreamOrderTest, AThousandStreams) {
  PlanBuilder builder;
  builder.argument("x", 8, SLUICE_PORT_STREAM);
  uint32_t node = builder.node("root/first", passOn);
  builder.result("x", 8, builder.output(node, "x", 8));
  builder.plan.isStreaming = 1;
  const SluicePlan *plan = builder.finish();
  for (int64_t i = 0; i < 1000; ++i) {
    Structure none, structure;
    structure.add(i);
    void *graph = open(plan, none);
    for (int k = 0; k < 3; ++k)
      push(graph, structure);
    ASSERT_EQ(pop<int64_t>(graph), i + 1);
    ASSERT_EQ(runtime->wait(graph).message(), "");
    // One result is popped after the end, one never.
    ASSERT_EQ(pop<int64_t>(graph), i + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, StreamOrderTest, testing::Values(0, 1, 2, 8));
INSTANTIATE_TEST_SUITE_P(Workers, StreamOverlapTest, testing::Values(2, 8));
