//===- FormTest.cpp - Tests of normal forms -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the forms of equal layouts built in different ways, and that the order
// of bytes does not change, for many random layouts.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Form.h"

#include "../Testing/NaiveLayout.h"
#include "FormBuilding.h"
#include "sluice/Pack/Datatype.h"

#include <gtest/gtest.h>

using namespace sluice::pack;

namespace {

std::string text(const PlacedForm &placed) {
  return toText({placed.offset, 1000, placed.form});
}

PlacedForm bytes(int64_t size) { return {0, blockForm(size)}; }

std::vector<int64_t> placesOf(const PlacedForm &placed) {
  std::vector<int64_t> places;
  forEachRun(*placed.form, placed.offset, [&](int64_t offset, int64_t length) {
    for (int64_t i = 0; i != length; ++i)
      places.push_back(offset + i);
  });
  return places;
}

TEST(FormTest, ABlockOfNoBytesIsEmpty) {
  EXPECT_EQ(blockForm(0)->kind, FormKind::Empty);
  EXPECT_EQ(*blockForm(0), *emptyForm());
  EXPECT_EQ(text(repeat(bytes(0), 5, 8)), "no bytes");
  EXPECT_EQ(text(repeat(bytes(4), 0, 8)), "no bytes");
  EXPECT_EQ(text(placeAt(bytes(4), {})), "no bytes");
  EXPECT_EQ(text(sequence({})), "no bytes");
}

TEST(FormTest, ContiguousRepetitionIsABlock) {
  EXPECT_EQ(text(repeat(repeat(bytes(4), 2, 4), 4, 8)),
            "32 bytes; extent 1000");
}

TEST(FormTest, LoopsThatContinueEachOtherMerge) {
  EXPECT_EQ(text(repeat(repeat(bytes(4), 3, 10), 5, 30)),
            "15 x 4 bytes every 10; extent 1000");
  EXPECT_EQ(text(repeat(repeat(bytes(4), 3, 10), 5, 100)),
            "5 x 3 x 4 bytes every 100, 10; extent 1000");
  EXPECT_EQ(text(repeat(repeat(bytes(4), 3, -10), 5, -30)),
            "15 x 4 bytes every -10; extent 1000");
}

TEST(FormTest, ALoopOfOneIterationVanishes) {
  EXPECT_EQ(text(repeat(repeat(bytes(4), 1, 77), 3, 8)),
            "3 x 4 bytes every 8; extent 1000");
}

TEST(FormTest, EqualDistancesBecomeLoops) {
  std::vector<int64_t> offsets = {16, 24, 32, 40};
  EXPECT_EQ(text(placeAt(bytes(4), offsets)),
            "4 x 4 bytes every 8; from 16; extent 1000");
}

TEST(FormTest, AGridInAListBecomesTwoLoops) {
  std::vector<int64_t> offsets;
  for (int64_t row = 0; row != 100; ++row)
    for (int64_t column = 0; column != 5; ++column)
      offsets.push_back(row * 1000 + column * 8);
  EXPECT_EQ(text(placeAt(bytes(4), offsets)),
            "100 x 5 x 4 bytes every 1000, 8; extent 1000");
}

TEST(FormTest, ARepeatedPatternInAListBecomesALoopOverIt) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i != 50; ++i)
    for (int64_t place : {0, 12, 16, 40})
      offsets.push_back(i * 64 + place);
  EXPECT_EQ(text(placeAt(bytes(2), offsets)),
            "50 x (2 bytes at 0, 12, 16, 40) every 64; extent 1000");
}

TEST(FormTest, GroupsInAnIrregularListBecomeALoopInIt) {
  std::vector<int64_t> offsets;
  for (int64_t start : {0, 100, 350, 360})
    for (int64_t i = 0; i != 3; ++i)
      offsets.push_back(start * 8 + i * 8);
  EXPECT_EQ(text(placeAt(bytes(4), offsets)),
            "(3 x 4 bytes every 8) at 0, 800, 2800, 2880; extent 1000");
}

TEST(FormTest, NeighboursInAListJoin) {
  std::vector<int64_t> offsets = {0, 4, 8, 20, 24, 28};
  EXPECT_EQ(text(placeAt(bytes(4), offsets)),
            "2 x 12 bytes every 20; extent 1000");
  offsets = {0, 4, 20};
  EXPECT_EQ(text(placeAt(bytes(4), offsets)),
            "8 bytes at 0, 4 bytes at 20; extent 1000");
}

TEST(FormTest, AStructOfBlocksIsRuns) {
  std::vector<PlacedForm> parts = {
      {0, blockForm(1)}, {8, blockForm(8)}, {16, blockForm(2)}};
  EXPECT_EQ(text(sequence(parts)), "1 byte at 0, 10 bytes at 8; extent 1000");
}

