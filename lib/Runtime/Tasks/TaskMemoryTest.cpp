//===- TaskMemoryTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When datasets use memory, and when they return it.
//
//===----------------------------------------------------------------------===//

#include "Testing/ProgramBuilder.h"

#include "DatasetMemory.h"

#include <algorithm>
#include <sys/mman.h>

using namespace sluice::test;
using sluice::tasks::DatasetMemory;

using Values = std::vector<double>;
constexpr int64_t large = 1 << 20; // elements

/// Pages of an array that are there.
static size_t numPages(const void *array, size_t bytes) {
  auto first = reinterpret_cast<uintptr_t>(array) & ~uintptr_t(4095);
  size_t count = (reinterpret_cast<uintptr_t>(array) + bytes - first) / 4096;
  std::vector<unsigned char> present(count + 1);
  EXPECT_EQ(
      ::mincore(reinterpret_cast<void *>(first), count * 4096, present.data()),
      0);
  return std::count_if(present.begin(), present.end(),
                       [](unsigned char page) { return page & 1; });
}

namespace {
class TaskMemoryTest : public testing::Test {
protected:
  ~TaskMemoryTest() { DatasetMemory::setKeptBytesLimit(uint64_t(256) << 20); }
};

/// One task after another writes a dataset of its own and reads the last one.
class Chain {
public:
  explicit Chain(int length) : arrays(length) {
    for (int i = 0; i < length; ++i) {
      uint32_t data = builder.data("link", {large});
      std::vector<SluiceTaskUse> uses = {{data, inOut}};
      if (i)
        uses.push_back({data - 1, in});
      builder.task("step", uses, [this, i, data](const TaskCall &call) {
        arrays[i] = call.values(data);
        wereZero = wereZero && std::all_of(arrays[i], arrays[i] + large,
                                           [](double v) { return v == 0; });
        for (int64_t k = 0; k < large; ++k)
          arrays[i][k] = i ? arrays[i - 1][k] + 1 : 1;
        max = std::max(max, present());
        return i == failing ? 1 : 0;
      });
    }
  }
  size_t present() const {
    size_t sum = 0;
    for (double *array : arrays)
      if (array)
        sum += numPages(array, 8 * large);
    return sum;
  }

  ProgramBuilder builder;
  std::vector<double *> arrays;
  size_t max = 0;
  bool wereZero = true;
  int failing = -1;
};
} // namespace

TEST_F(TaskMemoryTest, IsUsedFromFirstToLastUse) {
  DatasetMemory::setKeptBytesLimit(0);
  Chain chain(10);
  OwnedRun run(chain.builder.finish(), 2, false);
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(run.execute(), "");
    // Two arrays at a time, and pages at the ends that are shared with others.
    EXPECT_LE(chain.max, 2 * (8 * large / 4096 + 2) + 1024);
    EXPECT_LT(chain.present(), 100u);
    EXPECT_TRUE(chain.wereZero);
  }
}

TEST_F(TaskMemoryTest, IsGivenBackAfterFailures) {
  DatasetMemory::setKeptBytesLimit(0);
  Chain chain(4);
  OwnedRun run(chain.builder.finish(), 2);
  chain.failing = 2;
  EXPECT_NE(run.execute(), "");
  EXPECT_LT(chain.present(), 100u);
  chain.failing = -1;
  EXPECT_EQ(run.execute(), "");
  EXPECT_EQ(run.values(3, 2), (Values{4, 4}));
  EXPECT_TRUE(chain.wereZero);
}

TEST_F(TaskMemoryTest, SomeIsKeptForLaterRuns) {
  DatasetMemory::setKeptBytesLimit(3 * 8 * large);
  Chain chain(6);
  {
    OwnedRun run(chain.builder.finish(), 2, false);
    for (int round = 0; round < 3; ++round) {
      ASSERT_EQ(run.execute(), "");
      EXPECT_EQ(DatasetMemory::keptBytes(), uint64_t(3 * 8 * large));
      EXPECT_TRUE(chain.wereZero);
    }
  }
  EXPECT_EQ(DatasetMemory::keptBytes(), 0u);
}

TEST_F(TaskMemoryTest, KeptDataStaysUntilTheNextRun) {
  DatasetMemory::setKeptBytesLimit(0);
  Chain chain(3);
  OwnedRun run(chain.builder.finish(), 2, true);
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(run.execute(), "");
    for (uint32_t i = 0; i < 3; ++i)
      EXPECT_EQ(run.values(i, large), Values(large, i + 1));
    EXPECT_TRUE(chain.wereZero);
  }
}

