//===- RecordTest.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs whose nodes write random bytes, against an oracle that looks at
// every byte after every step; files with damage at every byte; programs whose
// memory is not what they say.
//
//===----------------------------------------------------------------------===//

#include "Testing/RecordTest.h"

#include "sluice/Runtime/Record/CompareRecords.h"
#include "sluice/Runtime/Record/RecordHistory.h"

#include <random>
#include <stdexcept>
#include <sys/mman.h>

using namespace sluice;
using namespace sluice::test;

namespace {
constexpr uint64_t memorySize = 300;

/// What every byte was after a step.
using Snapshot = std::array<RecordedByte, memorySize>;

/// Says of every byte who changed it last, by looking at all of them.
class Oracle {
public:
  explicit Oracle(const unsigned char *memory) : memory(memory) {}
  void beginLaunch(const std::vector<std::pair<uint64_t, uint64_t>> &slices) {
    isGiven.fill(false);
    for (auto [begin, size] : slices)
      for (uint64_t i = begin; i < begin + size; ++i)
        isGiven[i] = true;
    look();
  }
  void look() {
    const auto step = static_cast<uint32_t>(snapshots.size());
    for (uint64_t i = 0; i < memorySize; ++i)
      if (isGiven[i] && now[i].value != memory[i])
        now[i] = {memory[i], step};
    snapshots.push_back(now);
  }
  std::vector<Snapshot> snapshots;

private:
  const unsigned char *const memory;
  std::array<bool, memorySize> isGiven = {};
  Snapshot now = {};
};

std::string compareWith(const Oracle &oracle, const Record &record,
                        const unsigned char *memory) {
  if (oracle.snapshots.size() != record.steps.size())
    return "there are " + std::to_string(record.steps.size()) + " steps";
  for (uint32_t step = 0; step < record.steps.size(); ++step) {
    const auto bytes = memoryAfter(
        record, step, reinterpret_cast<uint64_t>(memory), memorySize);
    for (uint64_t i = 0; i < memorySize; ++i)
      if (bytes[i].value != oracle.snapshots[step][i].value ||
          bytes[i].step != oracle.snapshots[step][i].step)
        return "byte " + std::to_string(i) + " after step " +
               std::to_string(step) + " is " + std::to_string(bytes[i].value) +
               " of step " + std::to_string(bytes[i].step) + ", expected " +
               std::to_string(oracle.snapshots[step][i].value) + " of step " +
               std::to_string(oracle.snapshots[step][i].step);
  }
  return "";
}
} // namespace

/// Slices overlap, are empty, and change from launch to launch; the host writes
/// between launches, also where no launch looks; values are few, so that many
/// writes change nothing.
TEST_F(RecordTest, WhoWroteEachByteOfRandomGraphs) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    if (seed)
      startAgain();
    std::mt19937 random(seed);
    auto pick = [&](uint32_t limit) { return uint32_t(random() % limit); };
    alignas(8) unsigned char memory[memorySize];
    for (unsigned char &byte : memory)
      byte = pick(3);
    Oracle oracle(memory);
    const uint32_t numNodes = 1 + pick(maxNodes);
    PlanBuilder builder;
    buildGraph(builder, numNodes);
    for (uint32_t launch = 0; launch < 1 + pick(5); ++launch) {
      for (uint32_t i = pick(20); i-- > 0;)
        memory[pick(memorySize)] = pick(3);
      std::vector<std::pair<uint64_t, uint64_t>> slices;
      Structure structure;
      for (uint32_t i = 0; i < numBuffers; ++i) {
        const uint64_t begin = pick(memorySize);
        const uint64_t size = pick(4) ? pick(memorySize + 1 - begin) : 0;
        slices.push_back({begin, size});
        structure.add(memory + begin).add(size);
      }
      bool isFirst = true;
      for (uint32_t node = 0; node < numNodes; ++node)
        bodies[node] = [&](const SluiceInvocation *) {
          if (std::exchange(isFirst, false))
            oracle.beginLaunch(slices);
          auto [begin, size] = slices[pick(numBuffers)];
          const bool isLong = pick(2);
          for (uint64_t i = 0; i < size; ++i)
            if (isLong ? pick(10) != 0 : pick(30) == 0)
              memory[begin + i] = pick(3);
          oracle.look();
        };
      ASSERT_EQ(run(builder.finish(), structure), "");
    }
    ASSERT_EQ(compareWith(oracle, *read(), memory), "") << "seed " << seed;
  }
}

