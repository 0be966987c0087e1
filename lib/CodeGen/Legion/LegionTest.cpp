//===- LegionTest.cpp - Legion programs of hand-made input ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the text that the programs of the lit tests do not reach
// individually: the form of an argument, the dependences of a trace, and line
// breaks.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace sluice::codegen;
using namespace sluice::codegen::legion;

namespace {
class LegionTest : public testing::Test {
protected:
  LegionTest() {
    program.name = "sample";
    program.parameters = {{"n", ElementType::I64, 16}};
    program.reductions = {
        {"+", ElementType::F64, 0, ""},
        {"closest", ElementType::F64, bitsOf(1.0e30), "closer"}};
    program.roots = {
        {"grid",
         {{0, 0}, {8}},
         {{"old", ElementType::F64},
          {"next", ElementType::F64},
          {"near", ElementType::F64, 4}},
         false,
         0},
        {"alpha", {}, {{"value", ElementType::F64}}, true, bitsOf(0.0)}};
    RegionPartition blocks, some;
    blocks.name = "blocks";
    blocks.kind = PartitionKind::Blocks;
    blocks.root = some.root = 0;
    blocks.colors = {{2}, {4}};
    blocks.isDisjoint = blocks.isComplete = true;
    some.name = "some";
    some.kind = PartitionKind::Coloring;
    some.colors = {{4}};
    some.isDisjoint = true;
    some.isComplete = false;
    some.function = "some_rows";
    program.partitions = {blocks, some};
  }

  RegionStatement statement(RegionStatement::Kind kind, std::string name,
                            std::vector<RegionArgument> arguments,
                            std::vector<unsigned> dependences = {}) {
    RegionStatement result(
        mlir::FileLineColLoc::get(&context, "folder/sample.mlir", 7, 1));
    result.kind = kind;
    result.function = result.label = std::move(name);
    result.arguments = std::move(arguments);
    result.dependences = std::move(dependences);
    return result;
  }
  std::string text(std::vector<RegionStatement> statements,
                   LegionOptions options = {}) {
    program.graphs = {{"main", std::move(statements)}};
    std::string result;
    llvm::raw_string_ostream os(result);
    emitLegion(program, options, os);
    return result;
  }

  mlir::MLIRContext context;
  RegionModel program;
};
} // namespace

static RegionArgument region(std::vector<unsigned> fields,
                             RegionPrivilege privilege,
                             unsigned partition = noIndex, int64_t color = -1) {
  RegionArgument argument;
  argument.root = 0;
  argument.partition = partition;
  argument.color = color;
  argument.fields = std::move(fields);
  argument.privilege = privilege;
  return argument;
}

static RegionArgument scalar(RegionPrivilege privilege) {
  RegionArgument argument;
  argument.kind = RegionArgument::Scalar;
  argument.root = 1;
  argument.fields = {0};
  argument.privilege = privilege;
  return argument;
}

/// "offset previous current" of each dependence of an operation.
static std::vector<std::string> pairsOf(const TracedOperation &operation) {
  std::vector<std::string> pairs;
  for (const TracedDependence &dependence : operation.dependences)
    pairs.push_back(std::to_string(dependence.offset) + " " +
                    std::to_string(dependence.previous) + " " +
                    std::to_string(dependence.current) +
                    (dependence.isAnti ? " anti" : ""));
  return pairs;
}

using Pairs = std::vector<std::string>;

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_LACKS(text, part)                                               \
  EXPECT_EQ((text).find(part), std::string::npos) << (text)

TEST_F(LegionTest, NamesColorsByCoordinates) {
  std::string source =
      text({statement(RegionStatement::Task, "f",
                      {region({0, 2}, RegionPrivilege::ReadWrite, 0, 6)})});
  EXPECT_CONTAINS(source, "          RegionRequirement(part(partition_blocks, "
                          "Point<2>(1, 2)),\n"
                          "                            LEGION_READ_WRITE, "
                          "LEGION_EXCLUSIVE, region_grid)\n");
  EXPECT_CONTAINS(source, "              .add_field(FID_GRID_OLD)\n"
                          "              .add_field(FID_GRID_NEAR));\n");
}

