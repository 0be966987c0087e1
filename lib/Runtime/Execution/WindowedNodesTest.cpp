//===- WindowedNodesTest.cpp ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that keep what they write on the way in windows: results are those of
// nodes one after another, and temporary memory stays as it was.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"
#include "../Plan/Testing/PlanBuilder.h"

#include <array>
#include <random>
#include <stdexcept>

using namespace sluice;
using namespace sluice::test;

namespace {

constexpr uint32_t maxStages = 7, numOutputs = 2;
constexpr uint32_t maxArrays = 1 + maxStages + numOutputs;
constexpr int64_t rowWidth = 5;

/// Stage n: row r of `to` from rows r - `behind` to r + `ahead` of `from`, and
/// with `updates` from what stood there before.
struct Stage {
  uint32_t from, to;
  int64_t ahead, behind;
  bool updates;
};
std::array<Stage, maxStages> stages;
int64_t rowThatFails = -1;

template <uint32_t Index>
void stageKernel(const SluiceInvocation *invocation, uint64_t begin,
                 uint64_t end) {
  const Stage &stage = stages[Index];
  const int64_t rows = invocation->extents[1];
  const auto *from = at<uint64_t *>(invocation, 16 * stage.from);
  auto *to = at<uint64_t *>(invocation, 16 * stage.to);
  for (auto i = int64_t(begin); i < int64_t(end); ++i) {
    const int64_t row = i / rowWidth;
    if (Index == 1 && row == rowThatFails)
      throw std::runtime_error("this row fails");
    uint64_t sum = Index + (stage.updates ? 7 * to[i] : 0);
    for (int64_t near = std::max<int64_t>(0, row - stage.behind);
         near <= std::min<int64_t>(rows - 1, row + stage.ahead); ++near)
      sum = 31 * sum + from[near * rowWidth + (i + near) % rowWidth];
    to[i] = sum;
    if (i + 1 == rows * rowWidth)
      at<uint64_t>(invocation, 16 * maxArrays + 8 + 8 * Index) = sum;
  }
}

/// Bounds that leave out that there are no rows beyond the array.
template <uint32_t Index>
void stageTouch(const unsigned char *, const int64_t *extents, uint64_t begin,
                uint64_t end, SluiceDeviceRange *ranges) {
  const Stage &stage = stages[Index];
  const int64_t row = 8 * extents[0];
  ranges[0] = {(int64_t(begin) - stage.behind) * row,
               (int64_t(end) + stage.ahead) * row, 0, 0};
  ranges[1] = {0, 0, int64_t(begin) * row, int64_t(end) * row};
  if (stage.updates)
    ranges[1].readFirst = ranges[1].writtenFirst,
    ranges[1].readEnd = ranges[1].writtenEnd;
}

void stageExtents(const unsigned char *frame, int64_t *extents) {
  extents[0] = rowWidth;
  std::memcpy(&extents[1], frame + 16 * maxArrays, 8);
  extents[2] = 1;
}

struct Code {
  SluiceKernel kernel;
  SluiceDeviceTouch touch;
};
template <size_t... Indices>
std::array<Code, sizeof...(Indices)> codeOf(std::index_sequence<Indices...>) {
  return {Code{stageKernel<Indices>, stageTouch<Indices>}...};
}

/// Arguments: the arrays with their sizes, the number of rows. Array 0 is the
/// input, the last ones are outputs, the others temporary.
class StageGraph {
public:
  explicit StageGraph(unsigned seed, bool isTemporary = true) : random(seed) {
    for (uint32_t i = 0; i < maxArrays; ++i)
      builder.buffer("array", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT,
                     isTemporary && isInner(i) ? SLUICE_PORT_TEMPORARY : 0);
    builder.argument("rows", 8);
    for (uint32_t i = 0; i < maxStages; ++i)
      addStage(i);
    for (uint32_t i = 0; i < maxStages; ++i)
      builder.result("last", 8, outputs[i]);
    builder.finish();
  }
  static bool isInner(uint32_t array) {
    return array > 0 && array < 1 + maxStages;
  }

