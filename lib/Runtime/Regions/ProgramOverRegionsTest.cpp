//===- ProgramOverRegionsTest.cpp - Programs give the serial result -------===//
//===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs of every kind, compared with the same computation in plain
// loops.
//
//===----------------------------------------------------------------------===//

#include "Testing/RegionsTest.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace {
class ProgramTest : public RegionsTest {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Workers, ProgramTest, testing::Values(0, 1, 2, 3, 8));

/// One step of a five-point stencil over the elements of `to`.
static void relax(const SluiceView *views, int64_t n) {
  const auto *from = field<double>(views[0]);
  auto *to = field<double>(views[1]);
  const SluiceDomain &domain = *views[1].domain;
  for (int64_t i = domain.lower[0]; i < domain.upper[0]; ++i)
    for (int64_t j = domain.lower[1]; j < domain.upper[1]; ++j) {
      auto at = [&](int64_t y, int64_t x) {
        bool isInside = y >= 0 && y < n && x >= 0 && x < n;
        return isInside ? from[y * domain.stride[0] + x] : 0.0;
      };
      to[i * domain.stride[0] + j] =
          0.25 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1));
    }
}

TEST_P(ProgramTest, HostStatementsKeepTheirOrder) {
  uint32_t a = addRoot("a", {1}, {{"value", SLUICE_I64, 1}});
  uint32_t b = addRoot("b", {1}, {{"value", SLUICE_I64, 1}});
  uint32_t going = addRoot("going", {1}, {{"value", SLUICE_I32, 1}});
  std::string order;
  auto note = [&](char what) {
    return [&order, what](const SluiceTask &, const SluiceView *) {
      order += what;
    };
  };
  check(program->beginGraph("main"));
  add("slow", {}, {argument(a, SLUICE_PRIVILEGE_READ_WRITE)},
      [](const SluiceTask &, const SluiceView *) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      });
  add("waits", {}, {argument(a, SLUICE_PRIVILEGE_READ)}, note('1'), true);
  // A loop that does not run does not part those before and behind it.
  check(program->beginLoop(3, going));
  add("never", {}, {argument(b, SLUICE_PRIVILEGE_READ)}, note('x'), true);
  check(program->endLoop());
  add("ready", {}, {argument(b, SLUICE_PRIVILEGE_READ)}, note('2'), true);
  check(program->beginLoop(2, SLUICE_NO_PARTITION));
  add("slow", {}, {argument(a, SLUICE_PRIVILEGE_READ_WRITE)},
      [](const SluiceTask &, const SluiceView *) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      });
  add("waits", {}, {argument(a, SLUICE_PRIVILEGE_READ)}, note('3'), true);
  add("ready", {}, {argument(b, SLUICE_PRIVILEGE_READ)}, note('4'), true);
  check(program->endLoop());
  check(program->endGraph());
  EXPECT_EQ(order, "123434");
}

TEST_P(ProgramTest, StencilInALoop) {
  constexpr int64_t n = 50;
  uint32_t grid =
      addRoot("grid", {n, n}, {{"old", SLUICE_F64, 1}, {"new", SLUICE_F64, 1}});
  uint32_t blocks = addBlocks("blocks", grid, {4, 3});
  uint32_t halos = addHalos("halos", blocks, {1, 1}, false);
  auto *values = data<double>(grid);
  std::vector<double> a(n * n), b(n * n);
  for (int64_t i = 0; i < n * n; ++i)
    a[i] = values[i] = static_cast<double>(i * 7919 % 1000);

  check(program->beginGraph("stencil"));
  check(program->beginLoop(11, SLUICE_NO_PARTITION));
  Body body = [](const SluiceTask &, const SluiceView *views) {
    relax(views, n);
  };
  add("there", {4, 3},
      {argument(grid, SLUICE_PRIVILEGE_READ, 1, halos),
       argument(grid, SLUICE_PRIVILEGE_WRITE_DISCARD, 2, blocks)},
      body);
  add("back", {4, 3},
      {argument(grid, SLUICE_PRIVILEGE_READ, 2, halos),
       argument(grid, SLUICE_PRIVILEGE_WRITE_DISCARD, 1, blocks)},
      body);
  check(program->endLoop());
  check(program->endGraph());

  SluiceDomain whole = {2,     0,       {0, 0, 0}, {n, n, 1}, {n, 1, 0},
                        n * n, nullptr, 0,         {n, n, 1}};
  for (int step = 0; step < 22; ++step) {
    void *from = a.data(), *to = b.data();
    SluiceView views[2] = {{&from, &whole}, {&to, &whole}};
    relax(views, n);
    std::swap(a, b);
  }
  EXPECT_EQ(0, std::memcmp(a.data(), values, n * n * sizeof(double)));
}

