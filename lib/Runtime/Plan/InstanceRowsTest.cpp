//===- InstanceRowsTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random sums of ids and loaded numbers, against a search of all numbers that
// all instances use.
//
//===----------------------------------------------------------------------===//

#include "InstanceRows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

using namespace sluice;

namespace {

/// A table with the values of its formulas.
class RandomRows {
public:
  explicit RandomRows(std::mt19937 &random) : random(random) {
    table.rule = SLUICE_TABLE_ROWS;
    table.numVariables = uint32_t(draw(1, 3));
    table.numIds = uint32_t(draw(1, int(table.numVariables)));
    table.numLoads = uint32_t(draw(0, 2));
    table.numEnds = uint32_t(draw(1, 2));
    table.numNonZeros = uint32_t(draw(0, 1));
    const auto numLimits = uint32_t(draw(0, 1));
    table.numSums =
        table.numLoads + 1 + table.numEnds + table.numNonZeros + numLimits;
    for (uint32_t i = 0; i != table.numVariables; ++i)
      values.push_back(draw(1, 4));
    for (uint32_t i = 0; i != table.numLoads; ++i) {
      loads[i] = {0, 1u << draw(0, 1), uint32_t(draw(0, 1)), 0};
      for (unsigned char &byte : bytes[i])
        byte = uint8_t(draw(0, 9) == 0 ? draw(250, 255) : draw(0, 3));
      memories.push_back({bytes[i], uint64_t(draw(0, 64))});
    }
    table.loads = loads;
    for (uint32_t sum = 0; sum != table.numSums; ++sum)
      for (uint32_t i = 0; i != 1 + table.numVariables + table.numLoads; ++i)
        values.push_back(drawFactor(sum, i));
  }

  /// Whether two instances use a number.
  bool haveOverlap() {
    std::map<int64_t, std::set<std::vector<int64_t>>> users;
    std::vector<int64_t> all(table.numVariables + table.numLoads);
    auto walk = [&](auto &&self, uint32_t variable) -> void {
      if (variable == table.numVariables)
        return use(all, users);
      for (int64_t value = 0; value < values[variable]; ++value) {
        all[variable] = value;
        self(self, variable + 1);
      }
    };
    walk(walk, 0);
    for (const auto &[number, owners] : users)
      if (owners.size() > 1)
        return true;
    return false;
  }

  SluicePlanTable table = {};
  std::vector<int64_t> values;
  std::vector<LoadedMemory> memories;

private:
  int draw(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  }
  int64_t drawFactor(uint32_t sum, uint32_t number) {
    const bool isLoad = number > table.numVariables;
    if (sum < table.numLoads) {
      if (isLoad && number - table.numVariables - 1 >= sum)
        return 0;
      return int64_t(loads[sum].entryBytes) * draw(0, 2);
    }
    return isLoad && draw(0, 1) ? 0 : draw(-1, 2);
  }
  int64_t sumOf(uint32_t sum, const std::vector<int64_t> &all) const {
    const int64_t *factors =
        &values[table.numVariables + sum * (1 + all.size())];
    int64_t value = factors[0];
    for (size_t i = 0; i != all.size(); ++i)
      value += factors[i + 1] * all[i];
    return value;
  }
  void use(std::vector<int64_t> &all,
           std::map<int64_t, std::set<std::vector<int64_t>>> &users) const {
    std::fill(all.begin() + table.numVariables, all.end(), 0);
    for (uint32_t i = 0; i != table.numLoads; ++i) {
      const int64_t place = sumOf(i, all), size = loads[i].entryBytes;
      if (place < 0 || place + size > int64_t(memories[i].size))
        return;
      uint64_t bits = 0;
      std::memcpy(&bits, memories[i].start + place, size_t(size));
      bits <<= 64 - 8 * size;
      all[table.numVariables + i] = loads[i].isUnsigned
                                        ? int64_t(bits >> (64 - 8 * size))
                                        : int64_t(bits) >> (64 - 8 * size);
    }
    uint32_t sum = table.numLoads;
    const int64_t first = sumOf(sum++, all);
    int64_t last = INT64_MAX;
    for (uint32_t i = 0; i != table.numEnds; ++i)
      last = std::min(last, sumOf(sum++, all));
    for (uint32_t i = 0; i != table.numNonZeros; ++i)
      if (sumOf(sum++, all) == 0)
        return;
    for (; sum != table.numSums; ++sum)
      if (sumOf(sum, all) > 0)
        return;
    const std::vector<int64_t> ids(all.begin(), all.begin() + table.numIds);
    for (int64_t number = first; number <= last; ++number)
      users[number].insert(ids);
  }

  std::mt19937 &random;
  SluicePlanLoad loads[2] = {};
  unsigned char bytes[2][64] = {};
};

} // namespace

TEST(InstanceRowsTest, RandomRows) {
  std::mt19937 random(5);
  unsigned numOverlaps = 0;
  constexpr unsigned rounds = 600;
  for (unsigned round = 0; round != rounds; ++round) {
    RandomRows rows(random);
    const bool expected = rows.haveOverlap();
    numOverlaps += expected;
    std::optional<RowOverlap> found =
        InstanceRows(rows.table, rows.values, rows.memories).findOverlap();
    ASSERT_EQ(found.has_value(), expected) << "round " << round;
    if (found)
      EXPECT_NE(found->firstIds, found->secondIds);
  }
  EXPECT_GT(numOverlaps, rounds / 20);
}