  PlanBuilder builder;

private:
  void addStage(uint32_t index) {
    static const auto code = codeOf(std::make_index_sequence<maxStages>());
    Stage &stage = stages[index];
    const bool isOutput = index + numOutputs >= maxStages;
    stage.from = written.empty() || random() % 4 == 0
                     ? 0
                     : written[random() % written.size()];
    // A new array, or one that holds something already.
    stage.updates = !isOutput && !written.empty() && random() % 4 == 0;
    stage.to = isOutput        ? 1 + index + numOutputs
               : stage.updates ? written[random() % written.size()]
                               : 1 + index;
    if (stage.to == stage.from)
      stage.from = 0;
    if (!isOutput && !stage.updates)
      written.push_back(stage.to);
    stage.ahead = random() % 3;
    stage.behind = random() % 3;
    const uint32_t node =
        builder.node("root/stage", code[index].kernel, stageExtents);
    outputs[index] = builder.output(node, "last", 8);
    builder.operand(node, 2 * stage.from, SLUICE_ACCESS_IN);
    builder.operand(node, 2 * stage.to,
                    SLUICE_ACCESS_OUT | (stage.updates ? SLUICE_ACCESS_IN : 0));
    touched[index] = {2 * stage.from, 2 * stage.to};
    SluicePlanNode &plan = builder.at(node);
    plan.touch = code[index].touch;
    plan.touched = touched[index].data();
    plan.numTouched = 2;
    plan.tiling = SLUICE_TILED_DIMENSION;
    if (node == 0)
      return;
    builder.order(node - 1, node);
    // What the node reads, and what is read of what it writes.
    plan.tiling |= SLUICE_TILED;
    plan.tileAhead = plan.tileBehind = 2;
  }

  std::mt19937 random;
  std::vector<uint32_t> written;
  std::array<std::array<uint32_t, 2>, maxStages> touched;
  std::array<uint64_t, maxStages> outputs;
};

class WindowedNodesTest : public RuntimeTest {
protected:
  using Arrays = std::vector<std::vector<uint64_t>>;
  static constexpr uint64_t canary = 0x1234567812345678;

  struct Results {
    Arrays arrays;
    std::vector<uint64_t> last;
  };
  Structure structureOf(Arrays &arrays, int64_t rows) {
    Structure structure;
    for (auto &array : arrays)
      structure.add(array.data()).add(uint64_t(8 * rows * rowWidth));
    structure.add(rows);
    for (uint32_t i = 0; i < maxStages; ++i)
      structure.add(uint64_t(0));
    return structure;
  }
  Arrays arraysOf(int64_t rows) {
    Arrays arrays(maxArrays);
    for (auto &array : arrays)
      array.assign(rows * rowWidth, canary);
    for (int64_t i = 0; i < rows * rowWidth; ++i)
      arrays[0][i] = i * 77;
    return arrays;
  }
  Results resultsOf(StageGraph &graph, int64_t rows, unsigned cache,
                    int numLaunches = 1) {
    options.tileCache = cache;
    start();
    Results results{arraysOf(rows), {}};
    for (int round = 0; round < numLaunches; ++round) {
      Structure structure = structureOf(results.arrays, rows);
      run(&graph.builder.plan, structure);
      for (uint32_t i = 0; i < maxStages; ++i)
        results.last.push_back(
            structure.read<uint64_t>(16 * maxArrays + 8 + 8 * i));
    }
    return results;
  }
  static bool isUntouched(const Results &results) {
    for (uint32_t i = 0; i < maxArrays; ++i)
      for (uint64_t value : results.arrays[i])
        if (StageGraph::isInner(i) && value != canary)
          return false;
    return true;
  }
};
} // namespace

TEST_P(WindowedNodesTest, StagesEqualThoseOneAfterAnother) {
  rowThatFails = -1;
  unsigned numWindowed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    StageGraph graph(seed);
    const int64_t rows = 1 + seed * seed * 7 % 2500;
    const Results expected = resultsOf(graph, rows, 0);
    for (unsigned cache : {3000u, 9000u, 40000u}) {
      const Results found = resultsOf(graph, rows, cache);
      for (uint32_t output = maxArrays - numOutputs; output < maxArrays;
           ++output)
        ASSERT_EQ(found.arrays[output], expected.arrays[output])
            << "seed " << seed << ", cache " << cache;
      ASSERT_EQ(found.last, expected.last);
      numWindowed += isUntouched(found);
    }
  }
  EXPECT_GT(numWindowed, 20u);
}

