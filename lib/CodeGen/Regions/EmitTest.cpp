//===- EmitTest.cpp - Generated C++ of hand-made programs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are built without a module of the dialect, so that each test
// writes a single construct.
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace sluice::codegen;

namespace {
class EmitTest : public testing::Test {
protected:
  EmitTest() {
    program.name = "sample";
    program.parameters = {{"n", ElementType::I64, 1024},
                          {"small", ElementType::I8, 4},
                          {"step", ElementType::F64, bitsOf(0.5)}};
    program.reductions = {
        {"+", ElementType::F64, 0, ""},
        {"closest", ElementType::F64, bitsOf(1.0e30), "closer"}};
    program.roots.resize(2);
    program.roots[0].name = "grid";
    program.roots[0].extents = {{0, 0}};
    program.roots[0].fields = {{"old", ElementType::F64, 1},
                               {"near", ElementType::F32, 4}};
    program.roots[1] = {
        "alpha", {}, {{"value", ElementType::F64, 1}}, true, bitsOf(0.0)};
    RegionPartition blocks, byField;
    blocks.name = "blocks";
    blocks.kind = PartitionKind::Blocks;
    blocks.root = 0;
    blocks.colors = {{0, 1}};
    blocks.isDisjoint = blocks.isComplete = true;
    byField.name = "byField";
    byField.kind = PartitionKind::ByField;
    byField.root = 0;
    byField.colors = {{4, noIndex}};
    byField.isDisjoint = true;
    byField.field = 0;
    program.partitions = {byField, blocks};
  }

  mlir::Location place(unsigned line) {
    return mlir::FileLineColLoc::get(&context, "folder/sample.mlir", line, 1);
  }
  RegionStatement statement(RegionStatement::Kind kind, std::string function) {
    RegionStatement result(place(7));
    result.kind = kind;
    result.function = result.label = function;
    return result;
  }
  std::string text(void (*emit)(const RegionModel &, llvm::raw_ostream &)) {
    std::string result;
    llvm::raw_string_ostream os(result);
    emit(program, os);
    return result;
  }

  mlir::MLIRContext context;
  RegionModel program;
};
} // namespace

static RegionArgument region(std::vector<unsigned> fields,
                             RegionPrivilege privilege,
                             unsigned partition = noIndex) {
  RegionArgument argument;
  argument.root = 0;
  argument.partition = partition;
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

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(EmitTest, DeclaresFunctionsByTheRules) {
  RegionStatement task = statement(RegionStatement::Task, "update");
  RegionArgument step;
  step.kind = RegionArgument::Parameter;
  step.parameter = 2;
  task.arguments = {region({0, 1}, RegionPrivilege::Read),
                    region({1}, RegionPrivilege::ReadWrite, 1),
                    scalar(RegionPrivilege::ReadWrite), step};
  program.graphs = {{"main", {task}}};
  std::string header = text(emitTaskHeader);
  EXPECT_CONTAINS(
      header,
      "/* Task, sample.mlir:7. */\n"
      "double update(const SluiceTask *task, const double *grid_old,\n"
      "              const float (*grid_near)[4], const SluiceDomain *grid,\n"
      "              float (*blocks_near)[4], const SluiceDomain *blocks, "
      "double alpha,\n"
      "              double step);\n");
  EXPECT_CONTAINS(header, "extern int8_t parameter_small; /* --small */");
}

TEST_F(EmitTest, UnpacksViewsAndStoresResults) {
  RegionStatement task = statement(RegionStatement::Task, "dot");
  task.domain = {{0, 1}};
  RegionArgument block = region({0}, RegionPrivilege::Read, 1);
  block.projection.kind = RegionProjection::Identity;
  RegionArgument sum = scalar(RegionPrivilege::Reduce);
  sum.reduction = 0;
  task.arguments = {block, sum};
  program.graphs = {{"main", {task, task}}};
  std::string source = text(emitRegionCpp);
  EXPECT_CONTAINS(
      source, "  double &result = *static_cast<double *>(views[1].fields[0]);\n"
              "  const double value =\n"
              "      dot(task, static_cast<const double "
              "*>(views[0].fields[0]),\n"
              "          views[0].domain);\n"
              "  result = result + value;\n");
  // Both statements have one caller.
  EXPECT_EQ(source.find("call_dot_2"), std::string::npos);
}

TEST_F(EmitTest, ChecksProjectionsThatMayMeet) {
  RegionStatement task = statement(RegionStatement::Task, "turn");
  task.domain = {{4, noIndex}};
  RegionArgument written = region({0}, RegionPrivilege::ReadWrite, 1);
  written.projection = {
      RegionProjection::Function, {}, {}, {}, {}, "turned", true};
  RegionArgument read = region({0}, RegionPrivilege::Read, 1);
  read.projection = {RegionProjection::Affine, {-2}, {7}, {}, {}, "", false};
  task.arguments = {written, read};
  program.graphs = {{"main", {task}}};
  std::string source = text(emitRegionCpp);
  EXPECT_CONTAINS(source, "static const int64_t map_blocks[] = {-2, 7};\n");
  EXPECT_CONTAINS(source, ".projection = turned,");
  EXPECT_CONTAINS(source, ".mustBeApart = 1,");
  EXPECT_CONTAINS(source, ".matrix = map_blocks,");
  EXPECT_CONTAINS(text(emitTaskHeader),
                  "int64_t turned(const SluiceTask *task);");
}

TEST_F(EmitTest, MakesPartitionsByDataBeforeTheirFirstGraph) {
  RegionStatement first = statement(RegionStatement::Task, "first");
  RegionStatement second = statement(RegionStatement::Task, "second");
  second.arguments = {region({0}, RegionPrivilege::Read, 0)};
  program.graphs = {{"a", {first}}, {"b", {second}}};
  auto orders = partitionsBeforeGraphs(program);
  ASSERT_EQ(orders.size(), 2u);
  EXPECT_EQ(orders[0], std::vector<unsigned>{1});
  EXPECT_EQ(orders[1], std::vector<unsigned>{0});
  EXPECT_CONTAINS(text(emitRegionCpp), "  add_blocks(program);\n"
                                       "  run_a(program);\n"
                                       "  add_byField(program);\n"
                                       "  run_b(program);\n");
}

TEST_F(EmitTest, DividesLongGraphsIntoFunctions) {
  RegionGraph graph{"main", {}};
  for (unsigned i = 0; i != 101; ++i)
    graph.statements.push_back(
        statement(RegionStatement::Task, "f" + std::to_string(i)));
  program.graphs = {graph};
  std::string source = text(emitRegionCpp);
  EXPECT_CONTAINS(source, "  part(program);\n"
                          "  part_2(program);\n"
                          "  part_3(program);\n"
                          "  sluiceEndGraph(program);\n");
  // Callers come before the part that names them.
  EXPECT_LT(source.find("static void call_f50("),
            source.find("static void part_2("));
  EXPECT_LT(source.find("static void part_2("),
            source.find(".body = call_f50"));
  EXPECT_LT(source.find(".body = call_f50"),
            source.find("static void part_3("));
}

TEST_F(EmitTest, RefusesParametersBelowWhatTheyMean) {
  std::string source = text(emitRegionCpp);
  EXPECT_CONTAINS(source, "parseInteger(\"small\", word + 6, 1, INT8_MAX)");
  EXPECT_CONTAINS(source, "parseInteger(\"n\", word + 2, 1, INT64_MAX)");
  EXPECT_CONTAINS(source, "parseReal(\"step\", word + 5)");
}
