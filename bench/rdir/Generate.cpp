//===- Generate.cpp - Programs and graphs of any size ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each shape is a program that is grown until its graph has enough nodes.
//
//===----------------------------------------------------------------------===//

#include "Generate.h"

#include <functional>
#include <random>

using namespace sluice::rdir;
using namespace sluice::rdir::bench;

namespace {
/// Appends step `step` of a program.
using AddStep = std::function<void(SequentialProgram &program, size_t step)>;
} // namespace

static ProgramArgument readWrite(RegionIndex region,
                                 FieldMask fields = allFields) {
  return {
      .region = region, .privilege = Privilege::ReadWrite, .fields = fields};
}

static ProgramArgument read(RegionIndex region, FieldMask fields = allFields) {
  return {.region = region, .privilege = Privilege::Read, .fields = fields};
}

static void addTask(SequentialProgram &program,
                    std::vector<ProgramArgument> arguments) {
  ProgramTask task;
  task.arguments = std::move(arguments);
  program.tasks.push_back(std::move(task));
}

/// The same graph with each version right before what writes it, as one writes
/// modules: MLIR's reader makes a placeholder for each name that is used first.
static std::unique_ptr<Graph> withVersionsFirst(const Graph &graph) {
  auto result = std::make_unique<Graph>(graph.regions());
  std::vector<NodeIndex> numberOf(graph.numNodes(), noNode);
  auto add = [&](NodeIndex index) {
    const Node &node = graph.node(index);
    if (numberOf[index] == noNode)
      numberOf[index] =
          isCompute(node.kind)
              ? result->addCompute(node.kind)
              : result->addRegion(node.region, node.fields, node.isInitial);
  };
  for (NodeIndex index = 0; index < graph.numNodes(); ++index) {
    if (isCompute(graph.node(index).kind))
      for (uint32_t edge : graph.out(index))
        if (!isCompute(graph.node(graph.edge(edge).to).kind))
          add(graph.edge(edge).to);
    add(index);
  }
  for (Edge edge : graph.allEdges()) {
    edge.from = numberOf[edge.from];
    edge.to = numberOf[edge.to];
    result->addEdge(edge);
  }
  result->finish();
  return result;
}

/// A graph of about `numNodes` nodes: the number of steps follows from the
/// graph of a few.
static Generated grow(std::unique_ptr<RegionForest> forest, size_t numNodes,
                      size_t sampleSteps, const AddStep &addStep) {
  SequentialProgram program;
  program.forest = forest.get();
  // Later steps have fewer nodes than the first: versions are there already.
  size_t steps = 0, wanted = sampleSteps, numMade = 0;
  for (unsigned attempt = 0; attempt < 6 && numMade < numNodes; ++attempt) {
    for (; steps < wanted; ++steps)
      addStep(program, steps);
    numMade = buildGraph(program).numNodes();
    wanted = size_t(double(steps) * double(numNodes) / double(numMade)) + 1;
  }
  Generated result;
  result.forest = std::move(forest);
  result.graph = withVersionsFirst(buildGraph(program));
  return result;
}

Generated sluice::rdir::bench::makeChains(size_t numNodes) {
  auto forest = std::make_unique<RegionForest>();
  std::vector<RegionIndex> roots;
  for (int i = 0; i < 64; ++i)
    roots.push_back(forest->addRoot("r" + std::to_string(i)));
  return grow(std::move(forest), numNodes, 2000,
              [roots](SequentialProgram &program, size_t step) {
                auto at = [&](size_t i) { return roots[(step * 5 + i) % 64]; };
                addTask(program, {readWrite(at(0)), read(at(1)), read(at(7)),
                                  read(at(18)), read(at(30))});
              });
}

Generated sluice::rdir::bench::makeTrees(size_t numNodes) {
  auto forest = std::make_unique<RegionForest>();
  RegionIndex grid = forest->addRoot("grid");
  RegionIndex squares = forest->addPartition("squares", grid, true, true, 64);
  std::vector<RegionIndex> square, block;
  for (int64_t i = 0; i < 64; ++i) {
    square.push_back(forest->getSubregion(squares, i));
    RegionIndex blocks = forest->addPartition("blocks" + std::to_string(i),
                                              square.back(), true, true, 16);
    for (int64_t j = 0; j < 16; ++j)
      block.push_back(forest->getSubregion(blocks, j));
  }
  return grow(std::move(forest), numNodes, 1,
              [grid, square, block](SequentialProgram &program, size_t) {
                for (int repeat = 0; repeat < 4; ++repeat)
                  for (RegionIndex region : block)
                    addTask(program, {readWrite(region)});
                for (RegionIndex region : square)
                  addTask(program, {readWrite(region)});
                addTask(program, {readWrite(grid)});
              });
}

Generated sluice::rdir::bench::makeStencil(size_t numNodes) {
  auto forest = std::make_unique<RegionForest>();
  RegionIndex grid = forest->addRoot("grid");
  RegionIndex blocks = forest->addPartition("blocks", grid, true, true, 1024);
  RegionIndex halos = forest->addPartition("halos", grid, false, true, 1024);
  std::vector<RegionIndex> block, halo;
  for (int64_t i = 0; i < 1024; ++i) {
    block.push_back(forest->getSubregion(blocks, i));
    halo.push_back(forest->getSubregion(halos, i));
  }
  return grow(std::move(forest), numNodes, 4,
              [block, halos](SequentialProgram &program, size_t step) {
                FieldMask from = step % 2 ? 2 : 1, to = 3 - from;
                for (RegionIndex region : block)
                  addTask(program, {read(halos, from), readWrite(region, to)});
              });
}

Generated sluice::rdir::bench::makeRandom(size_t numNodes, uint64_t seed) {
  auto forest = std::make_unique<RegionForest>();
  auto random = std::make_shared<std::mt19937_64>(seed);
  auto pick = [random](size_t limit) { return (*random)() % limit; };
  std::vector<std::vector<RegionIndex>> trees;
  for (int i = 0; i < 32; ++i) {
    RegionIndex root = forest->addRoot("r" + std::to_string(i));
    std::vector<RegionIndex> tree = {root};
    for (int j = 0; j < 2; ++j) {
      bool isDisjoint = j == 0;
      RegionIndex partition =
          forest->addPartition((isDisjoint ? "p" : "q") + std::to_string(i),
                               root, isDisjoint, isDisjoint, 16);
      for (int64_t color = 0; color < 16; ++color)
        tree.push_back(forest->getSubregion(partition, color));
    }
    trees.push_back(tree);
  }
  return grow(
      std::move(forest), numNodes, 500,
      [trees, pick](SequentialProgram &program, size_t) {
        std::vector<ProgramArgument> arguments;
        size_t first = pick(32);
        for (size_t i = 0; i < 5; ++i) {
          const auto &tree = trees[(first + i * 7) % 32];
          RegionIndex region = pick(50) ? tree[1 + pick(16)] : tree[pick(33)];
          arguments.push_back(i == 0 ? readWrite(region) : read(region));
        }
        addTask(program, std::move(arguments));
      });
}

Generated sluice::rdir::bench::make(const std::string &shape, size_t numNodes) {
  if (shape == "chains")
    return makeChains(numNodes);
  if (shape == "trees")
    return makeTrees(numNodes);
  if (shape == "stencil")
    return makeStencil(numNodes);
  if (shape == "random")
    return makeRandom(numNodes, 1);
  return {};
}
