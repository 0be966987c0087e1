//===- OpenClusterTest.cpp - What ranks must have in common ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which MPI started a process, and messages about ranks that differ.
//
//===----------------------------------------------------------------------===//

#include "OpenCluster.h"

#include <gtest/gtest.h>
#include <map>

using namespace sluice;

static std::string mpiOf(std::map<std::string, const char *> variables) {
  return launchingMPI([&](const char *name) {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  });
}

TEST(OpenCluster, IsFoundByTheVariablesOfItsLauncher) {
  EXPECT_EQ(mpiOf({}), "");
  EXPECT_EQ(mpiOf({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "1"}}),
            "openmpi");
  EXPECT_EQ(mpiOf({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}), "mpich");
  EXPECT_EQ(mpiOf({{"PMIX_RANK", "0"}}), "openmpi");
  EXPECT_EQ(mpiOf({{"SMPI_GLOBAL_SIZE", "64"}}), "smpi");
  // A simulation that something started on ranks is of its own.
  EXPECT_EQ(mpiOf({{"SMPI_GLOBAL_SIZE", "64"}, {"PMIX_RANK", "0"}}), "smpi");
  // One process is no cluster.
  EXPECT_EQ(mpiOf({{"OMPI_COMM_WORLD_SIZE", "1"}}), "");
  EXPECT_EQ(mpiOf({{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}}), "");
  EXPECT_EQ(mpiOf({{"PMI_SIZE", "many"}}), "");
}

TEST(OpenCluster, RefusesRanksThatDiffer) {
  const RankIdentity first = {"a", "0123", "Some CPU"};
  EXPECT_TRUE(compareRanks({first}).ok());
  EXPECT_TRUE(compareRanks({first, {"b", "0123", "Some CPU"}}).ok());
  EXPECT_EQ(compareRanks({first, first, {"b", "4567", "Some CPU"}}).message(),
            "ranks 0 on 'a' and 2 on 'b' run different programs, with the "
            "hashes '0123' and '4567': build the program once, and start that "
            "file everywhere");
  EXPECT_EQ(compareRanks({first, {"b", "0123", "Another"}}).message(),
            "ranks 0 on 'a' and 1 on 'b' have different processors, 'Some CPU' "
            "and 'Another', which could give different results");
}

TEST(OpenCluster, KnowsWhatItIs) {
  const RankIdentity mine = RankIdentity::ofThisProcess();
  EXPECT_EQ(mine.program.size(), 32u);
  EXPECT_NE(mine.processor, "");
  EXPECT_NE(mine.host, "");
  // The same on any processor of the machine, and each time.
  EXPECT_TRUE(compareRanks({mine, RankIdentity::ofThisProcess()}).ok());
}