TEST_P(ProgramTest, WhileLoopStopsAtItsTest) {
  uint32_t numbers = addRoot("numbers", {1000}, {{"value", SLUICE_I64, 1}});
  uint32_t flag = addRoot("flag", {1}, {{"value", SLUICE_I32, 1}});
  uint32_t blocks = addBlocks("blocks", numbers, {7});
  *data<int32_t>(flag) = 1;
  check(program->beginGraph("count"));
  check(program->beginLoop(1000, flag));
  add("count", {7}, {argument(numbers, SLUICE_PRIVILEGE_READ_WRITE, 1, blocks)},
      [](const SluiceTask &, const SluiceView *views) {
        forEachElement(views[0],
                       [&](int64_t i) { ++field<int64_t>(views[0])[i]; });
      });
  add("decide", {},
      {argument(numbers, SLUICE_PRIVILEGE_READ),
       argument(flag, SLUICE_PRIVILEGE_WRITE_DISCARD)},
      [](const SluiceTask &, const SluiceView *views) {
        *field<int32_t>(views[1]) = field<int64_t>(views[0])[999] < 42;
      });
  check(program->endLoop());
  check(program->endGraph());
  for (int64_t i = 0; i < 1000; ++i)
    ASSERT_EQ(data<int64_t>(numbers)[i], 42);
}

TEST_P(ProgramTest, NestedLoopsAndTestsInside) {
  uint32_t x = addRoot("x", {64}, {{"value", SLUICE_I64, 1}});
  uint32_t left = addRoot("left", {1}, {{"value", SLUICE_I64, 1}});
  uint32_t blocks = addBlocks("blocks", x, {8});
  auto round = argument(x, SLUICE_PRIVILEGE_READ_WRITE, 1, blocks);
  Body step = [](const SluiceTask &task, const SluiceView *views) {
    forEachElement(views[0], [&](int64_t i) {
      int64_t &value = field<int64_t>(views[0])[i];
      value = value * 3 + i + task.point[0];
    });
  };
  check(program->beginGraph("nest"));
  check(program->beginLoop(5, SLUICE_NO_PARTITION));
  add("set", {},
      {argument(left, SLUICE_PRIVILEGE_READ_WRITE),
       argument(x, SLUICE_PRIVILEGE_READ)},
      [](const SluiceTask &, const SluiceView *views) {
        // 0 to 3 iterations, by the values so far.
        *field<int64_t>(views[0]) = (field<int64_t>(views[1])[13] & 3);
      });
  check(program->beginLoop(100, left));
  add("inner", {8}, {round}, step);
  add("less", {}, {argument(left, SLUICE_PRIVILEGE_READ_WRITE)},
      [](const SluiceTask &, const SluiceView *views) {
        --*field<int64_t>(views[0]);
      });
  check(program->endLoop());
  check(program->beginLoop(3, SLUICE_NO_PARTITION));
  add("counted", {8}, {round}, step);
  check(program->endLoop());
  add("single", {}, {argument(x, SLUICE_PRIVILEGE_READ_WRITE)}, step);
  check(program->endLoop());
  check(program->endGraph());

  std::vector<int64_t> y(64, 0);
  auto serial = [&](bool isLaunch) {
    for (int64_t i = 0; i < 64; ++i)
      y[i] = y[i] * 3 + i + (isLaunch ? i / 8 : 0);
  };
  for (int i = 0; i < 5; ++i) {
    for (int64_t k = y[13] & 3; k; --k)
      serial(true);
    for (int k = 0; k < 3; ++k)
      serial(true);
    serial(false);
  }
  EXPECT_EQ(0, std::memcmp(y.data(), data<int64_t>(x), 64 * sizeof(int64_t)));
}

