//===- TiledNodesTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that follow each other row by row, among others that do not: results
// are those of nodes one after another.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"
#include "../Plan/Testing/PlanBuilder.h"

#include <array>
#include <atomic>
#include <random>
#include <stdexcept>

using namespace sluice;
using namespace sluice::test;

namespace {

constexpr uint32_t maxSweeps = 12, numArrays = 3;
constexpr int64_t width = 3;

/// Sweep n: row r of `to` from rows r - `behind` to r + `ahead` of `from`.
struct Sweep {
  uint32_t from, to, ahead, behind;
};
std::array<Sweep, maxSweeps> sweeps;
/// Calls of kernels for less than all rows.
std::atomic<unsigned> numPieces;
int64_t failingRow;
/// False: kernels are counted only.
bool touchMemory = true;

template <uint32_t Index>
void sweepKernel(const SluiceInvocation *invocation, uint64_t begin,
                 uint64_t end) {
  const Sweep &sweep = sweeps[Index];
  const int64_t rows = invocation->extents[1];
  const auto *from = at<uint64_t *>(invocation, 16 * sweep.from);
  auto *to = at<uint64_t *>(invocation, 16 * sweep.to);
  numPieces += begin != 0 || end != uint64_t(rows * width);
  if (!touchMemory)
    return;
  for (auto i = int64_t(begin); i < int64_t(end); ++i) {
    int64_t row = i / width;
    if (Index == 1 && row == failingRow)
      throw std::runtime_error("this row fails");
    uint64_t sum = Index + 7 * to[i];
    for (int64_t near = std::max<int64_t>(0, row - sweep.behind);
         near <= std::min<int64_t>(rows - 1, row + sweep.ahead); ++near)
      sum = 31 * sum + from[near * width + (i + near) % width];
    to[i] = sum;
  }
}

void sweepExtents(const unsigned char *frame, int64_t *extents) {
  extents[0] = width;
  std::memcpy(&extents[1], frame + 16 * numArrays, 8);
  extents[2] = 1;
}

/// Counts what has ended before it.
void single(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  at<uint64_t>(invocation, 16 * numArrays + 8) += 1;
}

template <size_t... Indices>
std::array<SluiceKernel, sizeof...(Indices)>
sweepKernels(std::index_sequence<Indices...>) {
  return {sweepKernel<Indices>...};
}

/// Arguments: the arrays with their sizes, the number of rows, a counter.
class SweepGraph {
public:
  explicit SweepGraph(unsigned seed) : random(seed) {
    static const auto kernels =
        sweepKernels(std::make_index_sequence<maxSweeps>());
    for (uint32_t i = 0; i < numArrays; ++i)
      builder.buffer("array", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    builder.argument("rows", 8);
    builder.argument("count", 8);
    uint32_t before = SLUICE_NO_INDEX;
    for (uint32_t i = 0; i < maxSweeps; ++i) {
      if (random() % 4 == 0) {
        uint32_t other = builder.node("root/single", single);
        if (before != SLUICE_NO_INDEX)
          builder.order(before, other);
        before = other;
      }
      uint32_t node = builder.node("root/sweep", kernels[i], sweepExtents);
      addSweep(i, node, before);
      before = node;
    }
    builder.finish();
  }

  PlanBuilder builder;

private:
  void addSweep(uint32_t index, uint32_t node, uint32_t before) {
    Sweep &sweep = sweeps[index];
    sweep.from = random() % numArrays;
    sweep.to = (sweep.from + 1 + random() % (numArrays - 1)) % numArrays;
    sweep.ahead = random() % 3;
    sweep.behind = random() % 3;
    for (uint32_t array : {sweep.from, sweep.to})
      builder.operand(node, 2 * array, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    builder.at(node).tiling = SLUICE_TILED_DIMENSION;
    if (before == SLUICE_NO_INDEX)
      return;
    builder.order(before, node);
    if (builder.at(before).numLevels == 0)
      return;
    // What the node reads, and what is read of what it writes.
    builder.at(node).tiling |= SLUICE_TILED;
    builder.at(node).tileAhead = builder.at(node).tileBehind = 2;
  }

  std::mt19937 random;
};

class TiledNodesTest : public RuntimeTest {
protected:
  using Arrays = std::vector<std::vector<uint64_t>>;

  Structure structureOf(Arrays &arrays, int64_t rows) {
    Structure structure;
    for (auto &array : arrays)
      structure.add(array.data()).add(uint64_t(8 * rows * width));
    structure.add(rows).add(uint64_t(0));
    return structure;
  }
  Arrays arraysOf(int64_t rows) {
    Arrays arrays(numArrays);
    for (auto &array : arrays)
      for (int64_t i = 0; i < rows * width; ++i)
        array.push_back(i * 77 + arrays.size());
    return arrays;
  }
  Arrays resultsOf(SweepGraph &graph, int64_t rows, unsigned cache) {
    options.tileCache = cache;
    start();
    Arrays arrays = arraysOf(rows);
    // Launches that are known to be cheap begin in this thread.
    for (int round = 0; round < 6; ++round) {
      Structure structure = structureOf(arrays, rows);
      run(&graph.builder.plan, structure);
    }
    return arrays;
  }
};
} // namespace

TEST_P(TiledNodesTest, SweepsEqualThoseOneAfterAnother) {
  failingRow = -1;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SweepGraph graph(seed);
    int64_t rows = 1 + seed * seed % 200;
    Arrays expected = resultsOf(graph, rows, 0);
    for (unsigned cache : {300u, 1500u, 6000u})
      ASSERT_EQ(resultsOf(graph, rows, cache), expected)
          << "seed " << seed << ", cache " << cache;
  }
}

TEST_P(TiledNodesTest, AllWaysGiveTheSame) {
  failingRow = -1;
  numPieces = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SweepGraph graph(seed);
    std::mt19937 random(seed);
    const int64_t rows = 1 + random() % 300;
    options.tunedGraphs.clear();
    const Arrays expected = resultsOf(graph, rows, 0);
    for (unsigned round = 0; round < 4; ++round) {
      // Graphs without temporary memory have strips in place of windows.
      TileWay way{.kind =
                      round ? TileWay::Kind::Strips : TileWay::Kind::Windows,
                  .rows = uint32_t(1 + random() % (random() % 2 ? 4 : 400))};
      if (round)
        way.nodes = random() % 6;
      options.tunedGraphs = {{graph.builder.plan.name, std::nullopt, way}};
      ASSERT_EQ(resultsOf(graph, rows, 1 << 20), expected)
          << "seed " << seed << ", " << describeWay(way);
    }
  }
  options.tunedGraphs.clear();
  EXPECT_GT(numPieces, 5000u);
}

