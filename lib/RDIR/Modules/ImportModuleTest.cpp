//===- ImportModuleTest.cpp - Graphs from rdir modules --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows which graph the checks see for small modules.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/ImportModule.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace sluice::rdir;

namespace {
class ImportTest : public testing::Test {
protected:
  ImportTest() { context.loadDialect<RDIRDialect>(); }

  void import(llvm::StringRef text) {
    source = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(source);
    module = importModule(*source);
  }

  /// "%v -> %t read port 0", in the order of the edges.
  static std::vector<std::string> edges(const ImportedGraph &imported) {
    std::vector<std::string> lines;
    for (const Edge &edge : imported.graph.allEdges())
      lines.push_back(imported.name(edge.from) + " -> " +
                      imported.name(edge.to) + " " + edgeName(edge.kind).str() +
                      " " + std::to_string(edge.port));
    return lines;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> source;
  std::unique_ptr<ImportedModule> module;
};
} // namespace

TEST_F(ImportTest, NodesEdgesAndPorts) {
  import(R"(
    rdir.root @r [8] {a : f64, b : f64}
    rdir.graph @g {
      rdir.task @f reads(%x, %y) writes(%z) reduces<"+">(%w) after(%u)
      %x = rdir.region @r {a} initial
      %y = rdir.region @r {b}
      %z = rdir.region @r {b} edges(read to %u)
      %w = rdir.region @r {a}
      %u = rdir.task @h discards(%w port 4) writes(%w)
    })");
  const ImportedGraph &g = *module->graphs.front();
  EXPECT_EQ(edges(g),
            (std::vector<std::string>{
                "'%x' -> '@f' read 0", "'%y' -> '@f' read 1",
                "'@f' -> '%z' write 1", "'@f' -> '%w' reduce 0",
                "'%u' -> '@f' happens_before 0", "'%w' -> '%u' discard 4",
                "'%u' -> '%w' write 4", "'%z' -> '%u' read 5"}));
  EXPECT_TRUE(g.graph.node(1).isInitial);
  EXPECT_FALSE(g.graph.node(2).isInitial);
  EXPECT_EQ(g.graph.node(1).fields, 1u);
  EXPECT_EQ(g.graph.node(2).fields, 2u);
  EXPECT_EQ(module->reductions.size(), 1u);
}

TEST_F(ImportTest, ForestAndNames) {
  import(R"(
    rdir.parameter @n : i64 = 3
    rdir.root @r [8, 8] {a : f64}
    rdir.partition @p of @r [2, 4] disjoint complete by blocks
    rdir.partition @q of @p[1, 2] [@n, @n] aliased incomplete
    rdir.graph @g {
      %0 = rdir.region @p[1, 3]
      %1 = rdir.region @q[7, 5]
      rdir.open
    })");
  const ImportedGraph &g = *module->graphs.front();
  auto region = [&](NodeIndex node) {
    return module->forest.name(g.graph.node(node).region);
  };
  EXPECT_EQ(region(0), "p[1, 3]");
  EXPECT_EQ(region(1), "q[7, 5]");
  EXPECT_FALSE(g.graph.mayAlias(0, 1));
  EXPECT_EQ(g.name(0), "'%0'");
  EXPECT_EQ(g.name(1), "'%1'");
  EXPECT_EQ(g.name(2), "'rdir.open'");
}

TEST_F(ImportTest, LaunchesAndProjections) {
  import(R"(
    rdir.parameter @n : i64 = 3
    rdir.root @r [8] {a : f64}
    rdir.partition @p of @r [4] disjoint complete by blocks
    rdir.variable @s : f64 = 0.0
    rdir.graph @g {
      %0 = rdir.region @p
      %1 = rdir.scalar @s
      rdir.task @f over [@n, 4] reads(%0 by affine_map<(i, j) -> (2 * i - j + 7)>,
        %0 by @choose, %0 whole, %1)
    })");
  const Graph &g = module->graphs.front()->graph;
  EXPECT_EQ(g.domain(g.node(2).domain).extents, (std::vector<int64_t>{0, 4}));
  const Projection &affine = g.projection(g.edge(0).projection);
  EXPECT_EQ(affine.matrix, (std::vector<int64_t>{2, -1}));
  EXPECT_EQ(affine.offset, (std::vector<int64_t>{7}));
  EXPECT_EQ(affine.colors, (std::vector<int64_t>{4}));
  EXPECT_TRUE(g.projection(g.edge(1).projection).isOpaque);
  EXPECT_EQ(g.edge(2).projection, UINT32_MAX);
  EXPECT_EQ(g.edge(3).projection, UINT32_MAX);
}

TEST_F(ImportTest, NestedBodies) {
  import(R"(
    rdir.root @r [8] {a : f64}
    rdir.graph @g {
      %a = rdir.region @r initial
      %b = rdir.region @r
      %l = rdir.loop 10 reads(%a) writes(%b) {
        %a = rdir.region @r
        %t = rdir.task @f reads(%a) writes(%b)
        %b = rdir.region @r
      }
    })");
  const ImportedGraph &g = *module->graphs.front();
  ASSERT_EQ(g.nested.size(), 1u);
  const ImportedGraph &body = *g.nested.front();
  EXPECT_EQ(body.owner, 2u);
  EXPECT_EQ(body.parent, &g);
  EXPECT_TRUE(body.graph.node(0).isInitial);
  EXPECT_FALSE(body.graph.node(2).isInitial);
  EXPECT_EQ(edges(body), (std::vector<std::string>{"'%a' -> '%t' read 0",
                                                   "'%t' -> '%b' write 0"}));
}

TEST_F(ImportTest, ContinuedReductionsHaveAnOperator) {
  import(R"(
    rdir.root @r [8] {a : i64}
    rdir.variable @s : i64 = 0
    rdir.graph @g {
      rdir.task @f continues(%r0, %s0) reduces<"+">(%r1) reduces<"max">(%s1)
      %r0 = rdir.region @r
      %r1 = rdir.region @r
      %s0 = rdir.scalar @s
      %s1 = rdir.scalar @s
    })");
  const Graph &g = module->graphs.front()->graph;
  EXPECT_EQ(g.edge(0).reduction, g.edge(2).reduction);
  EXPECT_EQ(g.edge(1).reduction, g.edge(3).reduction);
  EXPECT_NE(g.edge(0).reduction, g.edge(1).reduction);
  EXPECT_EQ(g.edge(0).port, g.edge(2).port);
  EXPECT_EQ(g.edge(1).port, g.edge(3).port);
}
