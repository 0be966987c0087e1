//===- RootLayoutsTest.cpp - Memory of ranks that have parts of roots -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs whose points look at all elements that they have give the same
// values wherever these stand, and memory has the elements of a rank and few
// others.
//
//===----------------------------------------------------------------------===//

#include "../../Cluster/Testing/ThreadCluster.h"
#include "../Testing/RegionsTest.h"

#include "Rounds.h"

#include <array>
#include <random>
#include <thread>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace {
/// Calls `function(position, index)` for all elements: where they are in the
/// root, and from the pointers that a task has. By coordinates and strides, as
/// task functions are to do it.
template <typename Function>
void forEachPlace(const SluiceDomain &domain, Function &&function) {
  const int64_t *extent = domain.extent, *stride = domain.stride;
  auto visit = [&](int64_t i, int64_t j, int64_t k) {
    function((i * extent[1] + j) * extent[2] + k,
             i * stride[0] + j * stride[1] + k * stride[2]);
  };
  if (!domain.runs) {
    if (domain.count)
      for (int64_t i = domain.lower[0]; i < domain.upper[0]; ++i)
        for (int64_t j = domain.lower[1]; j < domain.upper[1]; ++j)
          for (int64_t k = domain.lower[2]; k < domain.upper[2]; ++k)
            visit(i, j, k);
    return;
  }
  for (int64_t run = 0; run < domain.numRuns; ++run)
    for (int64_t p = domain.runs[run].begin; p < domain.runs[run].end; ++p)
      visit(p / (extent[1] * extent[2]), p / extent[2] % extent[1],
            p % extent[2]);
}

int64_t mix(int64_t a, int64_t b) {
  return static_cast<int64_t>((static_cast<uint64_t>(a) ^ 0x9e3779b97f4a7c15) *
                                  0xbf58476d1ce4e5b9 +
                              static_cast<uint64_t>(b) * 31);
}

/// A number for all that a view has of a field.
int64_t sumOf(const SluiceView &view, size_t index) {
  int64_t sum = 7;
  forEachPlace(*view.domain, [&](int64_t position, int64_t at) {
    sum = mix(sum, mix(position, field<int64_t>(view, index)[at]));
  });
  return sum;
}

/// The same program on each of several ranks, or on one machine (0).
class LayoutsTest : public RegionsTest {
protected:
  void begin(uint32_t numRanks, Compact compact) {
    end();
    if (numRanks)
      cluster = std::make_unique<sluice::test::ThreadCluster>(numRanks);
    for (uint32_t rank = 0; rank < std::max(1u, numRanks); ++rank) {
      RuntimeOptions options;
      options.numWorkers = std::max(1u, GetParam());
      runtimes.push_back(std::make_unique<Runtime>(options));
      programs.push_back(std::make_unique<RegionProgram>(
          "test", runtimes.back().get(), false,
          numRanks ? &cluster->of(rank) : nullptr));
      programs.back()->chooseCompact(compact);
    }
  }
  /// Makes the same calls on each rank.
  template <typename Build> void onAll(Build &&build) {
    for (auto &each : programs) {
      std::swap(program, each);
      build();
      std::swap(program, each);
    }
  }
  template <typename Build> void runGraph(Build &&build) {
    onAll([&] {
      check(program->beginGraph("graph"));
      build();
    });
    std::vector<std::thread> threads;
    for (const auto &each : programs)
      threads.emplace_back([&] { check(each->endGraph()); });
    for (std::thread &thread : threads)
      thread.join();
  }
  void end() {
    programs.clear();
    for (const auto &each : runtimes)
      EXPECT_EQ(each->finish().message(), "");
    runtimes.clear();
    cluster.reset();
  }
  void TearDown() override {
    end();
    RegionsTest::TearDown();
  }

  std::unique_ptr<sluice::test::ThreadCluster> cluster;
  std::vector<std::unique_ptr<Runtime>> runtimes;
  std::vector<std::unique_ptr<RegionProgram>> programs;
};

INSTANTIATE_TEST_SUITE_P(Workers, LayoutsTest, testing::Values(1, 2));

/// Calls that follow from a seed.
struct RandomCalls {
  explicit RandomCalls(unsigned seed) : random(seed) {}
  int64_t pick(int64_t limit) { return random() % limit; }
  std::mt19937 random;
};
} // namespace

