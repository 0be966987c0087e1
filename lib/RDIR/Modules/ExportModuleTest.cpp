//===- ExportModuleTest.cpp - Graphs as rdir modules ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporting and importing a graph must give the same graph.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "sluice/RDIR/Builder.h"
#include "sluice/RDIR/CheckModule.h"
#include "gtest/gtest.h"

using namespace sluice::rdir;

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

static bool isProven(mlir::ModuleOp module) {
  ModuleCheck check = checkModule(*importModule(module));
  emitFindings(check, /*hasRemarks=*/true);
  return !check.hasErrors();
}

/// Nodes, edges, launches and projections as text.
static std::vector<std::string> describe(const Graph &graph) {
  std::vector<std::string> lines;
  auto number = [](auto value) { return std::to_string(value) + " "; };
  for (const Node &node : graph.allNodes())
    lines.push_back(number(int(node.kind)) + number(node.isInitial) +
                    (isCompute(node.kind) ? ""
                                          : graph.regions().name(node.region) +
                                                " " + number(node.fields)));
  for (const Edge &edge : graph.allEdges()) {
    std::string line = number(edge.from) + number(edge.to) +
                       number(int(edge.kind)) + number(edge.port);
    if (edge.projection != UINT32_MAX)
      for (int64_t factor : graph.projection(edge.projection).matrix)
        line += number(factor);
    lines.push_back(line);
  }
  std::sort(lines.begin() + graph.numNodes(), lines.end());
  return lines;
}

