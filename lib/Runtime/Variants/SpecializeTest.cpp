//===- SpecializeTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants from a fake helper that notes its arguments and copies a prebuilt
// shared object. The variant adds 1000 where the generic kernel adds 1.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"
#include "TestFolder.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace sluice;
using namespace sluice::test;
namespace fs = std::filesystem;

static void addOne(const SluiceInvocation *invocation, uint64_t begin,
                   uint64_t end) {
  auto *data = at<int64_t *>(invocation, 0);
  for (uint64_t i = begin; i < end; ++i)
    data[i] += 1;
}

static void extentFromFrame(const unsigned char *frame, int64_t *extents) {
  std::memcpy(extents, frame + 16, 8);
  extents[1] = extents[2] = 1;
}

namespace {
class SpecializeTest : public RuntimeTest {
protected:
  void SetUp() override {
    options.cacheDirectory = folder + "/cache";
    options.maxVariants = 8;
    writeHelper("cp \"" SLUICE_TEST_VARIANT "\" \"$out.tmp\" && "
                "mv \"$out.tmp\" \"$out\"");
    builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    builder.argument("count", 8);
    uint64_t shape = builder.argument("width", 4);
    uint32_t node = builder.node("root/leaf", addOne, extentFromFrame);
    builder.shape(node, shape, 4);
    builder.plan.specializer = &specializer;
    plan = builder.finish();
    RuntimeTest::SetUp();
  }
  void TearDown() override {
    RuntimeTest::TearDown();
    runtime.reset();
    // No helper may still be at work in the folder.
    EXPECT_TRUE(await([&] { return numEnded() == calls().size(); }));
  }

  /// Waits for some minutes at most, since helpers may be slow to start on a
  /// busy machine.
  template <typename Condition> static bool await(Condition condition) {
    for (int round = 0; round < 50000 && !condition(); ++round)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
  }