TEST_P(TiledNodesTest, RowsRunInPieces) {
  failingRow = -1;
  SweepGraph graph(5);
  numPieces = 0;
  resultsOf(graph, 1000, 2000);
  EXPECT_GT(numPieces, 2000u);
}

TEST_P(TiledNodesTest, MemoryThatOverlapsIsNotCut) {
  failingRow = -1;
  SweepGraph graph(5);
  options.tileCache = 2000;
  start();
  std::vector<uint64_t> memory(1100 * width);
  Structure structure;
  for (uint32_t i = 0; i < numArrays; ++i)
    structure.add(memory.data() + 10 * i).add(uint64_t(8 * 1000 * width));
  structure.add(int64_t(1000)).add(uint64_t(0));
  numPieces = 0;
  touchMemory = false; // where arrays overlap, instances race
  run(&graph.builder.plan, structure);
  touchMemory = true;
  EXPECT_LT(numPieces, 1000u);
}

TEST_P(TiledNodesTest, ARowThatFailsEndsTheLaunch) {
  SweepGraph graph(5);
  options.tileCache = 2000;
  start();
  for (int64_t row : {0, 400, 999}) {
    failingRow = row;
    Arrays arrays = arraysOf(1000);
    Structure structure = structureOf(arrays, 1000);
    EXPECT_NE(
        errorOf(&graph.builder.plan, structure.data()).find("this row fails"),
        std::string::npos);
  }
  failingRow = -1;
  Arrays arrays = arraysOf(1000);
  Structure structure = structureOf(arrays, 1000);
  run(&graph.builder.plan, structure);
}

INSTANTIATE_TEST_SUITE_P(Workers, TiledNodesTest, testing::Values(1, 2, 5));