/// A record of a few steps, with values and failures.
static void runSmall(PlanBuilder &builder, Structure &structure,
                     std::vector<unsigned char> &memory) {
  builder.buffer("A", inOut);
  builder.argument("N", 8);
  for (uint32_t i = 0; i < 2; ++i) {
    builder.node(nodeNames[i], kernels[i], {4});
    builder.operand(i, 0, inOut);
    builder.operand(i, 2, 0);
  }
  builder.order(0, 1);
  builder.output(0, "sum", 8);
  builder.operandOf(1, 0, 0);
  builder.finish();
  structure.add(memory.data()).add(uint64_t(memory.size())).add(uint64_t(7));
}

TEST_F(RecordTest, DamageOfEachByteIsFound) {
  PlanBuilder builder;
  Structure structure;
  std::vector<unsigned char> memory(16, 1);
  bodies[0] = [&](const SluiceInvocation *) { memory[3] = 9; };
  bodies[1] = [&](const SluiceInvocation *) {
    memory[5] = 8;
    throw std::runtime_error("too much");
  };
  runSmall(builder, structure, memory);
  EXPECT_EQ(run(builder.finish(), structure),
            "node 'root/b' at test.c:1:1: an exception left it: too much");
  const std::unique_ptr<Record> whole = read();
  ASSERT_EQ(whole->steps.size(), 3u);
  EXPECT_EQ(whole->steps[2].error, whole->launches[0].error);
  EXPECT_NE(whole->steps[2].error.find("too much"), std::string::npos);
  EXPECT_EQ(whole->steps[2].changes.size(), 1u);
  // The process has not ended.
  EXPECT_NE(whole->endsEarly, "");

  std::ifstream in(whole->path, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  const std::string path = folder.file("damaged");
  auto problemOf = [&](const std::string &content) {
    std::ofstream(path, std::ios::binary) << content;
    return readRecord(path).status().message();
  };
  EXPECT_EQ(problemOf(good), "");
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
    const std::string problem = problemOf(bad);
    ASSERT_NE(problem, "") << "byte " << at;
    ASSERT_TRUE(problem.find("damaged at byte") != std::string::npos || at < 16)
        << problem;
  }
  // What was written so far is read, wherever it ends.
  size_t numSteps = 0;
  for (size_t size = 0; size < good.size(); ++size) {
    std::ofstream(path, std::ios::binary) << good.substr(0, size);
    Result<std::unique_ptr<Record>> part = readRecord(path);
    ASSERT_EQ(part.ok(), size >= 16) << size;
    if (!part.ok())
      continue;
    ASSERT_NE((*part)->endsEarly, "");
    ASSERT_GE((*part)->steps.size(), numSteps);
    numSteps = (*part)->steps.size();
    if (numSteps && !(*part)->steps.back().hasEnded)
      ASSERT_EQ((*part)->endsEarly, "the program ended in " +
                                        (*part)->nameOf((*part)->steps.back()));
  }
  EXPECT_EQ(numSteps, 3u);
  EXPECT_NE(readRecord(folder.path)
                .status()
                .message()
                .find("holds no record: SLUICE_RECORD="),
            std::string::npos);
  EXPECT_NE(readRecord(folder.file("none")).status().message(), "");
}

TEST_F(RecordTest, ValuesAndNamesAreThoseOfTheProgram) {
  PlanBuilder builder;
  Structure structure;
  std::vector<unsigned char> memory(16, 1);
  const uint64_t sum = 24; // behind A, its size and N
  bodies[0] = [&](const SluiceInvocation *invocation) {
    at<uint64_t>(invocation, sum) = 5;
  };
  bodies[1] = [&](const SluiceInvocation *) { memory[0] = 2; };
  runSmall(builder, structure, memory);
  ASSERT_EQ(run(builder.finish(), structure), "");
  const std::unique_ptr<Record> record = read();
  ASSERT_EQ(record->steps.size(), 3u);
  const RecordedLaunch &launch = record->launches[0];
  EXPECT_TRUE(launch.hasEnded);
  EXPECT_EQ(record->nameOf(record->steps[0]), "launch 1 of 'root'");
  const RecordedStep &first = record->steps[1], &second = record->steps[2];
  EXPECT_EQ(record->nameOf(first), "root/a");
  EXPECT_EQ(record->graphs[0].nodes[0].location, "test.c:1:1");
  EXPECT_EQ(record->graphs[0].edges,
            (std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}}));
  EXPECT_EQ(first.extents, (std::vector<int64_t>{4, 1, 1}));
  ASSERT_EQ(first.inputs.size(), 2u);
  EXPECT_EQ(textOf(first.inputs[0], launch), "pointer to 'A'");
  EXPECT_EQ(textOf(first.inputs[1], launch), "7");
  ASSERT_EQ(first.outputs.size(), 1u);
  EXPECT_EQ(textOf(first.outputs[0], launch), "5");
  EXPECT_EQ(textOf(second.inputs[2], launch), "5");
  EXPECT_TRUE(first.changes.empty());
  const auto silent = silentWriters(
      *record, 0, 2, reinterpret_cast<uint64_t>(memory.data()) + 3);
  EXPECT_EQ(silent, (std::vector<uint32_t>{1, 2}));
}