  /// The helper: notes its arguments, runs `command`, and notes its end.
  void writeHelper(const std::string &command) {
    helper = folder + "/helper";
    std::ofstream out(helper);
    out << "#!/bin/sh\ntrap 'echo >> " << folder << "/ends' EXIT\n"
        << "echo \"$@\" >> " << folder << "/calls\n"
        << "cp \"$2\" " << folder << "/code\n"
        << "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
        << command << "\n";
    out.close();
    ::chmod(helper.c_str(), 0755);
    specializer = {"the code", 8, helper.c_str(), "-march=native"};
  }
  std::vector<std::string> linesOf(const char *name) {
    std::ifstream in(folder + "/" + name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
      lines.push_back(line);
    return lines;
  }
  std::vector<std::string> calls() { return linesOf("calls"); }
  size_t numEnded() { return linesOf("ends").size(); }
  /// One launch; true if the variant ran.
  bool ranVariant(int64_t count, int width = 7) {
    std::vector<int64_t> data(64, 0);
    Structure structure;
    structure.add(data.data()).add(uint64_t(512)).add(count).add(width);
    run(plan, structure);
    for (int64_t i = 0; i < 64; ++i)
      EXPECT_EQ(data[i], i < count ? data[0] : 0);
    return data[0] == 1000;
  }
  /// Launches until the variant runs.
  bool becomesVariant(int64_t count, int width = 7) {
    return await([&] { return ranVariant(count, width); });
  }
  std::string variants() const { return options.cacheDirectory + "/variants"; }
  size_t numFiles(const char *extension) {
    size_t count = 0;
    for (auto &entry : fs::directory_iterator(variants()))
      count += entry.path().extension() == extension;
    return count;
  }

  TestFolder own;
  const std::string &folder = own.path;
  std::string helper;
  SluicePlanSpecializer specializer;
  PlanBuilder builder;
  const SluicePlan *plan = nullptr;
};
} // namespace

TEST_P(SpecializeTest, CompilesAfterEqualLaunches) {
  EXPECT_FALSE(ranVariant(10));
  EXPECT_FALSE(ranVariant(10));
  EXPECT_FALSE(fs::exists(options.cacheDirectory));
  ASSERT_TRUE(becomesVariant(10));
  ASSERT_EQ(calls().size(), 1u);
  std::string cache = variants();
  std::string call = calls()[0];
  EXPECT_EQ(call.substr(0, call.find(cache)), "--specialize ");
  EXPECT_NE(call.find(".bc --node root/leaf --extents 10,1,1 --shape 7 "
                      "--options -march=native -o " +
                      cache),
            std::string::npos)
      << call;
  std::ifstream code(folder + "/code");
  EXPECT_TRUE(std::string(std::istreambuf_iterator<char>(code), {})
                  .starts_with("the code\nsluice-seal"));
  struct stat info;
  ASSERT_EQ(::stat(cache.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_P(SpecializeTest, OtherValuesKeepTheGenericKernel) {
  ASSERT_TRUE(becomesVariant(10));
  EXPECT_FALSE(ranVariant(11));
  EXPECT_FALSE(ranVariant(10, 8));
  EXPECT_TRUE(ranVariant(10));
}

TEST_P(SpecializeTest, WithoutOtherValuesTheExtentsDecide) {
  PlanBuilder other;
  other.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  other.argument("count", 8);
  other.argument("width", 4);
  other.node("root/leaf", addOne, extentFromFrame);
  other.plan.specializer = &specializer;
  plan = other.finish();
  ASSERT_TRUE(becomesVariant(10));
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(ranVariant(10));
    EXPECT_TRUE(ranVariant(10, 8));
    EXPECT_FALSE(ranVariant(0));
    EXPECT_TRUE(ranVariant(10));
  }
  EXPECT_FALSE(ranVariant(11));
  ASSERT_TRUE(becomesVariant(11));
  EXPECT_TRUE(ranVariant(10));
  EXPECT_FALSE(ranVariant(12));
  EXPECT_TRUE(ranVariant(11));
}

TEST_P(SpecializeTest, TheNextRunStartsWithTheVariant) {
  ASSERT_TRUE(becomesVariant(10));
  start();
  EXPECT_TRUE(ranVariant(10));
  EXPECT_EQ(calls().size(), 1u);
}

// It may make better code, or code without a mistake.
TEST_P(SpecializeTest, ANewVersionOfTheHelperCompilesAnew) {
  ASSERT_TRUE(becomesVariant(10));
  std::ofstream(helper, std::ios::app) << "# a newer one\n";
  start();
  EXPECT_FALSE(ranVariant(10));
  ASSERT_TRUE(becomesVariant(10));
  EXPECT_EQ(calls().size(), 2u);
}

/// Sweeps over the same arrays are many nodes with one kernel.
TEST_P(SpecializeTest, NodesWithOneKernelShareItsVariants) {
  PlanBuilder several;
  several.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  several.argument("count", 8);
  uint64_t width = several.argument("width", 4);
  uint64_t height = several.argument("height", 4);
  const std::pair<const char *, uint64_t> nodes[] = {
      {"root/first", width}, {"root/second", width}, {"root/other", height}};
  for (uint32_t i = 0; i < 3; ++i) {
    several.node(nodes[i].first, addOne, extentFromFrame);
    several.shape(i, nodes[i].second, 4);
    if (i)
      several.order(i - 1, i);
  }
  several.plan.specializer = &specializer;
  plan = several.finish();
  auto allRan = [&] {
    std::vector<int64_t> data(64, 0);
    Structure structure;
    structure.add(data.data())
        .add(uint64_t(512))
        .add(int64_t(10))
        .add(7)
        .add(9);
    run(plan, structure);
    return data[0] == 3000;
  };
  ASSERT_TRUE(await(allRan));
  std::vector<std::string> made = calls();
  std::sort(made.begin(), made.end());
  ASSERT_EQ(made.size(), 2u);
  EXPECT_NE(made[0].find("--node root/first --extents 10,1,1 --shape 7 "),
            std::string::npos);
  EXPECT_NE(made[1].find("--node root/other --extents 10,1,1 --shape 9 "),
            std::string::npos);
}

TEST_P(SpecializeTest, KeepsAtMostEightVariants) {
  for (int64_t count = 1; count <= 10; ++count)
    ASSERT_TRUE(becomesVariant(count));
  // The first two were closed, but their files are still there.
  EXPECT_TRUE(ranVariant(10));
  EXPECT_TRUE(becomesVariant(1));
  EXPECT_EQ(calls().size(), 10u);
  EXPECT_EQ(numFiles(".so"), 10u);
  EXPECT_EQ(numFiles(".bc"), 1u);
}

/// Opening files would take longer than variants save.
TEST_P(SpecializeTest, ValuesThatTakeTurnsDoNotTakeVariantsFromEachOther) {
  for (int64_t count = 1; count <= 8; ++count)
    ASSERT_TRUE(becomesVariant(count));
  for (int round = 0; round < 50; ++round)
    for (int64_t count = 1; count <= 12; ++count)
      EXPECT_EQ(ranVariant(count), count <= 8) << count;
  EXPECT_EQ(calls().size(), 8u);
}

TEST_P(SpecializeTest, ValuesThatComeBackGetAVariantAfterManyThatDidNot) {
  for (int round = 0; round < 5000; ++round)
    EXPECT_FALSE(ranVariant(1 + round % 64));
  EXPECT_TRUE(becomesVariant(7));
  EXPECT_EQ(calls().size(), 1u);
  // And keeps it.
  for (int round = 0; round < 2000; ++round)
    EXPECT_FALSE(ranVariant(8 + round % 56));
  EXPECT_TRUE(becomesVariant(7));
  EXPECT_EQ(calls().size(), 1u);
}

TEST_P(SpecializeTest, AValueThatChangesIsNoConstant) {
  for (int width = 0; width < 12; ++width)
    EXPECT_FALSE(ranVariant(10, width));
  // One variant serves all of its values from now on.
  int width = 12;
  ASSERT_TRUE(await([&] { return ranVariant(10, width++); }));
  for (width = 0; width < 40; ++width)
    EXPECT_TRUE(ranVariant(10, width));
  ASSERT_EQ(calls().size(), 1u);
  EXPECT_NE(calls()[0].find("--extents 10,1,1 --shape ? "), std::string::npos)
      << calls()[0];
}

TEST_P(SpecializeTest, FewValuesGetAVariantEach) {
  for (int width = 0; width < 8; ++width)
    ASSERT_TRUE(becomesVariant(10, width));
  for (int width = 0; width < 8; ++width)
    EXPECT_TRUE(ranVariant(10, width));
  EXPECT_EQ(calls().size(), 8u);
}

// Each further variant for the same extents must be worth it.
TEST_P(SpecializeTest, MoreValuesNeedMoreLaunches) {
  ASSERT_TRUE(becomesVariant(10, 0));
  for (int round = 0; round < 5; ++round)
    EXPECT_FALSE(ranVariant(10, 1));
  EXPECT_EQ(calls().size(), 1u);
  EXPECT_TRUE(becomesVariant(10, 1));
}

TEST_P(SpecializeTest, ForgetsVariantsOfAValueThatChanges) {
  ASSERT_TRUE(becomesVariant(10, 0));
  for (int width = 1; width < 12; ++width)
    EXPECT_FALSE(ranVariant(10, width));
  ASSERT_TRUE(becomesVariant(10, 0));
  EXPECT_TRUE(ranVariant(10, 100));
  EXPECT_EQ(calls().size(), 2u);
}

// As in the levels of a multigrid, where each has sizes of its own.
TEST_P(SpecializeTest, ValuesThatFollowExtentsStayConstants) {
  for (int count = 1; count <= 8; ++count)
    ASSERT_TRUE(becomesVariant(count, 2 * count));
  EXPECT_EQ(calls().size(), 8u);
  EXPECT_FALSE(ranVariant(8, 100));
}

TEST_P(SpecializeTest, WorksWithoutHelper) {
  specializer.helper = "/nonexistent/helper";
  for (int round = 0; round < 20; ++round)
    EXPECT_FALSE(ranVariant(10));
}

TEST_P(SpecializeTest, AFailingHelperIsAskedOnce) {
  writeHelper("exit 1");
  for (int round = 0; round < 20; ++round)
    EXPECT_FALSE(ranVariant(10));
  ASSERT_TRUE(await([&] { return numEnded() == 1; }));
  for (int round = 0; round < 20; ++round)
    EXPECT_FALSE(ranVariant(10));
  // Helpers are asked one after the other, so that another value comes after a
  // second request for this one.
  for (int round = 0; round < 3; ++round)
    EXPECT_FALSE(ranVariant(11));
  ASSERT_TRUE(await([&] { return numEnded() == 2; }));
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_NE(calls()[1].find("--extents 11,1,1"), std::string::npos);
}

TEST_P(SpecializeTest, IgnoresFilesThatOthersMayWrite) {
  ASSERT_TRUE(becomesVariant(10));
  for (auto &entry : fs::directory_iterator(variants()))
    fs::permissions(entry.path(), fs::perms::all);
  start();
  EXPECT_FALSE(ranVariant(10));
}

TEST_P(SpecializeTest, IgnoresBrokenFiles) {
  ASSERT_TRUE(becomesVariant(10));
  runtime.reset();
  for (auto &entry : fs::directory_iterator(variants()))
    std::ofstream(entry.path(), std::ios::trunc) << "no shared object";
  start();
  EXPECT_FALSE(ranVariant(10));
}

TEST_P(SpecializeTest, CanBeTurnedOff) {
  options.specializeAfter = 0;
  start();
  for (int round = 0; round < 10; ++round)
    EXPECT_FALSE(ranVariant(10));
  // It is made for the first request.
  EXPECT_FALSE(fs::exists(options.cacheDirectory));
}

TEST_P(SpecializeTest, DoesNotWaitForTheHelperAtTheEnd) {
  // A helper that does not end before the runtime did.
  writeHelper("for i in $(seq 6000); do [ -e " + folder +
              "/go ] && break; sleep 0.05; done; touch " + folder + "/ended");
  for (int round = 0; round < 5; ++round)
    EXPECT_FALSE(ranVariant(10));
  ASSERT_TRUE(await([&] { return calls().size() == 1; }));
  runtime.reset();
  EXPECT_FALSE(fs::exists(folder + "/ended"));
  std::ofstream(folder + "/go") << "go";
}

TEST_P(SpecializeTest, LimitsTheHelper) {
  // Limits are set while it runs already.
  writeHelper("for i in $(seq 2000); do [ $(ulimit -t) = unlimited ] || break; "
              "sleep 0.01; done; ulimit -t >> " +
              folder + "/limit");
  for (int round = 0; round < 5; ++round)
    ranVariant(10);
  ASSERT_TRUE(await([&] { return numEnded() == 1; }));
  EXPECT_EQ(linesOf("limit"), std::vector<std::string>{"121"});
}

INSTANTIATE_TEST_SUITE_P(Workers, SpecializeTest, testing::Values(1, 2));
