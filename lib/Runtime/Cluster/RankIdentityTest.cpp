//===- RankIdentityTest.cpp - What ranks must have in common --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about ranks that differ, and what they tell each other.
//
//===----------------------------------------------------------------------===//

#include "RankIdentity.h"

#include "Testing/ThreadCluster.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

using namespace sluice;

TEST(RankIdentity, RefusesRanksThatDiffer) {
  const RankIdentity first = {"a", "0123", "Some CPU", "--n=3"};
  EXPECT_TRUE(compareRanks({first}).ok());
  EXPECT_TRUE(compareRanks({first, {"b", "0123", "Some CPU", "--n=3"}}).ok());
  EXPECT_EQ(compareRanks({first, first, {"b", "4567", "Some CPU"}}).message(),
            "ranks 0 on 'a' and 2 on 'b' run different programs, with the "
            "hashes '0123' and '4567': build the program once, and start that "
            "file everywhere");
  EXPECT_EQ(compareRanks({first, {"b", "0123", "Another"}}).message(),
            "ranks 0 on 'a' and 1 on 'b' have different processors, 'Some CPU' "
            "and 'Another', which could give different results");
  EXPECT_EQ(compareRanks({first, {"b", "0123", "Some CPU", ""}}).message(),
            "ranks 0 on 'a' and 1 on 'b' have different arguments, '--n=3' and "
            "none: start all ranks with the same");
  RankIdentity other = first;
  other.settings = {"", "sequential"};
  EXPECT_EQ(compareRanks({first, other}).message(),
            "ranks 0 on 'a' and 1 on 'a' have different values of "
            "SLUICE_EXECUTOR, none and 'sequential': give all ranks the same "
            "(Open MPI's launcher hands it to other machines with '-x "
            "SLUICE_EXECUTOR')");
}

TEST(RankIdentity, ComparesWhatSettingsMean) {
  EXPECT_EQ(meaningOfSetting("SLUICE_EXECUTOR", "pool"), "");
  EXPECT_EQ(meaningOfSetting("SLUICE_EXECUTOR", "sequential"), "sequential");
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT_EVERY", "100"), "");
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT_EVERY", "007"), "7");
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT", ""), "");
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT", "kept/"),
            meaningOfSetting("SLUICE_CHECKPOINT", "./x/../kept"));
  // Machines may have different paths for one working folder.
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT", "kept"), "kept");
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT", "./"), ".");
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT_EVERY", "0"), "0");
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT_EVERY", "000"), "0");
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT_EVERY", "0100"), "");
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECKPOINT_EVERY", ""), "");
  EXPECT_EQ(meaningOfSetting("SLUICE_RECORD", "/"), "/");
  EXPECT_EQ(meaningOfSetting("GLIBC_TUNABLES", "b=1:a=2:"),
            meaningOfSetting("GLIBC_TUNABLES", "a=2:b=1"));
  // The last one counts.
  EXPECT_NE(meaningOfSetting("GLIBC_TUNABLES", "a=1:a=2"),
            meaningOfSetting("GLIBC_TUNABLES", "a=2:a=1"));
  // Unset, it is what the program was built for.
  EXPECT_EQ(meaningOfSetting("SLUICE_CHECK", "0"), "0");
}

TEST(RankIdentity, KnowsWhatItIs) {
  const RankIdentity mine = RankIdentity::ofThisProcess();
  EXPECT_EQ(mine.program.size(), 32u);
  EXPECT_NE(mine.processor, "");
  EXPECT_NE(mine.host, "");
  // The same on any processor of the machine, and each time.
  EXPECT_TRUE(compareRanks({mine, RankIdentity::ofThisProcess()}).ok());
}

TEST(RankIdentity, IsGatheredWithTheBeginningOfLongTexts) {
  ::setenv("GLIBC_TUNABLES", std::string(1000, 'x').c_str(), 1);
  test::ThreadCluster cluster(2);
  std::vector<RankIdentity> ranks;
  std::thread other([&] { (void)gatherIdentities(cluster.of(1)); });
  ranks = gatherIdentities(cluster.of(0));
  other.join();
  ::unsetenv("GLIBC_TUNABLES");
  EXPECT_TRUE(compareRanks(ranks).ok());
  ASSERT_EQ(ranks.size(), 2u);
  const std::string &text = ranks[1].settings.back();
  EXPECT_EQ(text.substr(0, 3), "xxx");
  EXPECT_NE(text.find("... (hash "), std::string::npos);
  EXPECT_LT(text.size(), 160u);
}