TEST_P(ProgramTest, HostStatementsRunOnTheCallingThreadInOrder) {
  uint32_t x = addRoot("x", {8}, {{"value", SLUICE_I64, 1}});
  uint32_t blocks = addBlocks("blocks", x, {8});
  std::vector<int64_t> sums;
  std::thread::id thread = std::this_thread::get_id();
  check(program->beginGraph("host"));
  check(program->beginLoop(20, SLUICE_NO_PARTITION));
  add("grow", {8}, {argument(x, SLUICE_PRIVILEGE_READ_WRITE, 1, blocks)},
      [](const SluiceTask &task, const SluiceView *views) {
        field<int64_t>(views[0])[task.point[0]] += task.point[0];
      });
  add(
      "print", {}, {argument(x, SLUICE_PRIVILEGE_READ)},
      [&](const SluiceTask &, const SluiceView *views) {
        EXPECT_EQ(std::this_thread::get_id(), thread);
        int64_t sum = 0;
        forEachElement(views[0],
                       [&](int64_t i) { sum += field<int64_t>(views[0])[i]; });
        sums.push_back(sum);
      },
      true);
  check(program->endLoop());
  check(program->endGraph());
  ASSERT_EQ(sums.size(), 20u);
  for (int64_t i = 0; i < 20; ++i)
    EXPECT_EQ(sums[i], 28 * (i + 1));
}

TEST_P(ProgramTest, CopiesAndFills) {
  std::vector<SluiceField> fields = {{"a", SLUICE_F32, 3},
                                     {"b", SLUICE_I16, 1}};
  uint32_t from = addRoot("from", {300, 500}, fields);
  uint32_t to = addRoot("to", {300, 500}, fields);
  uint32_t blocks = addBlocks("blocks", from, {3, 5});
  uint32_t others = addBlocks("others", to, {3, 5});
  const float triple[3] = {1.5f, -2.0f, 4.0f};
  const int16_t small = -7;
  const int64_t extents[2] = {3, 5};
  check(program->beginGraph("copy"));
  check(program->addFill(argument(from, SLUICE_PRIVILEGE_WRITE_DISCARD, 1),
                         triple, 0, nullptr));
  check(program->addFill(
      argument(from, SLUICE_PRIVILEGE_WRITE_DISCARD, 2, blocks), &small, 2,
      extents));
  check(program->addCopy(
      argument(from, SLUICE_PRIVILEGE_READ, 3, blocks),
      argument(to, SLUICE_PRIVILEGE_WRITE_DISCARD, 3, others), 2, extents));
  check(program->endGraph());
  for (int64_t i = 0; i < 300 * 500; ++i) {
    ASSERT_EQ(0, std::memcmp(data<float>(to) + 3 * i, triple, sizeof(triple)));
    ASSERT_EQ(data<int16_t>(to, 1)[i], small);
  }
}

TEST_P(ProgramTest, FailuresNameTaskAndPoint) {
  uint32_t x = addRoot("x", {12, 4}, {{"value", SLUICE_I64, 1}});
  uint32_t blocks = addBlocks("blocks", x, {3, 2});
  check(program->beginGraph("fails"));
  check(program->beginLoop(1000000000, SLUICE_NO_PARTITION));
  add("explode", {3, 2}, {argument(x, SLUICE_PRIVILEGE_READ_WRITE, 1, blocks)},
      [](const SluiceTask &task, const SluiceView *views) {
        auto *values = field<int64_t>(views[0]);
        int64_t first = views[0].domain->lower[0] * 4;
        if (task.point[0] == 1 && task.point[1] == 0 && ++values[first] == 3)
          throw std::runtime_error("too much");
      });
  check(program->endLoop());
  EXPECT_EQ(program->endGraph().message(),
            "task 'explode' at point (1, 0): an exception left it: too much");
}

