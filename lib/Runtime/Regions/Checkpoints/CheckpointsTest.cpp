//===- CheckpointsTest.cpp - Programs that go on where they were ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that ends early, and one on another number of ranks that goes on
// from its checkpoint: the results are those of a run from begin to end.
//
//===----------------------------------------------------------------------===//

#include "../../Cluster/Testing/ThreadCluster.h"
#include "../Testing/RegionsTest.h"

#include <filesystem>
#include <fstream>
#include <thread>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace files = std::filesystem;

namespace {
constexpr int64_t n = 60, numSteps = 25;

class CheckpointsTest : public RegionsTest {
protected:
  void SetUp() override {
    RegionsTest::SetUp();
    std::string name = testing::TempDir() + "sluice-checkpoints-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override {
    end();
    RegionsTest::TearDown();
    files::remove_all(folder);
  }
  void end() {
    programs.clear();
    runtimes.clear();
    cluster.reset();
  }
  void start(uint32_t numRanks, CheckpointSettings settings) {
    end();
    cluster = std::make_unique<sluice::test::ThreadCluster>(numRanks);
    for (uint32_t rank = 0; rank < numRanks; ++rank) {
      RuntimeOptions options;
      options.numWorkers = GetParam();
      runtimes.push_back(std::make_unique<Runtime>(options));
      programs.push_back(std::make_unique<RegionProgram>(
          "walk", runtimes.back().get(), false, &cluster->of(rank)));
    }
    if (!settings.folder.empty())
      found = onAll([&](size_t rank) {
        return programs[rank]->useCheckpoints(settings);
      });
  }
  /// Has each rank do the same, at the same time.
  template <typename Function> Status onAll(Function &&function) {
    std::vector<Status> results(programs.size());
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < programs.size(); ++rank)
      threads.emplace_back([&, rank] { results[rank] = function(rank); });
    for (std::thread &thread : threads)
      thread.join();
    for (Status &status : results)
      if (!status.ok())
        return std::move(status);
    return {};
  }
  template <typename Build> Status runGraph(Build &&build) {
    for (auto &each : programs) {
      std::swap(program, each);
      build();
      std::swap(program, each);
    }
    return onAll([&](size_t rank) { return programs[rank]->endGraph(); });
  }

  /// A walk along links, which change as well: `steps` of them, or up to
  /// `limit`.
  Status walk(int64_t steps = numSteps, int64_t limit = 1000);
  void addSteps(int64_t steps, int64_t limit);
  /// All bytes of the roots.
  std::string results();

  std::string folder;
  /// What looking for a checkpoint gave.
  Status found;
  std::unique_ptr<sluice::test::ThreadCluster> cluster;
  std::vector<std::unique_ptr<Runtime>> runtimes;
  std::vector<std::unique_ptr<RegionProgram>> programs;
  uint32_t line = 0, sum = 1, going = 2, blocks = 0, targets = 1;
  std::atomic<int> numRun{0};
};

INSTANTIATE_TEST_SUITE_P(Workers, CheckpointsTest, testing::Values(1, 2));
} // namespace

void CheckpointsTest::addSteps(int64_t steps, int64_t limit) {
  check(program->beginLoop(steps, going));
  SluiceArgument reduced = argument(sum, SLUICE_PRIVILEGE_REDUCE);
  reduced.reduction.kind = SLUICE_REDUCE_SUM;
  add("step", {6},
      {argument(line, SLUICE_PRIVILEGE_READ, 1, targets),
       argument(line, SLUICE_PRIVILEGE_READ_WRITE, 6, blocks), reduced},
      [this](const SluiceTask &task, const SluiceView *views) {
        numRun += task.point[0] == 0;
        double all = 0;
        forEachElement(views[0],
                       [&](int64_t i) { all += field<double>(views[0])[i]; });
        forEachElement(views[1], [&](int64_t i) {
          field<int64_t>(views[1], 0)[i] += i;
          field<double>(views[1], 1)[i] = all / static_cast<double>(3 + i);
        });
        *field<double>(views[2]) = all;
      });
  add("swap", {6}, {argument(line, SLUICE_PRIVILEGE_READ_WRITE, 5, blocks)},
      [](const SluiceTask &, const SluiceView *views) {
        forEachElement(views[0], [&](int64_t i) {
          std::swap(field<double>(views[0], 0)[i],
                    field<double>(views[0], 1)[i]);
        });
      });
  add("test", {},
      {argument(sum, SLUICE_PRIVILEGE_READ),
       argument(going, SLUICE_PRIVILEGE_READ_WRITE, 1)},
      [limit](const SluiceTask &, const SluiceView *views) {
        // Also counts its calls, in what is not tested.
        int64_t &value = *field<int64_t>(views[1]);
        value = value + 1 < limit && *field<double>(views[0]) < 1e300
                    ? value + 1
                    : 0;
      });
  check(program->endLoop());
}

