//===- TuningTest.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants of tasks: which are tried on what data, which are refused, what the
// file says, and what the run goes on with.
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"
#include "ProgramBuilder.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

using namespace sluice::test;
using sluice::tasks::compareValues;
using sluice::tasks::Difference;

constexpr uint32_t in = ProgramBuilder::in, inOut = ProgramBuilder::inOut;

namespace {
class TuningTest : public testing::Test {
protected:
  TuningTest() {
    std::string pattern = testing::TempDir() + "tuningXXXXXX";
    folder = ::mkdtemp(pattern.data());
    file = folder + "/tuned.ini";
  }
  ~TuningTest() override { std::filesystem::remove_all(folder); }
  std::string content() const {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::string tune(OwnedRun &run) {
    const char *error = sluiceTaskRunTune(run.run, file.c_str());
    return error ? error : "";
  }

  std::string folder, file;
};
} // namespace

static void sleepFor(int microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

/// Lines that hold `text`.
static size_t numLines(const std::string &all, const std::string &text) {
  std::istringstream lines(all);
  size_t count = 0;
  for (std::string line; std::getline(lines, line);)
    count += line.find(text) != std::string::npos;
  return count;
}

/// `data` += 1 slowly, fast, wrongly and very fast, or not at all.
static uint32_t addVariants(ProgramBuilder &builder, uint32_t data,
                            std::vector<int> &calls) {
  uint32_t task = builder.task(
      "blur", {{data, inOut}}, [&calls, data](const TaskCall &call) {
        ++calls[call.variant];
        EXPECT_EQ(*call.values(data), 5); // Always the data of the run.
        switch (call.variant) {
        case 0:
          sleepFor(3000);
          break;
        case 1:
          sleepFor(500);
          break;
        case 3:
          sluiceTaskError("needs 16 rows\nat least");
          return -1;
        }
        *call.values(data) += call.variant == 2 ? 1.5 : 1;
        return 0;
      });
  builder.variants(task, {"p1=1", "p1=2 p2=true", "p1=3", "p1=4"});
  return task;
}

TEST_F(TuningTest, ChoosesTheFastestThatAgrees) {
  ProgramBuilder builder("radar");
  uint32_t data = builder.data("image", {1});
  std::vector<int> calls(4);
  builder.task("load", {{data, inOut}}, [=](const TaskCall &call) {
    *call.values(data) = 5;
    return 0;
  });
  addVariants(builder, data, calls);
  double after = 0;
  builder.task("save", {{data, in}}, [&, data](const TaskCall &call) {
    after = *call.values(data);
    return 0;
  });
  OwnedRun run(builder.finish());
  ASSERT_EQ(tune(run), "");
  EXPECT_EQ(after, 6); // Of the first variant.
  EXPECT_GE(calls[0], 2);
  EXPECT_GE(calls[1], 2);
  EXPECT_EQ(calls[2], 1);
  EXPECT_EQ(calls[3], 1);
  std::string text = content();
  EXPECT_EQ(numLines(text, "graph 'radar'"), 1u);
  EXPECT_EQ(numLines(text, "[blur]"), 1u);
  EXPECT_EQ(numLines(text, "["), 1u);
  EXPECT_NE(text.find("\np1 = 2\np2 = true\n"), std::string::npos) << text;
  EXPECT_EQ(numLines(text, " = "), 2u);
  EXPECT_EQ(numLines(text, "# p1=2 p2=true: "), 1u) << text;
  EXPECT_EQ(numLines(text, "difference 0, chosen"), 1u) << text;
  EXPECT_EQ(numLines(text, "# p1=3: "), 1u);
  EXPECT_EQ(numLines(text, "refused: dataset 'image' differs by 0.083 of the "
                           "largest magnitude in it"),
            1u)
      << text;
  EXPECT_EQ(numLines(text, "# p1=4: refused: failed: needs 16 rows"), 1u)
      << text;
  // Afterwards runs are as usual.
  EXPECT_EQ(run.execute(), "");
  EXPECT_EQ(run.values(data, 1), std::vector<double>{6});
}

TEST_F(TuningTest, OneFailingFirstVariantFailsTheRun) {
  ProgramBuilder builder;
  uint32_t task = builder.task("blur", {}, [](const TaskCall &call) {
    return call.variant == 0 ? 9 : 0;
  });
  builder.variants(task, {"a=1", "a=2"});
  OwnedRun run(builder.finish());
  EXPECT_EQ(tune(run),
            "task 'blur' (kernel at meta.cpp:2:3): the kernel returned 9");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(TuningTest, TasksOfOneVariantRunOnce) {
  ProgramBuilder builder;
  int numCalls = 0;
  builder.task("only", {}, [&](const TaskCall &) {
    ++numCalls;
    return 0;
  });
  OwnedRun run(builder.finish());
  EXPECT_EQ(tune(run), "");
  EXPECT_EQ(numCalls, 1);
  EXPECT_EQ(numLines(content(), "["), 0u);
}

TEST_F(TuningTest, SaysWhyThereIsNoFile) {
  ProgramBuilder builder;
  builder.task("task", {}, [](const TaskCall &) { return 0; });
  OwnedRun run(builder.finish());
  const char *error = sluiceTaskRunTune(run.run, "/nowhere/tuned.ini");
  ASSERT_NE(error, nullptr);
  EXPECT_NE(std::string(error).find("/nowhere/tuned.ini"), std::string::npos)
      << error;
}

TEST_F(TuningTest, RunsWithoutTuningCallTheFirstVariant) {
  ProgramBuilder builder;
  uint32_t data = builder.data("data", {1}, {5});
  std::vector<int> calls(4);
  addVariants(builder, data, calls);
  OwnedRun run(builder.finish());
  EXPECT_EQ(run.execute(), "");
  EXPECT_EQ(calls, (std::vector<int>{1, 0, 0, 0}));
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

template <typename Number>
static Difference compare(std::vector<Number> expected,
                          std::vector<Number> found) {
  SluiceTaskData data = {};
  data.size = sizeof(Number) * expected.size();
  data.elementBits = 8 * sizeof(Number);
  data.elementKind = std::is_floating_point_v<Number> ? SLUICE_ELEMENT_FLOAT
                                                      : SLUICE_ELEMENT_INT;
  return compareValues(data, expected.data(), found.data());
}

TEST(CompareTest, Values) {
  EXPECT_TRUE(compare<int>({1, 2}, {1, 2}).agrees);
  EXPECT_FALSE(compare<int>({1, 2}, {1, 3}).agrees);
  EXPECT_TRUE(compare<float>({100, 0}, {100, 5e-4f}).agrees);
  EXPECT_FALSE(compare<float>({100, 0}, {100, 5e-3f}).agrees);
  EXPECT_TRUE(compare<double>({100, 0}, {100, 5e-9}).agrees);
  EXPECT_FALSE(compare<double>({100, 0}, {100, 5e-8}).agrees);
  EXPECT_NEAR(compare<double>({-4, 1}, {-4, 2}).relative, 0.25, 1e-12);
  EXPECT_TRUE(compare<double>({0.0}, {-0.0}).agrees);
  EXPECT_FALSE(compare<double>({0}, {1e-300}).agrees);
}

TEST(CompareTest, NumbersThatAreNone) {
  double nan = std::nan(""), infinity = INFINITY;
  EXPECT_TRUE(compare<double>({nan, 1}, {-nan, 1}).agrees);
  EXPECT_FALSE(compare<double>({nan, 1}, {0, 1}).agrees);
  EXPECT_FALSE(compare<double>({1, 1}, {nan, 1}).agrees);
  EXPECT_TRUE(compare<double>({infinity, 1}, {infinity, 1 + 1e-12}).agrees);
  EXPECT_FALSE(compare<double>({infinity}, {-infinity}).agrees);
  EXPECT_FALSE(compare<double>({1e308}, {infinity}).agrees);
}
