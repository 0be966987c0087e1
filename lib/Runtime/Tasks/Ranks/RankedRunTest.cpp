//===- RankedRunTest.cpp - Task graphs on ranks that are threads ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs on several ranks, which share one pool of workers here: every
// rank has in the end what it would have written alone.
//
//===----------------------------------------------------------------------===//

#include "../../Cluster/Testing/ThreadCluster.h"
#include "../Run.h"
#include "../Testing/ProgramBuilder.h"
#include "TaskRanks.h"

#include "TestFolder.h"
#include "sluice/Base/Text.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <thread>

using namespace sluice;
using namespace sluice::tasks;
using namespace sluice::test;

namespace {
/// Elements [begin, end) of a dataset.
struct Part {
  uint32_t data;
  uint32_t access;
  int64_t begin, end;
};

class RankedRunTest : public testing::TestWithParam<unsigned> {
protected:
  void SetUp() override {
    ::setenv("SLUICE_CACHE_DIR", folder.file("cache").c_str(), 1);
  }
  void TearDown() override { ::unsetenv("SLUICE_CACHE_DIR"); }

  uint32_t pick(uint32_t end) {
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(random);
  }

  static void runTask(uint32_t task, const std::vector<Part> &parts,
                      const std::function<double *(uint32_t)> &valuesOf) {
    double seen = task + 1;
    for (const Part &part : parts)
      for (int64_t i = part.begin; part.access & in && i < part.end; ++i)
        seen = seen * 0.75 + valuesOf(part.data)[i];
    for (const Part &part : parts)
      for (int64_t i = part.begin; part.access & out && i < part.end; ++i)
        valuesOf(part.data)[i] = seen += 1.0 / (i + 2);
  }

  void addTask(uint32_t number) {
    std::vector<Part> parts;
    std::vector<SluiceTaskUse> uses;
    for (uint32_t data = 0; data < counts.size(); ++data) {
      if (pick(2) == 0)
        continue;
      const auto count = static_cast<uint32_t>(counts[data]);
      const int64_t begin = pick(count);
      const int64_t end = begin + 1 + pick(count - begin);
      const uint32_t access = pick(2) ? in | out : pick(2) ? in : out;
      parts.push_back({data, access, begin, end});
      const bool isWhole = begin == 0 && end == counts[data];
      uses.push_back({data, isWhole ? access : access | in});
    }
    names.push_back(concat("t", number));
    const uint32_t index = builder->task(
        names.back().c_str(), uses, [parts, number](const TaskCall &call) {
          runTask(number, parts,
                  [&](uint32_t data) { return call.values(data); });
          return 0;
        });
    for (const Part &part : parts) {
      shapes.push_back(part.end - part.begin);
      builder->argument(index, {part.data,
                                part.access,
                                {1, 8, part.begin, &shapes.back(), &stride}});
    }
    programs.push_back(parts);
  }

  void makeProgram() {
    builder.emplace("ranks");
    counts.clear();
    names.clear();
    shapes.clear();
    programs.clear();
    for (uint32_t i = 1 + pick(3); i > 0; --i) {
      // Some have pages of their own.
      counts.push_back(pick(4) ? 1 + pick(40) : 20000);
      dataNames.push_back(concat("d", counts.size()));
      builder->data(dataNames.back().c_str(), {counts.back()});
    }
    for (uint32_t i = 1 + pick(24), number = 0; i > 0; --i, ++number)
      addTask(number);
    builder->finish();
  }

  TestFolder folder;
  std::mt19937 random;
  std::optional<ProgramBuilder> builder;
  std::vector<int64_t> counts;
  std::deque<std::string> names, dataNames;
  std::deque<int64_t> shapes;
  std::vector<std::vector<Part>> programs;
  const int64_t stride = 1;
};
} // namespace

TEST_P(RankedRunTest, GivesRanksWhatOneMachineHas) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    random.seed(seed);
    makeProgram();
    const uint32_t numRanks = 1 + pick(4);
    // By task; and by element who wrote it last.
    std::vector<uint32_t> ranks;
    std::map<std::pair<uint32_t, int64_t>, uint32_t> writers;
    std::vector<std::vector<double>> expected;
    for (int64_t count : counts)
      expected.emplace_back(count);
    std::ofstream places(folder.file("places"));
    for (uint32_t task = 0; task < programs.size(); ++task) {
      bool writes = false;
      for (const Part &part : programs[task])
        writes |= (part.access & out) != 0;
      ranks.push_back(writes ? pick(numRanks) : 0);
      places << names[task] << ' ' << ranks[task] << '\n';
      runTask(task, programs[task],
              [&](uint32_t data) { return expected[data].data(); });
      for (const Part &part : programs[task])
        for (int64_t i = part.begin; part.access & out && i < part.end; ++i)
          writers[{part.data, i}] = ranks[task];
    }
    places.close();

    ThreadCluster cluster(numRanks);
    std::vector<std::unique_ptr<SluiceTaskRun>> runs(numRanks);
    std::deque<TaskRanks> settings;
    std::vector<Status> ends(numRanks);
    std::vector<std::thread> threads;
    SluiceTaskRunOptions options = {sizeof options, 1, 0, GetParam()};
    for (uint32_t rank = 0; rank < numRanks; ++rank) {
      settings.push_back({cluster.of(rank), folder.file("places")});
      Result<std::unique_ptr<tasks::Run>> run =
          tasks::Run::create(builder->program, options, &settings.back());
      ASSERT_TRUE(run.ok()) << run.status().message();
      runs[rank].reset(new SluiceTaskRun{std::move(*run), {}});
      runs[rank]->run->handle = runs[rank].get();
    }
    for (uint32_t rank = 0; rank < numRanks; ++rank)
      threads.emplace_back(
          [&, rank] { ends[rank] = runs[rank]->run->execute(); });
    for (std::thread &thread : threads)
      thread.join();
    for (const Status &status : ends)
      ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status.message();
    EXPECT_TRUE(cluster.isQuiet());
    for (auto [element, rank] : writers) {
      auto *values =
          static_cast<const double *>(runs[rank]->run->keptData(element.first));
      ASSERT_NE(values, nullptr);
      ASSERT_EQ(values[element.second], expected[element.first][element.second])
          << "seed " << seed << ", element " << element.second << " of "
          << element.first << " on rank " << rank;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, RankedRunTest, testing::Values(1, 2, 4));