TEST_P(ProgramTest, TimelinesShowTasksWithTheirPoints) {
  traceFile =
      testing::TempDir() + std::to_string(getpid()) + "-regions-trace.json";
  start(GetParam());
  uint32_t x = addRoot("x", {12, 4}, {{"value", SLUICE_I64, 1}});
  uint32_t blocks = addBlocks("blocks", x, {3, 2});
  check(program->beginGraph("drawn"));
  add("paint", {3, 2}, {argument(x, SLUICE_PRIVILEGE_READ_WRITE, 1, blocks)},
      [](const SluiceTask &, const SluiceView *) {});
  add("look", {}, {argument(x, SLUICE_PRIVILEGE_READ)},
      [](const SluiceTask &, const SluiceView *) {});
  check(program->endGraph());
  program.reset();
  check(runtime->finish());
  runtime.reset();
  std::ifstream file(traceFile);
  std::stringstream content;
  content << file.rdbuf();
  const std::string text = content.str();
  for (const char *point : {"[0,0]", "[0,1]", "[1,0]", "[1,1]", "[2,0]"})
    EXPECT_NE(text.find(std::string("\"args\":{\"point\":") + point),
              std::string::npos)
        << point;
  EXPECT_NE(text.find("\"name\":\"paint\",\"cat\":\"task\""),
            std::string::npos);
  EXPECT_NE(text.find("\"name\":\"look\",\"cat\":\"task\""), std::string::npos);
  EXPECT_NE(text.find("\"name\":\"drawn\",\"cat\":\"launch\""),
            std::string::npos);
  std::remove(traceFile.c_str());
}

/// 10,000 points with halos in three dimensions.
TEST_P(ProgramTest, LargeLaunches) {
  constexpr int64_t n = 50;
  uint32_t cube =
      addRoot("cube", {n, n, n}, {{"a", SLUICE_I32, 1}, {"b", SLUICE_I32, 1}});
  uint32_t blocks = addBlocks("blocks", cube, {20, 20, 25});
  uint32_t halos = addHalos("halos", blocks, {1, 1, 1}, true);
  check(program->promise(blocks, true, true));
  check(program->promise(halos, false, true));
  std::vector<int32_t> a(n * n * n), b(n * n * n);
  for (int64_t i = 0; i < n * n * n; ++i)
    a[i] = data<int32_t>(cube)[i] = static_cast<int32_t>(i * 31 % 1009);
  // Each element becomes the largest around it, less its own value.
  auto spread = [](const SluiceView *views) {
    const auto *old = field<int32_t>(views[0]);
    Shape shape;
    shape.rank = 3;
    for (int64_t &extent : shape.extent)
      extent = n;
    forEachElement(views[1], [&](int64_t i) {
      int64_t at[3], around[3];
      shape.coordinates(i, at);
      int32_t largest = INT32_MIN;
      for (around[0] = at[0] - 1; around[0] <= at[0] + 1; ++around[0])
        for (around[1] = at[1] - 1; around[1] <= at[1] + 1; ++around[1])
          for (around[2] = at[2] - 1; around[2] <= at[2] + 1; ++around[2])
            if (std::all_of(around, around + 3,
                            [](int64_t c) { return c >= 0 && c < n; }))
              largest = std::max(largest, old[shape.position(around)]);
      field<int32_t>(views[1])[i] = largest - old[i] / 2;
    });
  };
  check(program->beginGraph("large"));
  check(program->beginLoop(2, SLUICE_NO_PARTITION));
  for (uint64_t even : {1, 2})
    add("spread", {20, 20, 25},
        {argument(cube, SLUICE_PRIVILEGE_READ, even, halos),
         argument(cube, SLUICE_PRIVILEGE_WRITE_DISCARD, 3 - even, blocks)},
        [&](const SluiceTask &, const SluiceView *views) { spread(views); });
  check(program->endLoop());
  check(program->endGraph());
  SluiceDomain whole = {3,         0,       {0, 0, 0}, {n, n, n}, {n * n, n, 1},
                        n * n * n, nullptr, 0,         {n, n, n}};
  for (int step = 0; step < 4; ++step) {
    void *from = a.data(), *to = b.data();
    SluiceView views[2] = {{&from, &whole}, {&to, &whole}};
    spread(views);
    std::swap(a, b);
  }
  EXPECT_EQ(0, std::memcmp(a.data(), data<int32_t>(cube), 4 * n * n * n));
}
