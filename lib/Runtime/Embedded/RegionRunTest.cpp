//===- RegionRunTest.cpp - Programs over regions in a process -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table by hand, run in memory of the test: b += a, @rounds times, and a
// variable that counts runs.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/RegionProgram.h"

#include "sluice/Base/TableHead.h"

#include <atomic>
#include <gmock/gmock.h>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace sluice;
using testing::HasSubstr;

namespace {
std::atomic<bool> fails, isInTask, mayGoOn{true};

void add(const SluiceTask *, const SluiceView *views, const void *) {
  const auto *a = static_cast<const int64_t *>(views[0].fields[0]);
  auto *b = static_cast<int64_t *>(views[1].fields[0]);
  const SluiceDomain &domain = *views[1].domain;
  for (int64_t i = domain.lower[0]; i < domain.upper[0]; ++i)
    b[i] += a[i];
}

void count(const SluiceTask *, const SluiceView *views, const void *) {
  isInTask = true;
  while (!mayGoOn)
    std::this_thread::yield();
  if (fails)
    throw std::runtime_error("no more");
  ++*static_cast<int32_t *>(views[0].fields[0]);
}

SluiceArgument argument(uint32_t root, SluicePrivilege privilege,
                        uint64_t fields, uint32_t partition) {
  SluiceArgument made = {};
  made.root = root;
  made.partition = partition;
  made.privilege = privilege;
  made.fields = fields;
  return made;
}

/// Root 0 is a line of @n elements with a and b, root 1 the variable.
struct LineTable {
  int64_t n = 100, rounds = 3;
  SluiceRegionParameter parameters[2] = {
      {"n", "100", &n, 1, SLUICE_I64, 0},
      {"rounds", "3", &rounds, 0, SLUICE_I64, 0}};
  SluiceField fields[2] = {{"a", SLUICE_I64, 1}, {"b", SLUICE_I64, 1}};
  SluiceField value[1] = {{"value", SLUICE_I32, 1}};
  SluiceExtent size = {0, 0, 0, nullptr};
  SluiceExtent one = {1, SLUICE_NO_PARAMETER, 0, nullptr};
  SluiceExtent colors = {4, SLUICE_NO_PARAMETER, 0, nullptr};
  int32_t initial = 40;
  SluiceRegionRoot roots[2] = {{"line", &size, fields, nullptr, 1, 2},
                               {"runs", &one, value, &initial, 1, 1}};
  SluiceRegionPartition blocks = {};
  SluiceArgument arguments[2] = {
      argument(0, SLUICE_PRIVILEGE_READ, 1, 0),
      argument(0, SLUICE_PRIVILEGE_READ_WRITE, 2, 0)};
  SluiceArgument counted[1] = {
      argument(1, SLUICE_PRIVILEGE_READ_WRITE, 1, SLUICE_NO_PARTITION)};
  SluiceRegionStatement adding = {}, statements[2] = {};
  SluiceRegionGraph graph = {"main", statements, nullptr, 2, 0, {}};
  SluiceRegionStep steps[2] = {{SLUICE_STEP_PARTITION, 0},
                               {SLUICE_STEP_GRAPH, 0}};
  SluiceRegionProgram table = {};

  LineTable() {
    blocks.name = "blocks";
    blocks.kind = SLUICE_PARTITION_BLOCKS;
    blocks.parent = SLUICE_NO_PARTITION;
    blocks.rank = 1;
    blocks.colors = &colors;
    adding.name = "add";
    adding.kind = SLUICE_STATEMENT_TASK;
    adding.rank = 1;
    adding.extents = &colors;
    adding.body = add;
    adding.arguments = arguments;
    adding.numArguments = 2;
    statements[0].name = "loop";
    statements[0].kind = SLUICE_STATEMENT_LOOP;
    statements[0].count = {0, 1, 0, nullptr};
    statements[0].whileRoot = SLUICE_NO_PARTITION;
    statements[0].statements = &adding;
    statements[0].numStatements = 1;
    statements[1].name = "count";
    statements[1].kind = SLUICE_STATEMENT_HOST;
    statements[1].body = count;
    statements[1].arguments = counted;
    statements[1].numArguments = 1;
    table.head = tableHead<SluiceRegionProgram>;
    table.name = "line";
    table.parameters = parameters;
    table.numParameters = 2;
    table.roots = roots;
    table.numRoots = 2;
    table.partitions = &blocks;
    table.numPartitions = 1;
    table.graphs = &graph;
    table.numGraphs = 1;
    table.steps = steps;
    table.numSteps = 2;
  }
};

class RegionRunTest : public testing::Test {
protected:
  void SetUp() override {
    fails = isInTask = false;
    mayGoOn = true;
    std::iota(a.begin(), a.end(), 0);
  }