TEST(FormTest, AStructIsNormalisedWithItsChildren) {
  // {double[3], int} in two ways: by members, and as nested structs with empty
  // gaps.
  std::vector<PlacedForm> flat = {{0, blockForm(24)}, {24, blockForm(4)}};
  std::vector<PlacedForm> inner = {{0, blockForm(8)}, {8, blockForm(16)}};
  std::vector<PlacedForm> nested = {sequence(inner), {24, blockForm(4)}};
  EXPECT_EQ(*sequence(flat).form, *sequence(nested).form);
  EXPECT_EQ(text(sequence(nested)), "28 bytes; extent 1000");
}

TEST(FormTest, EqualPartsBecomeAList) {
  PlacedForm vector = repeat(bytes(4), 100, 8);
  std::vector<PlacedForm> parts = {vector, vector, vector};
  parts[1].offset = 5000;
  parts[2].offset = 5900;
  EXPECT_EQ(text(sequence(parts)),
            "(100 x 4 bytes every 8) at 0, 5000, 5900; extent 1000");
}

TEST(FormTest, LargePartsStayASequence) {
  std::vector<PlacedForm> parts = {repeat(bytes(4), 100, 8),
                                   {1000, blockForm(3)}};
  EXPECT_EQ(text(sequence(parts)),
            "(100 x 4 bytes every 8) at 0, 3 bytes at 1000; extent 1000");
}

TEST(FormTest, PartsOfFewRunsBecomeRuns) {
  // Blocks of 1 to 3 padded elements, like an indexed type of structs.
  std::vector<PlacedForm> parts;
  for (int64_t i = 0; i != 100; ++i) {
    parts.push_back(repeat(bytes(12), 1 + i * i % 3, 16));
    parts.back().offset = i * i * 100;
  }
  PlacedForm placed = sequence(parts);
  EXPECT_EQ(placed.form->kind, FormKind::Indexed);
  EXPECT_EQ(placed.form->children.front()->size, 12);
}

TEST(FormTest, ARepeatedPatternOfPartsBecomesALoop) {
  std::vector<PlacedForm> parts;
  for (int64_t i = 0; i != 6; ++i) {
    parts.push_back(repeat(bytes(4), 100, 8));
    parts.back().offset = i * 3000;
    parts.push_back(repeat(bytes(2), 50, 8));
    parts.back().offset = i * 3000 + 1000;
  }
  EXPECT_EQ(text(sequence(parts)),
            "6 x ((100 x 4 bytes every 8) at 0, (50 x 2 bytes every 8) at "
            "1000) every 3000; extent 1000");
}

TEST(FormTest, EqualPartsInARowBecomeALoop) {
  PlacedForm vector = repeat(bytes(4), 100, 8);
  std::vector<PlacedForm> parts = {
      vector, vector, vector, {7000, blockForm(3)}};
  parts[1].offset = 1000;
  parts[2].offset = 2000;
  EXPECT_EQ(text(sequence(parts)),
            "(3 x 100 x 4 bytes every 1000, 8) at 0, 3 bytes at 7000; extent "
            "1000");
}

TEST(FormTest, LoopsOfDifferentLengthsThatContinueJoin) {
  std::vector<PlacedForm> parts = {repeat(bytes(4), 100, 8),
                                   repeat(bytes(4), 70, 8)};
  parts[1].offset = 800;
  EXPECT_EQ(text(sequence(parts)), "170 x 4 bytes every 8; extent 1000");
}

TEST(FormTest, ListsInListsFlatten) {
  std::vector<int64_t> inner, outer;
  for (int64_t i = 0; i != 20; ++i) {
    inner.push_back(i * i * 8);
    outer.push_back(i * i * i * 10000);
  }
  PlacedForm placed = placeAt(placeAt(bytes(4), inner), outer);
  EXPECT_EQ(placed.form->kind, FormKind::Indexed);
  EXPECT_EQ(placed.form->offsets.size(), 400u);
}

TEST(FormTest, OverflowIsAnErrorWithItsValues) {
  PlacedForm vector = repeat(bytes(8), 1 << 30, 16);
  try {
    repeat(vector, int64_t(1) << 40, 1000);
    FAIL() << "no error";
  } catch (const farc::Error &error) {
    EXPECT_EQ(error.getKind(), farc::Error::OVERFLOW_64);
    EXPECT_NE(std::string(error.what()).find("1099511627776 x 1073741824"),
              std::string::npos)
        << error.what();
  }
  std::vector<int64_t> far = {INT64_MIN, INT64_MAX, 0};
  EXPECT_THROW(placeAt(bytes(8), far), farc::Error);
  std::vector<PlacedForm> parts = {{INT64_MAX, blockForm(8)}};
  EXPECT_THROW(sequence(parts), farc::Error);
  EXPECT_THROW(repeat(bytes(8), -1, 8), farc::Error);
  EXPECT_THROW(blockForm(-1), farc::Error);
}