Status CheckpointsTest::walk(int64_t steps, int64_t limit) {
  numRun = 0;
  for (auto &each : programs) {
    std::swap(program, each);
    line = addRoot(
        "line", {n},
        {{"x", SLUICE_F64, 1}, {"next", SLUICE_I64, 1}, {"y", SLUICE_F64, 1}});
    sum = addRoot("sum", {1}, {{"x", SLUICE_F64, 1}});
    going = addRoot("going", {1}, {{"x", SLUICE_I64, 1}});
    blocks = addBlocks("blocks", line, {6});
    std::swap(program, each);
  }
  Status status = runGraph([&] {
    check(program->beginGraph("build"));
    add("build", {},
        {argument(line, SLUICE_PRIVILEGE_WRITE_DISCARD, 7),
         argument(going, SLUICE_PRIVILEGE_WRITE_DISCARD)},
        [](const SluiceTask &, const SluiceView *views) {
          *field<int64_t>(views[1]) = 1;
          for (int64_t i = 0; i < n; ++i) {
            field<double>(views[0], 0)[i] = 1.0 / static_cast<double>(1 + i);
            field<int64_t>(views[0], 1)[i] = (i * 7 + 3) % n;
            field<double>(views[0], 2)[i] = 0;
          }
        });
  });
  if (status.ok())
    status = onAll([&](size_t rank) {
      Result<uint32_t> made =
          programs[rank]->addImage("targets", line, blocks, 1);
      if (made.ok() && rank == 0) // all have the same
        targets = *made;
      return made.takeStatus();
    });
  if (!status.ok())
    return status;
  return runGraph([&] {
    check(program->beginGraph("main"));
    add("before", {6}, {argument(line, SLUICE_PRIVILEGE_READ_WRITE, 1, blocks)},
        [](const SluiceTask &, const SluiceView *views) {
          forEachElement(views[0],
                         [&](int64_t i) { field<double>(views[0])[i] += 1; });
        });
    addSteps(steps, limit);
    add("after", {6}, {argument(line, SLUICE_PRIVILEGE_READ_WRITE, 4, blocks)},
        [](const SluiceTask &, const SluiceView *views) {
          forEachElement(views[0],
                         [&](int64_t i) { field<double>(views[0])[i] /= 3; });
        });
  });
}

std::string CheckpointsTest::results() {
  std::string all;
  for (uint32_t root : {line, sum, going})
    for (uint32_t field = 0; field < (root == line ? 3u : 1u); ++field) {
      check(onAll([&](size_t rank) {
        return programs[rank]->bringEverywhere(root, field);
      }));
      all.append(static_cast<const char *>(
                     valueOf(programs.back()->rootField(root, field))),
                 (root == line ? n : 1) * 8);
    }
  return all;
}

TEST_P(CheckpointsTest, AnotherNumberOfRanksGoesOnWithTheSameBytes) {
  start(1, {});
  check(walk());
  const std::string expected = results();
  const uint32_t numRanks[][2] = {{4, 3}, {1, 4}, {3, 1}, {5, 8}, {2, 2}};
  for (const auto &[first, second] : numRanks) {
    SCOPED_TRACE(testing::Message() << first << " to " << second);
    start(first, {folder, 10});
    check(walk());
    EXPECT_EQ(results(), expected);
    // It did not end: the last checkpoint is there, and no other.
    EXPECT_EQ(numRun, numSteps);
    EXPECT_TRUE(files::exists(folder + "/walk.2/state"));
    EXPECT_EQ(std::distance(files::directory_iterator(folder),
                            files::directory_iterator()),
              1);
    // One that was not written to its end does not count.
    files::create_directory(folder + "/walk.new");
    start(second, {folder, 10});
    check(walk());
    EXPECT_EQ(numRun, 5);
    EXPECT_EQ(results(), expected);
    check(onAll([&](size_t rank) {
      programs[rank]->finish();
      return Status();
    }));
    EXPECT_TRUE(files::is_empty(folder));
  }
}

