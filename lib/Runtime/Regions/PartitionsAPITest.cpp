//===- PartitionsAPITest.cpp - Partitions and operators without tasks -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice-c/Partitions.h as programs for other runtimes use it: without
// sluiceInit.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/Regions.h"

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
