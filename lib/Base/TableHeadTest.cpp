//===- TableHeadTest.cpp - Tests of the checks of table heads -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each kind of table: a valid one, and every difference that a table of
// another version can have, in the order in which the checks must detect it.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/TableHead.h"

#include <gtest/gtest.h>

#include <vector>

using namespace sluice;

template <typename Table> static std::string errorOf(SluiceTableHead head) {
  Table table = {};
  table.head = head;
  return checkTable(table).message();
}

template <typename Table>
static void refusesOthers(std::string_view kind, uint64_t magic) {
  auto error = [&](const std::string &what) {
    return "the program's " + std::string(kind) +
           " does not fit this runtime: " + what +
           "; compile the program again";
  };
  const SluiceTableHead good = tableHead<Table>;
  EXPECT_EQ(errorOf<Table>(good), "");
  // Later parts of the head are not examined first.
  EXPECT_EQ(errorOf<Table>({7, 99, 1, nullptr}),
            error("the magic number is 7, expected " + std::to_string(magic)));
  EXPECT_EQ(errorOf<Table>({good.magic, 99, 1, nullptr}),
            error("the version is 99, expected " +
                  std::to_string(SLUICE_TABLE_VERSION)));
  uint32_t count = good.numSizes;
  EXPECT_EQ(errorOf<Table>({good.magic, good.version, count + 1, nullptr}),
            error("the number of structures is " + std::to_string(count + 1) +
                  ", expected " + std::to_string(count)));
  for (uint32_t i = 0; i != count; ++i) {
    std::vector<uint32_t> sizes(good.sizes, good.sizes + count);
    sizes[i] += 8;
    EXPECT_EQ(errorOf<Table>({good.magic, good.version, count, sizes.data()}),
              error("the size of '" +
                    std::string(TableKind<Table>::structures[i]) + "' is " +
                    std::to_string(sizes[i]) + ", expected " +
                    std::to_string(good.sizes[i])));
  }
}

TEST(Table, PlansOfOtherVersionsAreRefused) {
  refusesOthers<SluicePlan>("plan", SLUICE_PLAN_MAGIC);
}

TEST(Table, LayoutsOfOtherVersionsAreRefused) {
  refusesOthers<SluiceLayout>("layout of a launch", SLUICE_LAYOUT_MAGIC);
}

TEST(Table, DeviceModulesOfOtherVersionsAreRefused) {
  refusesOthers<SluiceDeviceModule>("device module",
                                    SLUICE_DEVICE_MODULE_MAGIC);
}

TEST(Table, TaskProgramsOfOtherVersionsAreRefused) {
  refusesOthers<SluiceTaskProgram>("task graph", SLUICE_TASK_PROGRAM_MAGIC);
}

TEST(Table, RegionProgramsOfOtherVersionsAreRefused) {
  refusesOthers<SluiceRegionProgram>("program over regions",
                                     SLUICE_REGION_PROGRAM_MAGIC);
}

TEST(Table, MagicNumbersAreLetters) {
  for (auto [magic, letters] : {std::pair{SLUICE_PLAN_MAGIC, "SLUICEPL"},
                                {SLUICE_LAYOUT_MAGIC, "SLUICELY"},
                                {SLUICE_DEVICE_MODULE_MAGIC, "SLUICEDM"},
                                {SLUICE_TASK_PROGRAM_MAGIC, "SLUICETG"},
                                {SLUICE_REGION_PROGRAM_MAGIC, "SLUICERG"}}) {
    std::string text;
    for (int i = 0; i != 8; ++i)
      text += char(magic >> 8 * i & 0xff);
    EXPECT_EQ(text, letters);
  }
}
