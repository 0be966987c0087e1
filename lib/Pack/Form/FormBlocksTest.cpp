//===- FormBlocksTest.cpp - Tests of lists cut into equal blocks ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that the order of bytes does not change, and that lists with accidental
// neighbours become lists of equal blocks, but not lists without a common
// length.
//
//===----------------------------------------------------------------------===//

#include "FormBuilding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace sluice::pack;

namespace {

using RunList = std::vector<ByteRun>;

/// Blocks at distinct random multiples of their size, so that some neighbours
/// are adjacent.
void addShuffled(RunList &runs, int count, int range, int64_t block,
                 int64_t origin, unsigned seed) {
  std::vector<int64_t> places(static_cast<size_t>(range));
  std::iota(places.begin(), places.end(), 0);
  std::mt19937 random(seed);
  std::shuffle(places.begin(), places.end(), random);
  // Makes two adjacent, whatever the shuffle did.
  std::iter_swap(places.begin() + 1, std::find(places.begin(), places.end(),
                                               (places[0] + 1) % range));
  for (int i = 0; i != count; ++i)
    runs.push_back({origin + places[static_cast<size_t>(i)] * block, block});
}

std::vector<int64_t> placesOf(const Form &form) {
  std::vector<int64_t> places;
  forEachRun(form, 0, [&](int64_t offset, int64_t length) {
    for (int64_t i = 0; i != length; ++i)
      places.push_back(offset + i);
  });
  return places;
}

TEST(FormBlocksTest, ListsWithChanceNeighboursBecomeEqualBlocks) {
  RunList runs;
  addShuffled(runs, 3000, 3500, 24, 0, 1);
  addShuffled(runs, 3000, 3500, 8, 1 << 20, 2);
  addShuffled(runs, 3000, 3500, 8, 1 << 21, 3);
  PlacedForm list = simplifyRuns(runs);
  ASSERT_EQ(list.form->kind, FormKind::Runs);
  FormRef cut = cutIntoEqualBlocks(list.form);
  ASSERT_EQ(cut->kind, FormKind::Sequence);
  ASSERT_EQ(cut->children.size(), 2u);
  for (size_t i = 0; i != 2; ++i) {
    EXPECT_EQ(cut->children[i]->kind, FormKind::Indexed);
    EXPECT_EQ(cut->children[i]->children.front()->size, i == 0 ? 24 : 8);
  }
  EXPECT_EQ(placesOf(*cut), placesOf(*list.form));
  EXPECT_EQ(cut->size, list.form->size);
  EXPECT_EQ(cut->low, list.form->low);
  EXPECT_EQ(cut->high, list.form->high);
}

TEST(FormBlocksTest, ALongRunAmongBlocksStaysWhole) {
  RunList runs;
  addShuffled(runs, 1000, 4000, 12, 0, 4);
  runs.push_back({1 << 20, 5000});
  addShuffled(runs, 1000, 4000, 12, 1 << 21, 5);
  PlacedForm list = simplifyRuns(runs);
  FormRef cut = cutIntoEqualBlocks(list.form);
  ASSERT_EQ(cut->kind, FormKind::Sequence);
  ASSERT_EQ(cut->children.size(), 3u);
  EXPECT_EQ(cut->children[1]->kind, FormKind::Block);
  EXPECT_EQ(cut->children[1]->size, 5000);
  EXPECT_EQ(placesOf(*cut), placesOf(*list.form));
}

TEST(FormBlocksTest, ListsWithoutACommonLengthStay) {
  std::mt19937 random(6);
  RunList runs;
  int64_t at = 0;
  for (int i = 0; i != 2000; ++i) {
    runs.push_back({at, 1 + static_cast<int64_t>(random() % 60)});
    at += 64 + static_cast<int64_t>(random() % 64);
  }
  PlacedForm list = simplifyRuns(runs);
  EXPECT_EQ(cutIntoEqualBlocks(list.form), list.form);
}

TEST(FormBlocksTest, ShortListsAndOtherFormsStay) {
  RunList runs;
  addShuffled(runs, 100, 120, 8, 0, 7);
  for (const FormRef &form :
       {simplifyRuns(runs).form, blockForm(5), emptyForm(),
        repeat({0, blockForm(4)}, 300, 16).form})
    EXPECT_EQ(cutIntoEqualBlocks(form), form);
}

TEST(FormBlocksTest, ListsWithinLoopsAreCut) {
  RunList runs;
  addShuffled(runs, 2000, 2500, 8, 0, 8);
  PlacedForm list = simplifyRuns(runs);
  FormRef loop = makeStrided({{3, 1 << 16}}, list.form);
  FormRef cut = cutIntoEqualBlocks(loop);
  ASSERT_EQ(cut->kind, FormKind::Strided);
  EXPECT_EQ(cut->children.front()->kind, FormKind::Indexed);
  EXPECT_EQ(placesOf(*cut), placesOf(*loop));
}

} // namespace
