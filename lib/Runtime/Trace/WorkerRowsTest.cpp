//===- WorkerRowsTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing in a row overlaps with another worker's, whatever ran when.
//
//===----------------------------------------------------------------------===//

#include "WorkerRows.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <set>

using namespace sluice;

static std::vector<std::string> namesOf(const std::vector<WorkerRow> &rows) {
  std::vector<std::string> names;
  for (const WorkerRow &row : rows)
    names.push_back(row.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(WorkerRows, OneSet) {
  EXPECT_EQ(namesOf(workerRows({{{{1, 5}}, {{2, 3}}}})),
            (Names{"host (worker 0)", "worker 1"}));
  EXPECT_EQ(namesOf(workerRows({{{}}})), (Names{"host (worker 0)"}));
}

TEST(WorkerRows, SharedBySetsOneAfterAnother) {
  // What ends when the next begins does not overlap with it.
  const auto rows = workerRows(
      {{{{1, 5}, {20, 30}}, {{2, 3}}}, {{{5, 9}}}, {{{10, 20}}, {}, {{3, 4}}}});
  EXPECT_EQ(namesOf(rows), (Names{"host (worker 0)", "worker 1", "worker 2"}));
  EXPECT_EQ(rows[0].workers.size(), 3u);
  EXPECT_EQ(rows[1].workers.size(), 2u);
}

TEST(WorkerRows, ApartWhereTheyRunAtTheSameTime) {
  // The second runs within the first; of the third, one worker does.
  const auto rows = workerRows(
      {{{{1, 50}}, {}}, {{{2, 3}}}, {{{60, 70}}, {{61, 62}}, {{61, 65}}}});
  EXPECT_EQ(namesOf(rows), (Names{"host (worker 0)", "worker 1", "worker 2",
                                  "worker 0 of 1"}));
  EXPECT_EQ(rows[3].workers, (decltype(rows[3].workers){{1, 0}}));
}

TEST(WorkerRows, RandomWorkers) {
  std::mt19937 random(77);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::vector<WorkTimes>> sets(1 + random() % 4);
    for (auto &set : sets) {
      set.resize(1 + random() % 4);
      for (WorkTimes &times : set)
        for (size_t i = random() % 4; i > 0; --i) {
          const uint64_t start = random() % 40;
          times.push_back({start, start + random() % 8});
        }
    }
    const auto rows = workerRows(sets);
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (const WorkerRow &row : rows)
      for (auto one : row.workers) {
        EXPECT_TRUE(seen.insert(one).second);
        for (auto other : row.workers)
          if (one.first < other.first)
            for (auto [a, b] : sets[one.first][one.second])
              for (auto [c, d] : sets[other.first][other.second])
                EXPECT_FALSE(std::max(a, c) < std::min(b, d))
                    << a << '-' << b << ' ' << c << '-' << d;
      }
    size_t number = 0;
    for (const auto &set : sets)
      number += set.size();
    EXPECT_EQ(seen.size(), number);
  }
}