  /// Runs it with @n = `length` and @rounds = `rounds`.
  const char *run(std::vector<SluiceRegionMemory> memory) {
    const void *values[2] = {&length, &rounds};
    const SluiceRegionRun options = {sizeof options, 2, uint32_t(memory.size()),
                                     values, memory.data()};
    return sluiceExecuteRegions(&line.table, &options);
  }
  template <typename Value>
  static SluiceRegionMemory memory(uint32_t root, uint32_t field,
                                   std::vector<Value> &values,
                                   bool isReadOnly = false) {
    return {root,       field, values.data(), values.size() * sizeof(Value),
            isReadOnly, 0};
  }
  std::vector<int64_t> sums(int64_t factor) const {
    std::vector<int64_t> expected(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      expected[i] = factor * int64_t(i);
    return expected;
  }

  LineTable line;
  int64_t length = 10, rounds = 2;
  std::vector<int64_t> a = std::vector<int64_t>(10);
  std::vector<int64_t> b = std::vector<int64_t>(10);
  std::vector<int32_t> runs = {7};
};
} // namespace

TEST_F(RegionRunTest, WritesWhereItsCallerSays) {
  EXPECT_EQ(run({memory(0, 0, a, true), memory(0, 1, b), memory(1, 0, runs)}),
            nullptr);
  EXPECT_EQ(b, sums(2));
  EXPECT_EQ(runs[0], 8);
  rounds = 5;
  EXPECT_EQ(run({memory(1, 0, runs), memory(0, 1, b), memory(0, 0, a)}),
            nullptr);
  EXPECT_EQ(b, sums(7));
  EXPECT_EQ(runs[0], 9);
  EXPECT_EQ(a, sums(1));
  // Parameters are as they were compiled for whoever gives none.
  EXPECT_EQ(line.n, 100);
  EXPECT_EQ(line.rounds, 3);
  std::vector<int64_t> longA(100, 1), longB(100);
  const SluiceRegionMemory memories[] = {memory(0, 0, longA),
                                         memory(0, 1, longB)};
  const SluiceRegionRun plain = {sizeof plain, 1, 2, nullptr, memories};
  EXPECT_EQ(sluiceExecuteRegions(&line.table, &plain), nullptr);
  EXPECT_EQ(longB, std::vector<int64_t>(100, 3));
}

TEST_F(RegionRunTest, FieldsWithoutMemoryAreTheRuntimes) {
  EXPECT_EQ(run({memory(0, 1, b)}), nullptr); // a is 0
  EXPECT_EQ(b, std::vector<int64_t>(10));
  EXPECT_EQ(run({}), nullptr);
}

TEST_F(RegionRunTest, WrongArgumentsChangeNothing) {
  const std::vector<int64_t> before = b;
  auto refuses = [&](std::vector<SluiceRegionMemory> memory, const char *text) {
    const char *problem = run(std::move(memory));
    ASSERT_NE(problem, nullptr) << text;
    EXPECT_THAT(problem, HasSubstr(text));
    EXPECT_EQ(b, before);
    EXPECT_FALSE(isInTask);
  };
  refuses({memory(0, 1, b, true)},
          "field 'b' of root 'line' is written by 'add', but its memory is "
          "read-only");
  refuses({memory(0, 0, b), memory(0, 1, b)}, "share memory, and 'add'");
  refuses({memory(0, 1, b), memory(0, 1, a)}, "is given two memories");
  refuses({memory(0, 2, b)}, "memory for field 2 of root 0");
  refuses({memory(2, 0, b)}, "memory for field 0 of root 2");
  std::vector<int64_t> tooLong(11);
  refuses({memory(0, 0, tooLong)},
          "extents [10] has 80 bytes, but its memory has 88");
  SluiceRegionMemory askew = memory(0, 0, a);
  askew.memory = reinterpret_cast<char *>(tooLong.data()) + 4;
  refuses({askew}, "not aligned to 8 bytes");
  length = 0;
  refuses({}, "parameter 'n' is 0, but must be at least 1");
  length = 10;
  EXPECT_EQ(line.n, 100);
  EXPECT_THAT(sluiceExecuteRegions(nullptr, nullptr), HasSubstr("no program"));
  const SluiceRegionRun small = {8, 0, 0, nullptr, nullptr};
  EXPECT_THAT(sluiceExecuteRegions(&line.table, &small),
              HasSubstr("a run has 8 bytes"));
  ++line.table.head.version;
  EXPECT_NE(sluiceCheckRegions(&line.table), nullptr);
  EXPECT_NE(run({}), nullptr);
  --line.table.head.version;
  EXPECT_EQ(sluiceCheckRegions(&line.table), nullptr);
  EXPECT_THAT(sluiceCheckRegions(nullptr), HasSubstr("no program"));
}

TEST_F(RegionRunTest, FailuresOfTasksAreErrors) {
  fails = true;
  EXPECT_THAT(run({memory(0, 0, a), memory(0, 1, b)}),
              HasSubstr("program 'line': task 'count': an exception left it: "
                        "no more"));
  EXPECT_EQ(line.n, 100);
  fails = false;
  b.assign(b.size(), 0);
  EXPECT_EQ(run({memory(0, 0, a), memory(0, 1, b)}), nullptr);
  EXPECT_EQ(b, sums(2));
}

TEST_F(RegionRunTest, OneAtATime) {
  mayGoOn = false;
  std::thread other([&] { EXPECT_EQ(run({memory(0, 1, b)}), nullptr); });
  while (!isInTask)
    std::this_thread::yield();
  LineTable second;
  const SluiceRegionRun plain = {sizeof plain, 1, 0, nullptr, nullptr};
  EXPECT_THAT(sluiceExecuteRegions(&second.table, &plain),
              HasSubstr("while another thread runs"));
  mayGoOn = true;
  other.join();
  EXPECT_EQ(sluiceExecuteRegions(&second.table, &plain), nullptr);
}