TEST_P(CheckpointsTest, TheLengthOfALoopMayBeAnother) {
  start(1, {});
  check(walk(40));
  const std::string expected = results();
  start(3, {folder, 7});
  check(walk(15));
  start(2, {folder, 9});
  check(walk(40));
  EXPECT_EQ(numRun, 40 - 14);
  EXPECT_EQ(results(), expected);
}

TEST_P(CheckpointsTest, ALoopWithATestEndsWhereItDid) {
  for (int64_t limit : {1, 4, 5, 6, 12, 20}) {
    SCOPED_TRACE(limit);
    start(1, {});
    check(walk(INT64_MAX, limit));
    const std::string expected = results();
    const int before = numRun;
    start(3, {folder, 5});
    check(walk(INT64_MAX, limit));
    EXPECT_EQ(numRun, before);
    EXPECT_EQ(results(), expected);
    start(2, {folder, 5});
    check(walk(INT64_MAX, limit));
    EXPECT_EQ(results(), expected);
    EXPECT_EQ(numRun, before - (before - 1) / 5 * 5);
    end();
    files::remove_all(folder);
  }
}

TEST_P(CheckpointsTest, WhatDoesNotFitIsRefused) {
  start(2, {folder, 10});
  check(walk());
  end();
  {
    std::ofstream state(folder + "/walk.2/state", std::ios::app);
    state << "root other [4]\n";
  }
  start(2, {folder, 10});
  EXPECT_EQ(walk().message(),
            "the checkpoint '" + folder +
                "/walk.2' is of another program, of other parameters or of "
                "another processor; remove it to begin anew");
  files::resize_file(folder + "/walk.2/state", 3);
  start(2, {folder, 10});
  EXPECT_EQ(found.message(), "cannot read the checkpoint '" + folder +
                                 "/walk.2'; remove it to begin anew");
}

TEST_P(CheckpointsTest, WhatCannotBeWrittenLeavesTheOneBefore) {
  start(1, {});
  check(walk());
  const std::string expected = results();
  start(2, {folder, 10});
  check(walk(15));
  end();
  ASSERT_TRUE(files::exists(folder + "/walk.1/state"));
  // A file is in the way of the folder's parent.
  std::ofstream(folder + "/file") << "x";
  start(2, {folder + "/file", 10});
  testing::internal::CaptureStderr();
  check(walk());
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "sluice: warning: no checkpoint after 10 iterations: cannot "
                "create directory"),
            std::string::npos);
  EXPECT_EQ(results(), expected);
  EXPECT_TRUE(files::exists(folder + "/walk.1/state"));
}

TEST_P(CheckpointsTest, AllRanksHaveTheSameSettings) {
  start(3, {});
  CheckpointSettings of[] = {{"/a", 5}, {"/a", 5}, {"/a", 5}};
  auto compare = [&](size_t rank) {
    return of[rank].compare(cluster->of(static_cast<uint32_t>(rank)));
  };
  EXPECT_EQ(onAll(compare).message(), "");
  const std::string expected =
      "SLUICE_CHECKPOINT or SLUICE_CHECKPOINT_EVERY of rank 2 is not that of "
      "rank 0; have the launcher hand them on to all machines";
  of[2].folder = "/b/../a/"; // another spelling
  EXPECT_EQ(onAll(compare).message(), "");
  of[2].every = 6;
  EXPECT_EQ(onAll(compare).message(), expected);
  of[2] = {};
  EXPECT_EQ(onAll(compare).message(), expected);
}

TEST(CheckpointSettings, AreRead) {
  ::setenv("SLUICE_CHECKPOINT", "/some/folder", 1);
  ::setenv("SLUICE_CHECKPOINT_EVERY", "12", 1);
  Result<CheckpointSettings> settings = CheckpointSettings::fromEnvironment();
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->folder, "/some/folder");
  EXPECT_EQ(settings->every, 12);
  for (const char *wrong : {"0", "-3", "x", "5x"}) {
    ::setenv("SLUICE_CHECKPOINT_EVERY", wrong, 1);
    EXPECT_EQ(CheckpointSettings::fromEnvironment().status().message(),
              std::string("SLUICE_CHECKPOINT_EVERY is '") + wrong +
                  "', expected a number of iterations, at least 1");
  }
  ::unsetenv("SLUICE_CHECKPOINT");
  ::unsetenv("SLUICE_CHECKPOINT_EVERY");
  settings = CheckpointSettings::fromEnvironment();
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->folder, "");
}