TEST(FormTest, EqualListsInAListAreNotTakenApart) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i != 5000; ++i)
    offsets.push_back(i * 16 + i % 7);
  PlacedForm list = placeAt(bytes(4), offsets);
  std::vector<PlacedForm> parts;
  for (int64_t i = 0; i != 1000; ++i)
    parts.push_back({i * 100000 + i % 3, list.form});
  PlacedForm all = sequence(parts);
  ASSERT_EQ(all.form->kind, FormKind::Indexed);
  EXPECT_EQ(all.form->offsets.size(), 1000u);
  EXPECT_EQ(all.form->size, 4 * 5000 * 1000);
}

TEST(FormTest, EqualLoopsInASequenceAreOneObject) {
  PlacedForm lines[] = {repeat(bytes(8), 40, 24), repeat(bytes(4), 50, 20)};
  std::vector<PlacedForm> parts;
  int64_t at = 0;
  for (int64_t i = 0; i != 40; ++i) {
    for (int64_t k = 0; k != 2; ++k)
      parts.push_back({at + k * 1000, lines[0].form});
    parts.push_back({at + 5000, lines[1].form});
    at += 10000 + i * i;
  }
  PlacedForm all = sequence(parts);
  ASSERT_EQ(all.form->kind, FormKind::Sequence);
  ASSERT_EQ(all.form->children.size(), 80u);
  EXPECT_EQ(all.form->children[2], all.form->children[0]);
  EXPECT_EQ(all.form->children[3], all.form->children[1]);
}

TEST(FormTest, LongListsAreCutInText) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i != 100; ++i)
    offsets.push_back(i * i * 8);
  EXPECT_EQ(text(placeAt(bytes(4), offsets)),
            "4 bytes at 0, 8, 32, 72, 128, 200, 288, 392, ... (100 in all); "
            "extent 1000");
}

/// The invariants of all forms that the algebra returns.
void checkInvariants(const Form &form) {
  switch (form.kind) {
  case FormKind::Empty:
    FAIL() << "an empty part inside a form";
  case FormKind::Block:
  case FormKind::Custom:
    break;
  case FormKind::Strided:
    EXPECT_GE(form.dimensions.size(), 1u);
    for (auto [count, stride] : form.dimensions)
      EXPECT_GE(count, 2);
    EXPECT_NE(form.children.front()->kind, FormKind::Strided);
    break;
  case FormKind::Runs:
    EXPECT_EQ(form.lengths.size(), form.offsets.size());
    [[fallthrough]];
  case FormKind::Sequence:
    EXPECT_EQ(form.positions.size(), form.offsets.size());
    [[fallthrough]];
  case FormKind::Indexed:
    EXPECT_GE(form.offsets.size(), 2u);
    EXPECT_EQ(form.offsets.front(), 0);
    break;
  }
  for (const FormRef &child : form.children)
    checkInvariants(*child);
}

TEST(FormTest, RandomLayoutsKeepTheirBytesInOrder) {
  for (uint64_t seed = 0; seed != 6000; ++seed) {
    naive::Generator generator(seed);
    auto [placed, bytes] = generator.layout(int(seed % 6));
    const Form &form = *placed.form;
    ASSERT_EQ(placesOf(placed), bytes) << "seed " << seed << text(placed);
    ASSERT_EQ(form.size, int64_t(bytes.size()));
    if (bytes.empty())
      continue;
    checkInvariants(form);
    auto [low, high] = std::minmax_element(bytes.begin(), bytes.end());
    EXPECT_EQ(placed.offset + form.low, *low);
    EXPECT_EQ(placed.offset + form.high, *high + 1);
    EXPECT_EQ(placed.offset, bytes.front());
    EXPECT_EQ(placed.offset + form.tail, bytes.back() + 1);
  }
}

TEST(FormTest, SmallLayoutsAreEqualHoweverBuilt) {
  int small = 0;
  for (uint64_t seed = 0; seed != 4000; ++seed) {
    naive::Generator generator(seed);
    auto [placed, bytes] = generator.layout(1 + int(seed % 4));
    if (!isSmall(*placed.form))
      continue;
    std::vector<PlacedForm> parts;
    forEachRun(*placed.form, placed.offset,
               [&](int64_t offset, int64_t length) {
                 parts.push_back({offset, blockForm(length)});
               });
    PlacedForm again = sequence(parts);
    ++small;
    EXPECT_EQ(again.offset, placed.offset) << "seed " << seed;
    EXPECT_TRUE(*again.form == *placed.form)
        << "seed " << seed << "\n " << text(placed) << "\n " << text(again);
    EXPECT_EQ(toKey({0, 8, again.form}), toKey({0, 8, placed.form}));
  }
  EXPECT_GT(small, 1000);
}

} // namespace
