//===- TuningTest.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants of tasks: which are tried on what data, which are refused, what the
// file says, and what the run goes on with.
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"
#include "TestFolder.h"
#include "Testing/ProgramBuilder.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

using namespace sluice::test;
using sluice::tasks::compareValues;
using sluice::tasks::Difference;
using sluice::tasks::Tolerance;

namespace {
class TuningTest : public testing::Test {
protected:
  std::string content() const {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::string tune(OwnedRun &run) {
    const char *error = sluiceTaskRunTune(run.run, file.c_str());
    return error ? error : "";
  }

  TestFolder folder;
  const std::string file = folder.file("tuned.ini");
};
} // namespace

/// Lines that hold `text`.
static size_t numLines(const std::string &all, const std::string &text) {
  std::istringstream lines(all);
  size_t count = 0;
  for (std::string line; std::getline(lines, line);)
    count += line.find(text) != std::string::npos;
  return count;
}

/// `data` += 1 slowly, fast, wrongly, or not at all.
static uint32_t addVariants(ProgramBuilder &builder, uint32_t data,
                            std::vector<int> &calls) {
  uint32_t task = builder.task(
      "blur", {{data, inOut}}, [&calls, data](const TaskCall &call) {
        ++calls[call.variant];
        EXPECT_EQ(*call.values(data), 5); // Always the data of the run.
        switch (call.variant) {
        case 0:
          // No less than this, while the other one takes no time of its own.
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
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
  EXPECT_EQ(numLines(text, "["), 2u); // The section and an element.
  EXPECT_NE(text.find("\np1 = 2\np2 = true\n"), std::string::npos) << text;
  EXPECT_EQ(numLines(text, " = "), 2u);
  EXPECT_EQ(numLines(text, "# p1=2 p2=true: "), 1u) << text;
  EXPECT_EQ(numLines(text, "difference 0, chosen"), 1u) << text;
  EXPECT_EQ(numLines(text, "# p1=3: "), 1u);
  EXPECT_EQ(
      numLines(text,
               "refused: dataset 'image' differs in 1 of 1 element, first "
               "image[0], which is 6.5 instead of 6"),
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
                          std::vector<Number> found, Tolerance tolerance = {}) {
  SluiceTaskData data = {};
  data.size = sizeof(Number) * expected.size();
  data.elementBits = 8 * sizeof(Number);
  data.elementKind = std::is_floating_point_v<Number> ? SLUICE_ELEMENT_FLOAT
                     : std::is_signed_v<Number>       ? SLUICE_ELEMENT_INT
                                                      : SLUICE_ELEMENT_UINT;
  return compareValues(data, expected.data(), found.data(), tolerance);
}

TEST(CompareTest, Values) {
  EXPECT_TRUE(compare<int>({1, 2}, {1, 2}).agrees());
  EXPECT_FALSE(compare<int>({1, 2}, {1, 3}).agrees());
  EXPECT_TRUE(compare<float>({100, 1}, {100.0005f, 1}).agrees());
  EXPECT_FALSE(compare<float>({100, 1}, {100.005f, 1}).agrees());
  EXPECT_TRUE(compare<double>({100, 1}, {100 + 5e-9, 1}).agrees());
  EXPECT_FALSE(compare<double>({100, 1}, {100 + 5e-8, 1}).agrees());
  EXPECT_NEAR(compare<double>({-4, 1}, {-4, 2}).relative, 1, 1e-12);
  EXPECT_TRUE(compare<double>({0.0}, {-0.0}).agrees());
  EXPECT_FALSE(compare<double>({0}, {1e-300}).agrees());
}

// Each element has a tolerance of its own: one large element of a dataset says
// nothing about the others.
TEST(CompareTest, LargeElementsDoNotExcuseSmallOnes) {
  std::vector<float> expected(1 << 20, 1), found(1 << 20, 5);
  expected[77] = found[77] = 1e6f;
  Difference difference = compare<float>(expected, found);
  EXPECT_EQ(difference.numWrong, (1u << 20) - 1);
  EXPECT_EQ(difference.element, 0u);
  EXPECT_EQ(difference.expected, 1);
  EXPECT_EQ(difference.found, 5);
  found = expected;
  found[12345] = 1.001f;
  EXPECT_EQ(compare<float>(expected, found).numWrong, 1u);
  EXPECT_EQ(compare<float>(expected, found).element, 12345u);
}

TEST(CompareTest, Tolerances) {
  Tolerance absolute;
  absolute.absolute = 1e-3;
  EXPECT_TRUE(compare<double>({0, 1}, {1e-3, 1}, absolute).agrees());
  EXPECT_FALSE(compare<double>({0, 1}, {2e-3, 1}, absolute).agrees());
  EXPECT_FALSE(compare<int>({0}, {1}, {1, 1, 1}).agrees());
  Tolerance half{0.5, 0.5, 0};
  EXPECT_TRUE(compare<float>({2}, {3}, half).agrees());
  // Relative to what is expected, not to what was found.
  EXPECT_FALSE(compare<float>({2}, {3.5}, half).agrees());
  EXPECT_FALSE(compare<float>({0}, {1e-30f}, half).agrees());
}

// The rule, evaluated by itself.
TEST(CompareTest, RandomNumbers) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponents(-14, 14);
  std::uniform_int_distribution<int> kinds(0, 9);
  for (int round = 0; round != 2000; ++round) {
    Tolerance tolerance{0, std::pow(10, exponents(random)),
                        round % 2 ? std::pow(10, exponents(random)) : 0};
    std::vector<double> expected(16), found(16);
    uint64_t numWrong = 0;
    for (size_t i = 0; i != expected.size(); ++i) {
      double special[] = {NAN, INFINITY, -INFINITY, 0, -0.0};
      auto number = [&] {
        int kind = kinds(random);
        double value = std::pow(10, exponents(random));
        return kind < 5 ? special[kind] : kind % 2 ? value : -value;
      };
      expected[i] = number();
      found[i] = kinds(random) < 5 ? expected[i] : number();
      double a = expected[i], b = found[i];
      bool isNumber = std::isfinite(a) && std::isfinite(b);
      bool agrees = isNumber ? std::abs(b - a) <=
                                   tolerance.absolute +
                                       tolerance.relativeDouble * std::abs(a)
                             : (std::isnan(a) && std::isnan(b)) || a == b;
      numWrong += !agrees;
    }
    ASSERT_EQ(compare<double>(expected, found, tolerance).numWrong, numWrong);
  }
}

TEST(CompareTest, IntegersOfAllWidths) {
  EXPECT_EQ(compare<int8_t>({-128, 1}, {-128, -1}).found, -1);
  EXPECT_EQ(compare<uint8_t>({0, 1}, {255, 1}).found, 255);
  EXPECT_EQ(compare<uint16_t>({7, 7, 7}, {7, 7, 8}).element, 2u);
  EXPECT_EQ(compare<int16_t>({7, 7}, {8, 8}).numWrong, 2u);
  // A double cannot tell these apart.
  EXPECT_EQ(compare<uint64_t>({UINT64_MAX}, {UINT64_MAX - 1}).numWrong, 1u);
  EXPECT_EQ(compare<int64_t>({INT64_MAX}, {INT64_MAX - 1}).numWrong, 1u);
}

TEST(CompareTest, NumbersThatAreNone) {
  double nan = std::nan(""), infinity = INFINITY;
  EXPECT_TRUE(compare<double>({nan, 1}, {-nan, 1}).agrees());
  EXPECT_FALSE(compare<double>({nan, 1}, {0, 1}).agrees());
  EXPECT_FALSE(compare<double>({1, 1}, {nan, 1}).agrees());
  EXPECT_TRUE(compare<double>({infinity, 1}, {infinity, 1 + 1e-12}).agrees());
  EXPECT_FALSE(compare<double>({infinity}, {-infinity}).agrees());
  EXPECT_FALSE(compare<double>({1e308}, {infinity}).agrees());
  // However large the tolerance is.
  EXPECT_FALSE(compare<double>({infinity}, {1}, {1, 1, 1e300}).agrees());
  EXPECT_FALSE(compare<double>({1}, {nan}, {1, 1, 1e300}).agrees());
}
