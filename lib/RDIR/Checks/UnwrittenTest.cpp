//===- UnwrittenTest.cpp - Reads of what has no value ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of launches over some colors: what is found, and that the work for it
// grows as the chain does.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/Unwritten.h"
#include "../Testing/TestGraph.h"

#include <gtest/gtest.h>
#include <map>

using namespace sluice::rdir;

namespace {
/// Each launch writes one color of R and leaves the others as they were; after
/// it a task reads all that is there so far, or one color more.
struct ColorChain : TestGraph {
  RegionIndex R = forest.addPartition("R", B, true, true, numColors);
  std::vector<NodeIndex> versions = {graph.addRegion(R, allFields, false)};

  std::map<int64_t, uint32_t> projections;
  uint32_t one = graph.addDomain({{1}});

  /// What is equal has one number in graphs that are imported.
  uint32_t to(int64_t color) {
    auto [known, isNew] = projections.try_emplace(color);
    if (!isNew)
      return known->second;
    Projection map;
    map.numColorDims = 1;
    map.matrix = {0};
    map.offset = {color};
    map.colors = {numColors};
    return known->second = graph.addProjection(map);
  }
  NodeIndex launch() { return graph.addCompute(NodeKind::Task, one); }
  void join(NodeIndex from, NodeIndex into, EdgeKind kind, int64_t color) {
    graph.addEdge(
        {.from = from, .to = into, .kind = kind, .projection = to(color)});
  }
  void addLaunch(int64_t color) {
    NodeIndex task = launch();
    join(versions.back(), task, EdgeKind::Discard, color);
    versions.push_back(graph.addRegion(R, allFields, false));
    join(task, versions.back(), EdgeKind::Write, color);
  }
  void addReader(int64_t color) {
    join(versions.back(), launch(), EdgeKind::Read, color);
  }
  static constexpr int64_t numColors = 4096;
};
} // namespace

TEST(RDIRUnwritten, FindsColorsThatNobodyWrote) {
  ColorChain chain;
  for (int64_t color : {3, 5, 3}) {
    chain.addLaunch(color);
    chain.addReader(3);
  }
  chain.addReader(5);
  chain.addLaunch(7);
  chain.addReader(6);
  chain.graph.finish();
  UnwrittenReads reads(chain.graph);
  for (size_t i = 0; i + 1 < chain.versions.size(); ++i)
    EXPECT_FALSE(reads.find(chain.versions[i])) << i;
  std::optional<UnwrittenRead> found = reads.find(chain.versions.back());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->origin, chain.versions.front());
}

/// Versions and colors that are looked at in a chain of so many launches, which
/// write `numColors` in turn.
static uint64_t workOf(unsigned numLaunches, unsigned numColors) {
  ColorChain chain;
  for (unsigned i = 0; i != numLaunches; ++i) {
    chain.addLaunch(i % numColors);
    chain.addReader(0);
  }
  chain.graph.finish();
  UnwrittenReads reads(chain.graph);
  for (NodeIndex version : chain.versions)
    EXPECT_FALSE(reads.find(version));
  return reads.work();
}

TEST(RDIRUnwritten, WorkGrowsAsTheChain) {
  for (unsigned numColors : {1, 8, 100}) {
    const uint64_t once = workOf(2000, numColors);
    EXPECT_LE(workOf(4000, numColors), 5 * once / 2) << numColors;
    EXPECT_LE(once, 2000 * 20) << numColors;
  }
  // Each launch adds a color.
  EXPECT_LE(workOf(1000, 1000), 1000 * 20);
}
