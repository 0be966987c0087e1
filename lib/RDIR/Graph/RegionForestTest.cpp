//===- RegionForestTest.cpp - Aliasing, subregions, constraints -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the forest proves about two regions, with and without constraints.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/RegionForest.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;

namespace {

/// A > P (disjoint, complete, 4), Q (aliased, incomplete, 4); B apart.
struct RegionForestTest : testing::Test {
  RegionForest forest;
  RegionIndex A = forest.addRoot("A"), B = forest.addRoot("B");
  RegionIndex P = forest.addPartition("P", A, true, true, 4);
  RegionIndex Q = forest.addPartition("Q", A, false, false, 4);
  RegionIndex P0 = forest.getSubregion(P, 0), P1 = forest.getSubregion(P, 1);
  RegionIndex Q0 = forest.getSubregion(Q, 0), Q1 = forest.getSubregion(Q, 1);
};

} // namespace

TEST_F(RegionForestTest, SubregionsAreFoundAgain) {
  EXPECT_EQ(forest.getSubregion(P, 1), P1);
  EXPECT_EQ(forest.name(P1), "P[1]");
  EXPECT_EQ(forest.name(Q), "Q");
  size_t size = forest.size();
  std::vector<RegionIndex> regions;
  for (int64_t color = -500; color < 500; ++color)
    regions.push_back(forest.getSubregion(Q, color));
  EXPECT_EQ(forest.size(), size + 998);
  for (int64_t color = -500; color < 500; ++color)
    EXPECT_EQ(forest.getSubregion(Q, color), regions[color + 500]);
}

TEST_F(RegionForestTest, TreesAlias) {
  EXPECT_TRUE(forest.mayAlias(A, A));
  EXPECT_FALSE(forest.mayAlias(A, B));
  EXPECT_TRUE(forest.mayAlias(A, P1));
  EXPECT_TRUE(forest.mayAlias(P1, A));
  EXPECT_FALSE(forest.mayAlias(P0, P1));
  EXPECT_TRUE(forest.mayAlias(Q0, Q1));
  EXPECT_TRUE(forest.mayAlias(P0, Q1));
  RegionIndex deep0 =
      forest.getSubregion(forest.addPartition("D", P0, false, false), 0);
  RegionIndex deep1 =
      forest.getSubregion(forest.addPartition("E", P1, false, false), 0);
  EXPECT_FALSE(forest.mayAlias(deep0, deep1));
  EXPECT_FALSE(forest.mayAlias(deep0, P1));
  EXPECT_TRUE(forest.mayAlias(deep0, Q));
}

TEST_F(RegionForestTest, CompletePartitionsHaveTheirParentsElements) {
  EXPECT_TRUE(forest.isSubregion(P0, A));
  EXPECT_TRUE(forest.isSubregion(A, P));
  EXPECT_TRUE(forest.isSubregion(Q1, P));
  EXPECT_FALSE(forest.isSubregion(A, Q));
  EXPECT_FALSE(forest.isSubregion(P0, Q));
  EXPECT_FALSE(forest.isSubregion(A, P0));
  EXPECT_FALSE(forest.isBelow(A, P));
  EXPECT_FALSE(forest.isBelow(Q1, P));
  EXPECT_TRUE(forest.isBelow(P, A));
  EXPECT_TRUE(forest.isBelow(Q1, A));
  RegionIndex one = forest.addPartition("One", P0, true, true, 1);
  EXPECT_TRUE(forest.isSubregion(P0, forest.getSubregion(one, 0)));
}

TEST_F(RegionForestTest, DisjointConstraintsAreInherited) {
  RegionIndex deep =
      forest.getSubregion(forest.addPartition("D", Q0, false, false), 7);
  EXPECT_TRUE(forest.mayAlias(deep, P1));
  forest.addDisjointConstraint(P1, Q0);
  EXPECT_FALSE(forest.mayAlias(deep, P1));
  EXPECT_FALSE(forest.mayAlias(P1, deep));
  EXPECT_TRUE(forest.mayAlias(deep, P0));
  EXPECT_TRUE(forest.mayAlias(Q1, P1));
  EXPECT_TRUE(forest.mayAlias(P1, P1));
}

TEST_F(RegionForestTest, SubregionConstraintsCarryDisjointness) {
  EXPECT_TRUE(forest.mayAlias(Q0, P1));
  forest.addSubregionConstraint(Q0, P0);
  EXPECT_TRUE(forest.isSubregion(Q0, P0));
  EXPECT_TRUE(forest.isBelow(Q0, P0));
  EXPECT_FALSE(forest.isSubregion(P0, Q0));
  EXPECT_FALSE(forest.mayAlias(Q0, P1));
  EXPECT_TRUE(forest.mayAlias(Q0, P0));
  EXPECT_TRUE(forest.mayAlias(Q1, P1));
}

TEST_F(RegionForestTest, ConstraintsJoinRoots) {
  RegionIndex C = forest.addRoot("C");
  RegionIndex R = forest.addPartition("R", B, true, false, 2);
  RegionIndex R0 = forest.getSubregion(R, 0), R1 = forest.getSubregion(R, 1);
  forest.addSubregionConstraint(P0, R0);
  EXPECT_TRUE(forest.mayAlias(A, B));
  EXPECT_TRUE(forest.mayAlias(P0, R0));
  EXPECT_FALSE(forest.mayAlias(P0, R1));
  EXPECT_TRUE(forest.mayAlias(P1, R1));
  EXPECT_FALSE(forest.mayAlias(A, C));
}