TEST(ExportTest, ExampleOfTheHeader) {
  mlir::MLIRContext context;
  ModuleBuilder module(context);
  RootOp grid = module.root("grid", {64}, {{"value", module.f64()}});
  PartitionOp blocks = module.blocks("blocks", {grid}, {4});

  GraphBuilder graph = module.graph("relax");
  NodeBuilder before = graph.region({blocks}).initial();
  NodeBuilder after = graph.region({blocks});
  graph.task("relax").over({4}).reads(before).writes(after);

  ProgramBuilder program(module, "sum");
  program.task("smooth").over({4}).readsWrites({blocks});
  program.task("print").reads({grid});
  program.finish();

  EXPECT_TRUE(mlir::succeeded(mlir::verify(module.get())));
  EXPECT_TRUE(isProven(module.get()));
  std::string text = print(module.get());
  EXPECT_NE(text.find("rdir.task @relax over [4] reads(%0) writes(%1)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("rdir.close"), std::string::npos) << text;
  EXPECT_NE(text.find("rdir.task @smooth over [4] reads("), std::string::npos)
      << text;
}

TEST(ExportTest, EveryNodeOfTheBuilder) {
  mlir::MLIRContext context;
  ModuleBuilder module(context);
  mlir::Builder &types = module.types();
  ParameterOp n = module.parameter("n", 3);
  VariableOp going = module.variable("going", types.getI32IntegerAttr(1));
  RootOp grid = module.root(
      "grid", {n, 8}, {{"a", types.getF64Type()}, {"b", types.getF64Type()}});
  PartitionOp blocks = module.blocks("blocks", {grid}, {2, n});
  module.halos("halos", blocks, {1, 1}, /*hasCorners=*/false);
  PartitionOp parts = module.abstractPartition("parts", {blocks, {0, 1}}, {4},
                                               /*isDisjoint=*/false,
                                               /*isComplete=*/true);
  GraphBuilder graph = module.graph("g");
  NodeBuilder a = graph.region({grid, {"a"}}).initial().named("a");
  NodeBuilder part = graph.region({parts, {2}}).named("part");
  NodeBuilder flag = graph.scalar(going).named("flag");
  graph.open().reads(a).writes(part);
  graph.close().reads(part).writes(a);
  graph.copy().reads(a).writes(a);
  graph.fill(types.getF64FloatAttr(0.5)).discards(a).writes(a);
  NodeBuilder host = graph.host("look").reads(a).named("host");
  GraphBuilder::body(graph.loop(n).after(host)).task("inner");
  GraphBuilder::body(graph.loopWhile(going).reads(flag)).task();
  GraphBuilder::body(graph.mustEpoch()).task("member");
  mlir::Attribute whole = types.getStringAttr("whole");
  graph.task("f")
      .over({2, n})
      .reads(graph.region({blocks}), whole)
      .continues(a)
      .reduces("+", a)
      .edge({EdgeKind::Read, /*isOutgoing=*/true}, host);
  ASSERT_TRUE(mlir::succeeded(mlir::verify(module.get())));

  std::string text = print(module.get());
  for (const char *part :
       {"by halo(@blocks, [1, 1], axes)", "of @blocks[0, 1] [4]",
        "%part = rdir.region @parts[2]", "rdir.fill 5.000000e-01 : f64",
        "rdir.loop @n after(%host)", "rdir.loop while @going reads(%flag)",
        "rdir.must_epoch", "whole) continues(%a) reduces<\"+\">(%a)",
        "edges(read to %host)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  auto again = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again), text);
}

TEST(ExportTest, GraphsOfProgramsComeBack) {
  RegionForest forest;
  RegionIndex root = forest.addRoot("r"), other = forest.addRoot("s");
  RegionIndex disjoint = forest.addPartition("p", root, true, true, 4);
  RegionIndex aliased = forest.addPartition("q", root, false, false, 0);
  RegionIndex part = forest.getSubregion(disjoint, 2);
  forest.addSubregionConstraint(forest.getSubregion(aliased, 1), part);
  forest.addDisjointConstraint(forest.getSubregion(aliased, 2), part);
  SequentialProgram program;
  program.forest = &forest;
  program.domains = {{{4}}};
  program.projections = {{1, {-1}, {3}, {4}, false}};
  auto add = [&](std::vector<ProgramArgument> arguments, uint32_t domain) {
    program.tasks.push_back({NodeKind::Task, std::move(arguments), domain});
  };
  add({{disjoint, Privilege::ReadWrite, 1, noReduction, 0},
       {other, Privilege::Read, 2}},
      0);
  add({{part, Privilege::Reduce, 1, 0}}, UINT32_MAX);
  add({{root, Privilege::Read, 3}, {other, Privilege::WriteDiscard, 2}},
      UINT32_MAX);
  Graph graph = buildGraph(program);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      exportModule(context, "program", graph);
  ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
  auto again =
      mlir::parseSourceString<mlir::ModuleOp>(print(*module), &context);
  ASSERT_TRUE(again);
  std::unique_ptr<ImportedModule> imported = importModule(*again);
  EXPECT_EQ(describe(imported->graphs.front()->graph), describe(graph));
  EXPECT_EQ(isProven(*again), !checkGraph(graph).hasErrors());
}

TEST(ExportTest, NamesThatAreTakenGetNumbers) {
  RegionForest forest;
  RegionIndex first = forest.addRoot("g"), second = forest.addRoot("g");
  Graph graph(forest);
  graph.addRegion(first);
  graph.addRegion(second);
  graph.finish();
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = exportModule(context, "g", graph);
  ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
  std::string text = print(*module);
  for (const char *part : {"rdir.root @g ", "rdir.root @g_0 ",
                           "rdir.graph @g_1", "rdir.region @g_0"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(ExportTest, IllFormedGraphsComeBack) {
  RegionForest forest;
  RegionIndex root = forest.addRoot("r");
  Graph graph(forest);
  NodeIndex a = graph.addRegion(root, 1), b = graph.addRegion(root, 1);
  NodeIndex t = graph.addCompute(NodeKind::Task);
  NodeIndex u = graph.addCompute(NodeKind::Fill);
  graph.addEdge({.from = a, .to = b, .kind = EdgeKind::Write});
  graph.addEdge({.from = t, .to = t, .kind = EdgeKind::HappensBefore});
  graph.addEdge({.from = t, .to = u, .kind = EdgeKind::Read, .port = 3});
  graph.addEdge({.from = t, .to = a, .kind = EdgeKind::Discard, .port = 7});
  graph.addEdge({.from = a, .to = t, .kind = EdgeKind::Write, .port = 9});
  graph.addEdge({.from = a, .to = t, .kind = EdgeKind::Read, .port = 0});
  graph.addEdge({.from = a, .to = t, .kind = EdgeKind::Read, .port = 1});
  graph.finish();

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = exportModule(context, "g", graph);
  auto again =
      mlir::parseSourceString<mlir::ModuleOp>(print(*module), &context);
  ASSERT_TRUE(again);
  std::unique_ptr<ImportedModule> imported = importModule(*again);
  EXPECT_EQ(describe(imported->graphs.front()->graph), describe(graph));
}