TEST_F(LegionTest, GivesPartsThatDoNotCoverARegionOfTheirOwn) {
  RegionStatement task = statement(RegionStatement::Task, "f",
                                   {region({0}, RegionPrivilege::Read, 1),
                                    region({1}, RegionPrivilege::Read, 0)});
  std::string source = text({task});
  EXPECT_CONTAINS(source, "whole_partition_some = whole(region_grid, "
                          "partition_some);\n");
  // Blocks cover the grid.
  EXPECT_CONTAINS(source, "RegionRequirement(region_grid, LEGION_READ_ONLY, "
                          "LEGION_EXCLUSIVE,\n");
}

TEST_F(LegionTest, SplitsReductionsBySize) {
  RegionArgument sum = region({0, 2}, RegionPrivilege::Reduce, 0, 0);
  sum.reduction = 0;
  std::string source = text({statement(RegionStatement::Task, "f", {sum})});
  EXPECT_CONTAINS(source, "using reduction_sum = "
                          "ArrayReduction<SumReduction<double>, 4, 1>;\n");
  EXPECT_CONTAINS(source, "  ::f(&self, region0.field<double>(FID_GRID_OLD),\n"
                          "      region0.field<double[4]>(FID_GRID_NEAR, "
                          "regions[1]), &region0.domain);\n");
}

TEST_F(LegionTest, HasAClassForOperatorsOfTheUser) {
  RegionArgument sum = region({0}, RegionPrivilege::Reduce, 0, 0);
  sum.reduction = 1;
  std::string source = text({statement(RegionStatement::Task, "f", {sum})});
  EXPECT_CONTAINS(source, "struct reduction_closest {");
  EXPECT_CONTAINS(source, "  static constexpr RHS identity = 1.0E+30;\n");
  EXPECT_CONTAINS(source,
                  "  Runtime::register_reduction_op<reduction_closest>(");
}

TEST_F(LegionTest, FoldsScalarsByTasks) {
  RegionArgument sum = scalar(RegionPrivilege::Reduce);
  sum.reduction = 0;
  RegionStatement task = statement(RegionStatement::Task, "f", {sum});
  EXPECT_CONTAINS(text({task}), "fold(FOLD_SUM_DOUBLE_TASK_ID, scalar_alpha, "
                                "value);\n");
  task.domain = {{4}};
  EXPECT_CONTAINS(text({task}),
                  "runtime->execute_index_space(ctx, launcher,\n");
  // The fold is a separate operation.
  task.arguments.push_back(region({0}, RegionPrivilege::ReadWrite));
  RegionStatement next = statement(RegionStatement::Task, "g",
                                   {region({0}, RegionPrivilege::Read)}, {0});
  std::optional<LoopTrace> trace = traceOf(program, {task, next});
  ASSERT_TRUE(trace);
  EXPECT_EQ(pairsOf(trace->operations[1][0]), Pairs{"2 0 0"});
}

TEST_F(LegionTest, ChecksProjectionsBeforeTheStart) {
  RegionArgument turned = region({0}, RegionPrivilege::ReadWrite, 1);
  turned.projection = {
      RegionProjection::Function, {}, {}, {}, {}, "turn", true};
  RegionArgument next = region({0}, RegionPrivilege::Read, 1);
  next.projection = {RegionProjection::Affine, {-1}, {3}, {}, {}, "", false};
  RegionStatement task = statement(RegionStatement::Task, "f", {turned, next});
  task.domain = {{4}};
  std::string source = text({task});
  EXPECT_CONTAINS(source,
                  "  checkPoints<1>(\"f\", \"some\", box<1>({4}), {4},\n"
                  "                 {{project_some, 1}, "
                  "{project_some_2, 0}});\n");
  EXPECT_CONTAINS(source, "  return Point<1>(-point[0] + 3);\n");
  EXPECT_CONTAINS(source, "  return colorAt<1>(\"some\", ::turn(&task), {4});");
  EXPECT_CONTAINS(source, "  sluice_program::checkProjections();\n");
}

TEST_F(LegionTest, RunsOtherEpochsOneAfterAnother) {
  RegionStatement epoch = statement(RegionStatement::MustEpoch, "e", {});
  epoch.body = {statement(RegionStatement::Task, "f", {})};
  EXPECT_CONTAINS(text({epoch}), "runtime->execute_must_epoch(ctx, epoch);");
  LegionOptions options;
  options.hasMustEpochs = false;
  EXPECT_LACKS(text({epoch}, options), "MustEpochLauncher");
  RegionArgument target = region({0}, RegionPrivilege::WriteDiscard);
  RegionStatement fill = statement(RegionStatement::Fill, "g", {target});
  fill.fillValue = bitsOf(1.0);
  epoch.body.push_back(fill);
  EXPECT_LACKS(text({epoch}), "MustEpochLauncher");
}