static const Body writeAll = [](const SluiceTask &, const SluiceView *views) {
  for (size_t f = 0; f < 2; ++f)
    forEachPlace(*views[0].domain, [&](int64_t position, int64_t at) {
      field<int64_t>(views[0], f)[at] = mix(position, f);
    });
};
/// From all elements of the first argument to those of the second.
static const Body spread = [](const SluiceTask &task, const SluiceView *views) {
  const int64_t sum = mix(sumOf(views[0], 0), task.point[0]);
  forEachPlace(*views[1].domain, [&](int64_t position, int64_t at) {
    int64_t &value = field<int64_t>(views[1])[at];
    value = mix(value, mix(sum, position));
  });
};

TEST_P(LayoutsTest, ValuesAreTheSameWhereverTheyStand) {
  for (unsigned seed = 0; seed < sluice::test::rounds(40); ++seed) {
    std::vector<int64_t> expected;
    for (uint32_t numRanks : {0, 1, 2, 3, 5, 8}) {
      RandomCalls calls(seed);
      std::vector<int64_t> seen;
      begin(numRanks, seed % 5 == 4 ? Compact::WhereItPays : Compact::Always);
      const size_t rank = 2 + seed % 2;
      std::vector<int64_t> extents, blocksOf, slabsOf(rank, 1);
      for (size_t d = 0; d < rank; ++d) {
        extents.push_back(2 + calls.pick(9));
        blocksOf.push_back(1 + calls.pick(std::min<int64_t>(extents[d], 4)));
      }
      slabsOf[calls.pick(rank)] = 2;
      const std::vector<int64_t> width = {calls.pick(2), 1, calls.pick(3)};
      const bool corners = calls.pick(2);
      uint32_t plate = 0, other = 0, sum = 0, blocks = 0, halos = 0, slabs = 0,
               otherBlocks = 0;
      onAll([&] {
        const std::vector<SluiceField> fields = {{"a", SLUICE_I64, 1},
                                                 {"b", SLUICE_I64, 1}};
        plate = addRoot("plate", extents, fields);
        other = addRoot("other", extents, fields);
        sum = addRoot("sum", {1}, {{"x", SLUICE_I64, 1}});
        blocks = addBlocks("blocks", plate, blocksOf);
        halos = addHalos("halos", blocks, width, corners);
        slabs = addBlocks("slabs", plate, slabsOf);
        otherBlocks = addBlocks("blocks", other, blocksOf);
      });
      auto look = [&](uint32_t root, uint32_t partition, int64_t color) {
        add(
            "look", {},
            {argument(root, SLUICE_PRIVILEGE_READ, 3, partition, color)},
            [&](const SluiceTask &, const SluiceView *views) {
              seen.push_back(sumOf(views[0], 0));
              seen.push_back(sumOf(views[0], 1));
            },
            true);
      };
      runGraph([&] {
        add("write", blocksOf,
            {argument(plate, SLUICE_PRIVILEGE_WRITE_DISCARD, 3, blocks)},
            writeAll);
        add("write", blocksOf,
            {argument(other, SLUICE_PRIVILEGE_WRITE_DISCARD, 3, otherBlocks)},
            writeAll);
      });
      for (int64_t graph = 1 + calls.pick(4); graph > 0; --graph) {
        const int64_t loops = calls.pick(3), kind = calls.pick(6);
        const bool looks = calls.pick(2);
        const int64_t color = calls.pick(2);
        runGraph([&] {
          check(program->beginLoop(loops, SLUICE_NO_PARTITION));
          for (uint64_t from : {1, 2})
            add("spread", blocksOf,
                {argument(plate, SLUICE_PRIVILEGE_READ, from, halos),
                 argument(plate, SLUICE_PRIVILEGE_READ_WRITE, 3 - from,
                          blocks)},
                spread);
          check(program->endLoop());
          std::vector<int64_t> space = blocksOf;
          const int64_t value = 5;
          if (kind == 0)
            check(program->addCopy(
                argument(plate, SLUICE_PRIVILEGE_READ, 1, blocks),
                argument(other, SLUICE_PRIVILEGE_WRITE_DISCARD, 2, otherBlocks),
                rank, space.data()));
          else if (kind == 1)
            check(program->addFill(
                argument(other, SLUICE_PRIVILEGE_WRITE_DISCARD, 1, otherBlocks),
                &value, rank, space.data()));
          else if (kind == 2) // whole roots
            check(program->addCopy(
                argument(other, SLUICE_PRIVILEGE_READ, 2),
                argument(plate, SLUICE_PRIVILEGE_WRITE_DISCARD, 1), 0,
                nullptr));
          else if (kind == 3)
            add("spread", slabsOf,
                {argument(plate, SLUICE_PRIVILEGE_READ, 1, slabs),
                 argument(plate, SLUICE_PRIVILEGE_READ_WRITE, 2, slabs)},
                spread);
          else if (kind == 4) {
            SluiceArgument into =
                argument(plate, SLUICE_PRIVILEGE_REDUCE, 1, halos);
            into.reduction.kind = SLUICE_REDUCE_XOR;
            add("reduce", blocksOf, {into},
                [](const SluiceTask &task, const SluiceView *views) {
                  forEachPlace(*views[0].domain,
                               [&](int64_t position, int64_t at) {
                                 field<int64_t>(views[0])[at] ^=
                                     mix(position, task.point[1]);
                               });
                });
          }
          if (looks)
            look(plate, slabs, color);
        });
      }
      runGraph([&] {
        look(plate, SLUICE_NO_PARTITION, 0);
        look(other, SLUICE_NO_PARTITION, 0);
      });
      if (numRanks == 0)
        expected = seen;
      ASSERT_EQ(seen, expected) << "seed " << seed << " on " << numRanks;
      ASSERT_FALSE(HasFailure()) << "seed " << seed << " on " << numRanks;
    }
  }
}

