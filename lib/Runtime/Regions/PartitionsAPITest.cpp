//===- PartitionsAPITest.cpp - Partitions and operators without tasks -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice-c/Partitions.h as programs for other runtimes use it: without
// sluiceInit.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/Regions.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace {
struct PartitionsAPITest : testing::Test {
  PartitionsAPITest() {
    const SluiceField field = {"color", SLUICE_I32, 1};
    root = sluiceAddRoot(program, "grid", 2, extents, 1, &field);
  }
  ~PartitionsAPITest() override { sluiceProgramDestroy(program); }

  const int64_t extents[2] = {4, 6};
  SluiceProgram *program = sluiceProgramCreate("test");
  uint32_t root;
};
} // namespace

TEST_F(PartitionsAPITest, HasTheElementsOfParts) {
  const int64_t colors[] = {2, 3}, width[] = {0, 1};
  uint32_t blocks = sluiceAddBlocks(program, "blocks", root,
                                    SLUICE_NO_PARTITION, 0, 2, colors);
  uint32_t halos = sluiceAddHalos(program, "halos", blocks, width, 1);
  int32_t rank = 0;
  int64_t found[SLUICE_MAX_RANK] = {};
  EXPECT_EQ(sluiceColorsOf(program, halos, &rank, found), 6);
  EXPECT_EQ(rank, 2);
  EXPECT_EQ(found[0], 2);
  EXPECT_EQ(found[1], 3);
  const SluiceDomain *whole =
      sluiceElementsOf(program, {root, SLUICE_NO_PARTITION, -1});
  EXPECT_EQ(whole->count, 24);
  EXPECT_EQ(whole->stride[0], 6);
  const SluiceDomain *halo = sluiceElementsOf(program, {root, halos, 4});
  EXPECT_EQ(halo->lower[0], 2);
  EXPECT_EQ(halo->lower[1], 1);
  EXPECT_EQ(halo->upper[1], 5);
  EXPECT_EQ(halo->count, 8);
  EXPECT_EQ(halo->runs, nullptr);
  EXPECT_EQ(sluiceElementsOf(program, {root, halos, -1})->count, 24);
}

TEST_F(PartitionsAPITest, ReadsFieldsThatTheProgramWrites) {
  auto *field = static_cast<int32_t *>(sluiceRootField(program, root, 0));
  for (int i = 0; i != 24; ++i)
    field[i] = i % 4;
  const int64_t colors[] = {3};
  uint32_t byField = sluiceAddByField(program, "byField", root, 0, 1, colors);
  const SluiceDomain *one = sluiceElementsOf(program, {root, byField, 1});
  EXPECT_EQ(one->count, 6);
  ASSERT_EQ(one->numRuns, 6);
  EXPECT_EQ(one->runs[1].begin, 5);
  EXPECT_EQ(one->runs[1].end, 6);
}