// Both ways take turns, and what windows need is known from before.
TEST_P(WindowedNodesTest, LaunchesAreAlike) {
  rowThatFails = -1;
  for (unsigned seed = 0; seed < 30; ++seed) {
    StageGraph graph(seed);
    const int64_t rows = 1 + seed * seed * 7 % 1500;
    const Results expected = resultsOf(graph, rows, 0, 9);
    for (unsigned cache : {3000u, 40000u, 1u << 30}) {
      const Results found = resultsOf(graph, rows, cache, 9);
      for (uint32_t output = maxArrays - numOutputs; output < maxArrays;
           ++output)
        ASSERT_EQ(found.arrays[output], expected.arrays[output])
            << "seed " << seed << ", cache " << cache;
      ASSERT_EQ(found.last, expected.last);
    }
  }
}

// The number of rows changes from launch to launch, also what they share.
TEST_P(WindowedNodesTest, LaunchesOfOtherSizesAreMeasuredAnew) {
  rowThatFails = -1;
  StageGraph graph(5);
  options.tileCache = 9000;
  start();
  for (int64_t rows : {900, 901, 300, 900, 2000, 1, 900}) {
    Arrays arrays = arraysOf(rows);
    Structure structure = structureOf(arrays, rows);
    run(&graph.builder.plan, structure);
    Arrays alone = arraysOf(rows);
    options.tileCache = 0;
    start();
    Structure other = structureOf(alone, rows);
    run(&graph.builder.plan, other);
    for (uint32_t output = maxArrays - numOutputs; output < maxArrays; ++output)
      ASSERT_EQ(arrays[output], alone[output]) << rows;
    options.tileCache = 9000;
    start();
  }
}

TEST_P(WindowedNodesTest, AllWaysGiveTheSame) {
  rowThatFails = -1;
  unsigned numWindowed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    StageGraph graph(seed);
    std::mt19937 random(seed);
    const int64_t rows = 1 + random() % (seed % 3 ? 60 : 2500);
    options.tunedGraphs.clear();
    const Results expected = resultsOf(graph, rows, 0);
    for (unsigned round = 0; round < 4; ++round) {
      TunedGraph tuned{graph.builder.plan.name, std::nullopt, {}};
      tuned.way.kind =
          round % 2 ? TileWay::Kind::Windows : TileWay::Kind::Strips;
      tuned.way.rows = 1 + random() % (random() % 2 ? 4 : 3000);
      (round % 2 ? tuned.way.pieces : tuned.way.nodes) = random() % 6;
      options.tunedGraphs = {tuned};
      const Results found = resultsOf(graph, rows, 1 << 20);
      for (uint32_t output = maxArrays - numOutputs; output < maxArrays;
           ++output)
        ASSERT_EQ(found.arrays[output], expected.arrays[output])
            << "seed " << seed << ", " << describeWay(tuned.way);
      ASSERT_EQ(found.last, expected.last);
      const bool isWindowed = isUntouched(found);
      numWindowed += isWindowed && round % 2;
    }
  }
  options.tunedGraphs.clear();
  EXPECT_GT(numWindowed, 30u);
}

TEST_P(WindowedNodesTest, MemoryThatIsNotTemporaryIsWritten) {
  rowThatFails = -1;
  StageGraph graph(5, /*isTemporary=*/false);
  const Results expected = resultsOf(graph, 900, 0);
  EXPECT_EQ(resultsOf(graph, 900, 9000).arrays, expected.arrays);
}

TEST_P(WindowedNodesTest, ARowThatFailsEndsTheLaunch) {
  StageGraph graph(5);
  options.tileCache = 9000;
  start();
  for (int64_t row : {0, 400, 899}) {
    rowThatFails = row;
    Arrays arrays = arraysOf(900);
    Structure structure = structureOf(arrays, 900);
    EXPECT_NE(
        errorOf(&graph.builder.plan, structure.data()).find("this row fails"),
        std::string::npos);
  }
  rowThatFails = -1;
  Arrays arrays = arraysOf(900);
  Structure structure = structureOf(arrays, 900);
  run(&graph.builder.plan, structure);
}

INSTANTIATE_TEST_SUITE_P(Workers, WindowedNodesTest, testing::Values(1, 2, 5));