TEST_F(TaskMemoryTest, InitialValuesComeBackInEveryRun) {
  ProgramBuilder builder;
  Values initial(large);
  for (int64_t i = 0; i < large; ++i)
    initial[i] = static_cast<double>(i);
  uint32_t data = builder.data("data", {large}, initial);
  bool wereInitial = true;
  builder.task("spoil", {{data, inOut}}, [&](const TaskCall &call) {
    wereInitial = wereInitial &&
                  std::equal(initial.begin(), initial.end(), call.values(data));
    std::fill_n(call.values(data), large, -1);
    return 0;
  });
  OwnedRun run(builder.finish(), 2, false);
  for (int round = 0; round < 3; ++round)
    ASSERT_EQ(run.execute(), "");
  EXPECT_TRUE(wereInitial);
}

/// What a task promises to write as a whole need not be cleared before.
TEST_F(TaskMemoryTest, OverwrittenDataIsNotTouchedBefore) {
  ProgramBuilder builder;
  uint32_t data = builder.data("data", {large});
  size_t before = 0;
  builder.task("write", {{data, out}}, [&](const TaskCall &call) {
    before = numPages(call.values(data), 8 * large);
    std::fill_n(call.values(data), large, 2);
    return 0;
  });
  OwnedRun run(builder.finish(), 2);
  ASSERT_EQ(run.execute(), "");
  EXPECT_LT(before, 100u);
  EXPECT_EQ(run.values(data, large), Values(large, 2));
}

TEST_F(TaskMemoryTest, TooMuchIsAnError) {
  ProgramBuilder builder;
  builder.data("vast", {int64_t(1) << 57});
  builder.task("task", {}, [](const TaskCall &) { return 0; });
  const char *error = nullptr;
  EXPECT_EQ(sluiceTaskRunCreate(&builder.finish(), nullptr, &error), nullptr);
  std::string text = error;
  std::string expected = "no memory for the 1152921504606846976 bytes of "
                         "dataset 'vast': this machine has ";
  EXPECT_EQ(text.substr(0, expected.size()), expected);
  EXPECT_GT(std::stoull(text.substr(expected.size())), 1u << 20) << text;
}

//===----------------------------------------------------------------------===//
// Objects of Python
//===----------------------------------------------------------------------===//

static std::vector<std::string> calls;

static const SluicePythonHooks hooks = {
    [](void *object) {
      calls.push_back("release " +
                      std::to_string(reinterpret_cast<uintptr_t>(object)));
    },
    [](SluiceTaskRun *run) -> void * {
      calls.push_back("begin");
      return run;
    },
    [](SluiceTaskRun *run, void *state) {
      calls.push_back(run == state ? "end" : "bad end");
    }};

TEST_F(TaskMemoryTest, ObjectsAreReleasedAfterTheirLastUse) {
  ProgramBuilder builder;
  SluiceTaskData object = {};
  object.name = "object";
  object.kind = SLUICE_DATA_PYOBJ;
  object.size = 8;
  uint32_t data = builder.data(object), unused = builder.data(object);
  bool fails = false;
  std::vector<SluiceTaskUse> uses = {{data, inOut}, {unused, inOut}};
  builder.task("make", uses, [&](const TaskCall &call) {
    EXPECT_EQ(*call.values<uintptr_t>(data), 0u);
    *call.values<uintptr_t>(data) = 17;
    return fails ? 1 : 0;
  });
  builder.task("use", uses, [&](const TaskCall &call) {
    EXPECT_EQ(*call.values<uintptr_t>(data), 17u);
    calls.push_back("use");
    return 0;
  });
  sluiceSetPythonHooks(&hooks);
  SluiceTaskProgram &program = builder.finish();
  using Calls = std::vector<std::string>;
  {
    OwnedRun run(program, 2, false);
    EXPECT_EQ(run.execute(), "");
    EXPECT_EQ(calls, (Calls{"begin", "use", "release 17", "end"}));
    calls.clear();
    fails = true;
    EXPECT_NE(run.execute(), "");
    EXPECT_EQ(calls, (Calls{"begin", "release 17", "end"}));
    fails = false;
  }
  calls.clear();
  {
    OwnedRun run(program, 2, true);
    EXPECT_EQ(run.execute(), "");
    EXPECT_EQ(calls, (Calls{"begin", "use", "end"}));
    EXPECT_EQ(run.execute(), "");
  }
  EXPECT_EQ(calls, (Calls{"begin", "use", "end", "release 17", "begin", "use",
                          "end", "release 17"}));
  sluiceSetPythonHooks(nullptr);
}