//===----------------------------------------------------------------------===//
// Unhappy programs
//===----------------------------------------------------------------------===//

TEST_F(RecordTest, SizesThatAreTooLargeAreNotBelieved) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  auto *memory = static_cast<unsigned char *>(
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void *>(memory), MAP_FAILED);
  ASSERT_EQ(::mprotect(memory + page, page, PROT_NONE), 0);
  PlanBuilder builder;
  buildGraph(builder, 1);
  bodies[0] = [&](const SluiceInvocation *) { memory[page - 1] = 3; };
  Structure structure;
  structure.add(memory + 16).add(uint64_t(2 * page));
  for (int i = 0; i < 2; ++i)
    structure.add(nullptr).add(uint64_t(0));
  ASSERT_EQ(run(builder.finish(), structure), "");
  const std::unique_ptr<Record> record = read();
  ASSERT_EQ(record->launches.size(), 1u);
  EXPECT_EQ(record->launches[0].blocks[0].size, page - 16);
  ASSERT_EQ(record->notes.size(), 1u);
  EXPECT_NE(record->notes[0].find("can be read"), std::string::npos);
  ::munmap(memory, 2 * page);
}

TEST_F(RecordTest, AFolderThatIsUsedIsLeftAlone) {
  // By this process it is shared.
  Result<Recorder *> again = Recorder::open(options.record);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, runtime->getRecorder());
  // What is no record is kept.
  const std::string other = folder.file("other");
  std::filesystem::create_directory(other);
  std::ofstream(other + "/record.sluice") << "my own file, of some length\n";
  RecordOptions record;
  record.directory = other;
  EXPECT_EQ(Recorder::open(record).status().message(),
            "'" + other + "/record.sluice' is no record, and is kept");
  record.directory = folder.file("none/below");
  EXPECT_EQ(Recorder::open(record).status().message(),
            "cannot make folder '" + record.directory +
                "': No such file or directory");
  record.directory = other + "/record.sluice";
  EXPECT_NE(Recorder::open(record).status().message(), "");
}

TEST_F(RecordTest, StreamsAreRecordedItemByItem) {
  PlanBuilder builder("stream");
  builder.plan.isStreaming = 1;
  const uint64_t x = builder.argument("X", 8, SLUICE_PORT_STREAM);
  builder.node("stream/a", kernels[0]);
  builder.operand(0, 0, 0);
  const uint64_t y = builder.output(0, "Y", 8);
  builder.result("Y", 8, y);
  bodies[0] = [&](const SluiceInvocation *invocation) {
    at<uint64_t>(invocation, y) = 3 * at<uint64_t>(invocation, x);
  };
  Structure structure;
  structure.add(uint64_t(0));
  Result<void *> stream =
      runtime->launch(builder.finish(), structure.data(), nullptr, true);
  ASSERT_EQ(stream.status().message(), "");
  for (uint64_t i = 0; i < 4; ++i) {
    Structure item;
    item.add(i);
    ASSERT_EQ(runtime->push(*stream, item.data(), nullptr).message(), "");
  }
  for (uint64_t i = 0; i < 4; ++i) {
    Result<void *> result = runtime->pop(*stream);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(*static_cast<uint64_t *>(*result), 3 * i);
  }
  ASSERT_EQ(runtime->wait(*stream).message(), "");
  const std::unique_ptr<Record> record = read();
  ASSERT_EQ(record->launches.size(), 4u);
  ASSERT_EQ(record->steps.size(), 8u);
  EXPECT_EQ(textOf(record->steps[5].outputs[0], record->launches[2]), "6");
}