TEST_F(PartitionsAPITest, DealsColorsThatAreNeighboursToOneRank) {
  const int64_t colors[] = {2, 4};
  uint32_t blocks = sluiceAddBlocks(program, "blocks", root,
                                    SLUICE_NO_PARTITION, 0, 2, colors);
  std::vector<uint32_t> ranks(8);
  sluiceDealColors(program, blocks, 4, ranks.data());
  EXPECT_EQ(ranks, (std::vector<uint32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  // A cut between rows is as long as two between columns would be.
  sluiceDealColors(program, blocks, 2, ranks.data());
  EXPECT_EQ(ranks, (std::vector<uint32_t>{0, 0, 1, 1, 0, 0, 1, 1}));
  sluiceDealColors(program, blocks, 1, ranks.data());
  EXPECT_EQ(ranks, std::vector<uint32_t>(8, 0));
  EXPECT_EXIT(sluiceDealColors(program, 9, 2, ranks.data()),
              testing::ExitedWithCode(1), "there is no partition 9");
  EXPECT_EXIT(sluiceDealColors(program, blocks, 0, ranks.data()),
              testing::ExitedWithCode(1), "there are no ranks");
}

TEST_F(PartitionsAPITest, PlansReductions) {
  const int64_t rows[] = {4, 1}, width[] = {1, 0};
  uint32_t blocks =
      sluiceAddBlocks(program, "rows", root, SLUICE_NO_PARTITION, 0, 2, rows);
  uint32_t halos = sluiceAddHalos(program, "halos", blocks, width, 1);
  const SluiceReduction sum = {SLUICE_REDUCE_SUM, nullptr, nullptr};
  const int64_t all[] = {0, 1, 2, 3}, ends[] = {0, 3};
  uint8_t isShared[8];
  int32_t isTiny;
  auto plan = [&](std::vector<SluiceReducer> reducers, int64_t numPoints) {
    std::fill_n(isShared, 8, 9);
    isTiny = 9;
    return sluicePlanReduction(program, root, 0, &sum, numPoints,
                               static_cast<uint32_t>(reducers.size()),
                               reducers.data(), isShared, &isTiny);
  };
  // Nobody meets anybody.
  EXPECT_EQ(plan({{blocks, all}}, 4), 0);
  EXPECT_EQ(isShared[0] + isShared[3] + isTiny, 0);
  EXPECT_EQ(plan({{blocks, all}}, 0), 0);
  EXPECT_EQ(isTiny, 0);
  // All of 96 bytes are shared: a copy of them for each point.
  EXPECT_EQ(plan({{halos, all}}, 4), 4);
  EXPECT_EQ(isShared[0] + isShared[1] + isShared[2] + isShared[3], 4);
  EXPECT_EQ(isTiny, 1);
  // The ends of one partition meet a color of the other each.
  EXPECT_EQ(plan({{blocks, ends}, {halos, ends}}, 2), 0);
  const int64_t turned[] = {3, 0};
  EXPECT_EQ(plan({{blocks, ends}, {halos, turned}}, 2), 2);
  EXPECT_EQ(isShared[0] + isShared[1] + isShared[2] + isShared[3], 4);
  // All colors together, and the root.
  EXPECT_EQ(plan({{blocks, nullptr}}, 3), 3);
  EXPECT_EQ(plan({{SLUICE_NO_PARTITION, nullptr}}, 1), 0);
  const int64_t outside[] = {4};
  EXPECT_EXIT(plan({{blocks, outside}}, 1), testing::ExitedWithCode(1),
              "sluice: error: sluicePlanReduction: partition 'rows' of root "
              "'grid' has no color 4");
  EXPECT_EXIT(plan({{7, all}}, 1), testing::ExitedWithCode(1),
              "there is no partition 7");
  EXPECT_EXIT(sluicePlanReduction(program, root, 3, &sum, 1, 0, nullptr,
                                  isShared, &isTiny),
              testing::ExitedWithCode(1), "root 'grid' has no field 3");
}

TEST_F(PartitionsAPITest, RefusesWhatIsNotThere) {
  int32_t rank;
  int64_t found[SLUICE_MAX_RANK];
  EXPECT_EXIT(sluiceColorsOf(program, 3, &rank, found),
              testing::ExitedWithCode(1),
              "sluice: error: sluiceColorsOf: there is no partition 3; the "
              "program 'test' has 0 partitions");
  EXPECT_EXIT(sluiceElementsOf(program, {7, SLUICE_NO_PARTITION, 0}),
              testing::ExitedWithCode(1),
              "sluice: error: sluiceElementsOf: there is no root 7; the "
              "program 'test' has 1 root");
}

TEST_F(PartitionsAPITest, RunsNoGraphsWithoutARuntime) {
  auto runGraph = [&] {
    sluiceBeginGraph(program, "main");
    sluiceEndGraph(program);
  };
  EXPECT_EXIT(runGraph(), testing::ExitedWithCode(1),
              "sluice: error: sluiceEndGraph: program 'test' was made before "
              "sluiceInit");
}

TEST(OperatorsAPI, FoldAndReset) {
  const SluiceReduction max = {SLUICE_REDUCE_MAX, nullptr, nullptr};
  std::vector<int16_t> into = {3, -4, 5}, values = {1, 2, 30000};
  sluiceFoldValues(&max, SLUICE_I16, into.data(), values.data(), 3);
  EXPECT_EQ(into, (std::vector<int16_t>{3, 2, 30000}));
  EXPECT_EQ(values, (std::vector<int16_t>{-32768, -32768, -32768}));
  const double nothing = 1.0;
  const SluiceReduction times = {
      SLUICE_REDUCE_CUSTOM, &nothing, [](void *into, const void *value) {
        *static_cast<double *>(into) *= *static_cast<const double *>(value);
      }};
  std::vector<double> product = {0.0, 0.0}, factors = {2.0, 4.0};
  sluiceResetValues(&times, SLUICE_F64, product.data(), 2);
  sluiceFoldValues(&times, SLUICE_F64, product.data(), factors.data(), 2);
  EXPECT_EQ(product, (std::vector<double>{2.0, 4.0}));
  EXPECT_EQ(factors, (std::vector<double>{1.0, 1.0}));
}
