//===- SharedReductionsTest.cpp - Sums that several ranks have a part in --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans from a rank's own points of launches that reduce to the same elements,
// and of graphs behind others that made the fields of their partitions: they
// are those of all points, and results those of one machine.
//
//===----------------------------------------------------------------------===//

#include "../../Cluster/Testing/LoneRank.h"
#include "../../Cluster/Testing/ThreadCluster.h"
#include "../Testing/PlanText.h"
#include "../Testing/ReducingProgram.h"
#include "../Testing/RegionsTest.h"

#include "Rounds.h"

#include <array>
#include <thread>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {
struct Counts {
  unsigned numGraphs = 0, numReduced = 0, numMessages = 0, numAfterGiven = 0;
};

/// The plans of one rank's graphs.
std::vector<std::string> planAll(unsigned seed,
                                 const ReducingProgram::Options &options,
                                 uint32_t rank, uint32_t numRanks,
                                 PlanFrom from, Counts &counts) {
  const SluiceCluster cluster = sluice::test::loneRank(rank, numRanks);
  RegionProgram program("test", nullptr, false, &cluster);
  program.choosePlan(from);
  std::vector<std::string> texts;
  ReducingProgram(seed, options).run(program, [&] {
    Result<LocalGraph> planned = program.planLocal();
    ASSERT_TRUE(planned.ok()) << planned.status().message();
    ++counts.numGraphs;
    counts.numReduced += planned->isFootprint;
    counts.numAfterGiven += planned->isFootprint && !texts.empty();
    for (const TableTask &task : planned->local->table.tasks)
      counts.numMessages += task.isOutside;
    texts.push_back(textOf(*planned));
    program.forgetGraph(*planned->all);
  });
  return texts;
}

void comparePlans(unsigned seed, const ReducingProgram::Options &options,
                  uint32_t numRanks, Counts &counts) {
  std::mt19937 random(seed);
  Counts ofAll;
  for (uint32_t rank : {0u, uint32_t(random() % numRanks), numRanks - 1}) {
    const auto expected =
        planAll(seed, options, rank, numRanks, PlanFrom::AllPoints, ofAll);
    const auto planned =
        planAll(seed, options, rank, numRanks, PlanFrom::Footprint, counts);
    ASSERT_EQ(expected.size(), planned.size());
    for (size_t g = 0; g < expected.size(); ++g)
      ASSERT_EQ(expected[g], planned[g])
          << "seed " << seed << " graph " << g << " rank " << rank << " of "
          << numRanks;
  }
}
} // namespace

TEST(SharedReductions, ArePlannedAsAllPointsTell) {
  Counts counts;
  for (unsigned seed = 1; seed <= sluice::test::rounds(90); ++seed) {
    const uint32_t numRanks = std::array{2, 3, 5, 8, 24, 70}[seed % 6];
    // Up to several points in a group of 64, of different ranks.
    const int64_t numColors = std::max<int64_t>(
        2, numRanks * std::array{1, 2, 3, 5}[seed / 6 % 4] - seed % 3);
    comparePlans(seed, {numColors, 1 + seed % 3, seed % 8 == 0, seed % 7 == 0},
                 numRanks, counts);
    if (testing::Test::HasFatalFailure())
      return;
  }
  EXPECT_GT(counts.numReduced, counts.numGraphs / 2);
  EXPECT_GT(counts.numAfterGiven, counts.numGraphs / 8);
  EXPECT_GT(counts.numMessages, counts.numGraphs);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

namespace {
/// The parameter is the number of workers of each rank.
class ReducingRanksTest : public testing::TestWithParam<unsigned> {
protected:
  /// What each rank has in the end.
  std::vector<std::vector<uint64_t>>
  runAll(unsigned seed, const ReducingProgram::Options &options,
         uint32_t numRanks) {
    static constexpr PlanFrom plans[] = {
        PlanFrom::Footprint, PlanFrom::Footprint, PlanFrom::AllPoints,
        PlanFrom::Smaller};
    sluice::test::ThreadCluster cluster(numRanks);
    std::vector<std::vector<uint64_t>> results(numRanks);
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < numRanks; ++rank)
      threads.emplace_back([&, rank] {
        RuntimeOptions runtimeOptions;
        runtimeOptions.numWorkers = GetParam();
        Runtime runtime(runtimeOptions);
        RegionProgram program("test", &runtime, false, &cluster.of(rank));
        if (numRanks > 1)
          program.choosePlan(plans[(seed / 5 + rank) % 4]);
        ReducingProgram reducing(seed, options);
        reducing.run(program,
                     [&] { EXPECT_EQ(program.endGraph().message(), ""); });
        results[rank] = reducing.takeResults();
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_TRUE(cluster.isQuiet());
    return results;
  }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Workers, ReducingRanksTest, testing::Values(1, 2));

TEST_P(ReducingRanksTest, ResultsAreThoseOfOneMachine) {
  for (unsigned seed = 1; seed <= sluice::test::rounds(40); ++seed) {
    const uint32_t numRanks = std::array{2, 3, 5, 8}[seed % 4];
    const ReducingProgram::Options options = {
        std::array{8, 65, 150, 24, 100}[seed % 5], 1 + seed % 4, seed % 9 == 0,
        seed % 7 == 0};
    const auto expected = runAll(seed, options, 1);
    const auto found = runAll(seed, options, numRanks);
    for (uint32_t rank = 0; rank < numRanks; ++rank)
      ASSERT_EQ(expected[0], found[rank])
          << "seed " << seed << " rank " << rank << " of " << numRanks;
  }
}