TEST_F(LegionTest, MarksIndependentRequirements) {
  RegionStatement task = statement(RegionStatement::Task, "f",
                                   {region({0}, RegionPrivilege::ReadWrite)});
  EXPECT_LACKS(text({task}), "independent_requirements");
  task.hasIndependentRequirements = true;
  EXPECT_CONTAINS(text({task}), "launcher.independent_requirements = true;\n");
  LegionOptions options;
  options.hasIndependentRequirements = false;
  EXPECT_LACKS(text({task}, options), "independent_requirements");
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

TEST_F(LegionTest, TracesWhatMeetsInARegion) {
  std::vector<RegionStatement> body = {
      statement(RegionStatement::Task, "a",
                {region({0}, RegionPrivilege::Read),
                 region({1}, RegionPrivilege::WriteDiscard)}),
      statement(RegionStatement::Task, "b",
                {region({1}, RegionPrivilege::Read),
                 region({0}, RegionPrivilege::ReadWrite)},
                {0})};
  std::optional<LoopTrace> trace = traceOf(program, body);
  ASSERT_TRUE(trace);
  EXPECT_TRUE(trace->operations[0][0].dependences.empty());
  EXPECT_EQ(pairsOf(trace->operations[1][0]), (Pairs{"1 0 1 anti", "1 1 0"}));
}

TEST_F(LegionTest, BringsBackDependencesThatScalarsImplied) {
  // c follows b because of the scalar, and thereby a. But a future does not
  // make Legion order the mapping of c and a.
  std::vector<RegionStatement> body = {
      statement(RegionStatement::Task, "a",
                {region({0}, RegionPrivilege::WriteDiscard),
                 scalar(RegionPrivilege::WriteDiscard)}),
      statement(RegionStatement::Task, "b",
                {scalar(RegionPrivilege::ReadWrite)}, {0}),
      statement(
          RegionStatement::Task, "c",
          {region({0}, RegionPrivilege::Read), scalar(RegionPrivilege::Read)},
          {1})};
  std::optional<LoopTrace> trace = traceOf(program, body);
  ASSERT_TRUE(trace);
  EXPECT_TRUE(trace->operations[1][0].dependences.empty());
  EXPECT_EQ(pairsOf(trace->operations[2][0]), Pairs{"2 0 0"});
}

TEST_F(LegionTest, LeavesOutWhatRegionsImply) {
  RegionArgument change = region({0}, RegionPrivilege::ReadWrite);
  std::vector<RegionStatement> body = {
      statement(RegionStatement::Task, "a", {change}),
      statement(RegionStatement::Task, "b", {change}, {0}),
      statement(RegionStatement::Task, "c", {change}, {1})};
  std::optional<LoopTrace> trace = traceOf(program, body);
  ASSERT_TRUE(trace);
  EXPECT_EQ(pairsOf(trace->operations[2][0]), Pairs{"1 0 0"});
}

TEST_F(LegionTest, CountsOperationsOfFills) {
  // Two operations fill fields of two types.
  RegionStatement fill =
      statement(RegionStatement::Fill, "fill",
                {region({0, 2}, RegionPrivilege::WriteDiscard)});
  fill.fillValue = bitsOf(0.0);
  std::vector<RegionStatement> body = {
      fill, statement(RegionStatement::Task, "f",
                      {region({0, 2}, RegionPrivilege::Read)}, {0})};
  std::optional<LoopTrace> trace = traceOf(program, body);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->operations[0].size(), 2u);
  EXPECT_EQ(pairsOf(trace->operations[1][0]), (Pairs{"2 0 0", "1 0 0"}));
}

TEST_F(LegionTest, DoesNotTraceHostStatements) {
  std::vector<RegionStatement> body = {
      statement(RegionStatement::Host, "print", {})};
  EXPECT_FALSE(traceOf(program, body));
}

TEST_F(LegionTest, KeepsLinesShort) {
  EXPECT_EQ(assignText(4, "a", "f(", {"1", "2"}, ");\n"), "    a = f(1, 2);\n");
  std::string word(40, 'w');
  EXPECT_EQ(assignText(0, "a", "f(", {word, word}, ");\n"),
            "a =\n    f(" + word + ",\n      " + word + ");\n");
  std::string head(50, 'f');
  EXPECT_EQ(callText(0, head + "(", {word}, ");\n"),
            head + "(\n    " + word + ");\n");
}