/// A rank of columns has its columns, and the pointers of others still are
/// right when it gets more of them.
TEST_P(LayoutsTest, MemoryHasTheElementsOfTheRank) {
  constexpr int64_t rows = 40, columns = 64;
  begin(4, Compact::Always);
  uint32_t plate = 0, blocks = 0, halos = 0, lines = 0;
  onAll([&] {
    plate = addRoot("plate", {rows, columns},
                    {{"a", SLUICE_I64, 1}, {"b", SLUICE_I64, 1}});
    blocks = addBlocks("blocks", plate, {1, 4});
    halos = addHalos("halos", blocks, {1, 1}, false);
    lines = addBlocks("lines", plate, {4});
  });
  // The strides that points saw, by their numbers.
  std::array<int64_t, 4> strides = {};
  auto sweep = [&](uint32_t from, uint32_t to, std::vector<int64_t> space) {
    runGraph([&] {
      add("sweep", space,
          {argument(plate, SLUICE_PRIVILEGE_READ, 1, from),
           argument(plate, SLUICE_PRIVILEGE_READ_WRITE, 2, to)},
          [&](const SluiceTask &task, const SluiceView *views) {
            EXPECT_EQ(views[0].domain->stride[0], views[1].domain->stride[0]);
            EXPECT_EQ(views[0].domain->extent[0], rows);
            EXPECT_EQ(views[0].domain->extent[1], columns);
            strides[task.point[0] + task.point[1]] = views[0].domain->stride[0];
            spread(task, views);
          });
    });
  };
  runGraph([&] {
    add("write", {1, 4},
        {argument(plate, SLUICE_PRIVILEGE_WRITE_DISCARD, 3, blocks)}, writeAll);
  });
  sweep(blocks, blocks, {1, 4});
  EXPECT_EQ(strides, (std::array<int64_t, 4>{16, 16, 16, 16}));
  sweep(halos, blocks, {1, 4});
  EXPECT_EQ(strides, (std::array<int64_t, 4>{17, 18, 18, 17}));
  // What a rank has of the columns stays where it has rows as well.
  sweep(lines, lines, {4});
  EXPECT_EQ(strides, (std::array<int64_t, 4>{64, 64, 64, 64}));
}

/// Where a program asks for the address of a root, all of it has its place.
TEST_P(LayoutsTest, AddressesOfRootsAreThoseOfAllElements) {
  constexpr int64_t n = 12;
  begin(3, Compact::Always);
  uint32_t plate = 0, blocks = 0;
  onAll([&] {
    plate =
        addRoot("plate", {n, n}, {{"a", SLUICE_I64, 1}, {"b", SLUICE_I64, 1}});
    blocks = addBlocks("blocks", plate, {1, 3});
  });
  runGraph([&] {
    add("write", {1, 3},
        {argument(plate, SLUICE_PRIVILEGE_WRITE_DISCARD, 3, blocks)}, writeAll);
  });
  for (int64_t rank = 0; rank < 3; ++rank) {
    const auto *values = static_cast<const int64_t *>(
        valueOf(programs[rank]->rootField(plate, 1)));
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = rank * 4; j < rank * 4 + 4; ++j)
        EXPECT_EQ(values[i * n + j], mix(i * n + j, 1));
  }
}
