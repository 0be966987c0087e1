//===- TableTest.cpp - Tables of hand-made programs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These programs do not come from modules, so that the tests can give each
// structure of the table distinct values.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "sluice/CodeGen/RegionTable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace sluice::codegen;

namespace {
class TableTest : public testing::Test {
protected:
  TableTest() {
    program.name = "sample";
    program.parameters = {{"n", ElementType::I64, 1024},
                          {"small", ElementType::I8, bitsOf(int64_t(-4))},
                          {"step", ElementType::F64, bitsOf(0.5)}};
    program.reductions = {
        {"max", ElementType::F64, 0, ""},
        {"closest", ElementType::F64, bitsOf(1.0e30), "closer"}};
    program.roots.resize(2);
    program.roots[0].name = "grid";
    program.roots[0].extents = {{0, 0}, {64, noIndex}};
    program.roots[0].fields = {{"old", ElementType::F64, 1},
                               {"kind", ElementType::I32, 3}};
    program.roots[1] = {
        "alpha", {}, {{"value", ElementType::F64, 1}}, true, bitsOf(2.5)};
    RegionPartition byField, blocks, halos;
    byField.name = "byField";
    byField.kind = PartitionKind::ByField;
    byField.root = 0;
    byField.colors = {{4, noIndex}};
    byField.isDisjoint = true;
    byField.field = 1;
    blocks.name = "blocks";
    blocks.kind = PartitionKind::Blocks;
    blocks.root = 0;
    blocks.colors = {{8, noIndex}, {2, noIndex}};
    blocks.isDisjoint = blocks.isComplete = true;
    halos.name = "halos";
    halos.kind = PartitionKind::Halo;
    halos.root = 0;
    halos.colors = blocks.colors;
    halos.left = 1;
    halos.width = {1, 1};
    program.partitions = {byField, blocks, halos};
  }

  RegionStatement statement(RegionStatement::Kind kind, std::string function) {
    RegionStatement result(
        mlir::FileLineColLoc::get(&context, "folder/sample.mlir", 7, 1));
    result.kind = kind;
    result.function = result.label = function;
    return result;
  }
  RegionArgument region(unsigned field, RegionPrivilege privilege,
                        unsigned partition) {
    RegionArgument argument;
    argument.root = 0;
    argument.partition = partition;
    argument.fields = {field};
    argument.privilege = privilege;
    argument.projection.kind = partition == noIndex
                                   ? RegionProjection::Whole
                                   : RegionProjection::Identity;
    return argument;
  }
  RegionArgument scalar(RegionPrivilege privilege, unsigned reduction) {
    RegionArgument argument;
    argument.kind = RegionArgument::Scalar;
    argument.root = 1;
    argument.fields = {0};
    argument.privilege = privilege;
    argument.reduction = reduction;
    return argument;
  }
  /// A launch over the blocks.
  RegionStatement sweep() {
    RegionStatement result = statement(RegionStatement::Task, "sweep");
    result.domain = program.partitions[1].colors;
    result.arguments = {region(0, RegionPrivilege::Read, 2),
                        region(1, RegionPrivilege::ReadWrite, 1)};
    return result;
  }
  std::vector<SluiceOrderCondition> conditions() {
    auto found = orderConditions(program, program.graphs[0]);
    EXPECT_TRUE(found);
    return found ? *found : std::vector<SluiceOrderCondition>();
  }

  mlir::MLIRContext context;
  RegionModel program;
};
} // namespace

TEST_F(TableTest, NumbersPartitionsAsTheyAreMade) {
  RegionStatement second = statement(RegionStatement::Task, "second");
  second.arguments = {region(0, RegionPrivilege::Read, 0)};
  program.graphs = {{"a", {sweep()}}, {"b", {second}}};
  RegionTable table(program);
  const SluiceRegionProgram &made = *table.program;
  ASSERT_EQ(made.numPartitions, 3u);
  EXPECT_STREQ(made.partitions[0].name, "blocks");
  EXPECT_STREQ(made.partitions[1].name, "halos");
  EXPECT_EQ(made.partitions[1].first, 0u);
  EXPECT_STREQ(made.partitions[2].name, "byField");
  EXPECT_EQ(made.partitions[2].checkApart, 1u);
  std::vector<std::pair<uint32_t, uint32_t>> steps;
  for (uint32_t i = 0; i != made.numSteps; ++i)
    steps.push_back({made.steps[i].kind, made.steps[i].index});
  std::vector<std::pair<uint32_t, uint32_t>> expected = {
      {SLUICE_STEP_PARTITION, 0},
      {SLUICE_STEP_PARTITION, 1},
      {SLUICE_STEP_GRAPH, 0},
      {SLUICE_STEP_PARTITION, 2},
      {SLUICE_STEP_GRAPH, 1}};
  EXPECT_EQ(steps, expected);
  EXPECT_EQ(made.graphs[0].statements[0].arguments[0].partition, 1u);
  EXPECT_EQ(made.graphs[1].statements[0].arguments[0].partition, 2u);
  EXPECT_EQ(made.parameters[0].min, 1);
  EXPECT_EQ(made.parameters[1].min, -128);
  EXPECT_STREQ(made.parameters[1].defaultText, "-4");
  EXPECT_EQ(*static_cast<const double *>(made.roots[1].initial), 2.5);
}

TEST_F(TableTest, FillsAFieldAtATimeWithItsType) {
  RegionStatement fill = statement(RegionStatement::Fill, "fill");
  fill.arguments = {region(0, RegionPrivilege::WriteDiscard, noIndex)};
  fill.arguments[0].fields = {0, 1};
  fill.fillValue = bitsOf(-7.9);
  program.graphs = {{"a", {fill}}};
  RegionTable table(program);
  const SluiceRegionGraph &graph = table.program->graphs[0];
  ASSERT_EQ(graph.numStatements, 2u);
  EXPECT_EQ(graph.statements[0].arguments[0].fields, 1u);
  EXPECT_EQ(*static_cast<const double *>(graph.statements[0].value), -7.9);
  EXPECT_EQ(graph.statements[1].arguments[0].fields, 2u);
  const auto *kinds = static_cast<const int32_t *>(graph.statements[1].value);
  EXPECT_EQ(std::vector<int32_t>(kinds, kinds + 3),
            std::vector<int32_t>(3, -7));
  fill.fillValue = bitsOf(int64_t(-3));
  fill.fillType = ElementType::I64;
  program.graphs = {{"a", {fill}}};
  RegionTable other(program);
  EXPECT_EQ(*static_cast<const double *>(
                other.program->graphs[0].statements[0].value),
            -3.0);
}

TEST_F(TableTest, HasRowsOfProjections) {
  RegionStatement task = sweep();
  task.arguments[0].projection = {
      RegionProjection::Affine, {0, 1, -2, 0}, {5, 7}, {}, {}, "", false};
  task.arguments[1].projection = {
      RegionProjection::Function, {}, {}, {}, {}, "turned", true};
  RegionArgument fixed = region(0, RegionPrivilege::Read, 1);
  fixed.color = 3;
  task.arguments.push_back(fixed);
  RegionArgument all = region(0, RegionPrivilege::Read, 1);
  all.projection.kind = RegionProjection::Whole;
  task.arguments.push_back(all);
  program.graphs = {{"a", {task}}};
  RegionTable table(program);
  const SluiceArgument *arguments =
      table.program->graphs[0].statements[0].arguments;
  EXPECT_EQ(std::vector<int64_t>(arguments[0].matrix, arguments[0].matrix + 6),
            (std::vector<int64_t>{0, 1, 5, -2, 0, 7}));
  EXPECT_EQ(table.symbols.lookup(&arguments[1].projection), "turned");
  EXPECT_TRUE(arguments[1].mustBeApart);
  EXPECT_TRUE(arguments[2].isFixed);
  EXPECT_EQ(arguments[2].color, 3);
  EXPECT_TRUE(arguments[3].wholePartition);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

TEST_F(TableTest, IsConstantDataBesideCallers) {
  RegionStatement task = sweep(), other = sweep();
  RegionArgument constant;
  constant.kind = RegionArgument::Constant;
  constant.constant = bitsOf(int64_t(-2));
  constant.constantType = ElementType::I8;
  RegionArgument step;
  step.kind = RegionArgument::Parameter;
  step.parameter = 2;
  task.arguments.push_back(constant);
  task.arguments.push_back(step);
  task.arguments.push_back(scalar(RegionPrivilege::Reduce, 0));
  other.function = other.label = "nearest";
  other.arguments.push_back(scalar(RegionPrivilege::Reduce, 1));
  program.graphs = {{"a", {task, task, other}}};
  llvm::LLVMContext llvmContext;
  llvm::Module module("sample", llvmContext);
  module.setDataLayout("e-i64:64");
  emitRegionTable(program, RegionTable(program), module);
  std::string text;
  llvm::raw_string_ostream os(text);
  EXPECT_FALSE(llvm::verifyModule(module, &os)) << text;
  // Equal statements share one caller.
  EXPECT_TRUE(module.getFunction("sluice.call.sweep"));
  EXPECT_TRUE(module.getFunction("sluice.call.nearest"));
  unsigned numCallers = 0;
  for (const llvm::Function &function : module)
    numCallers += function.getName().starts_with("sluice.call.");
  EXPECT_EQ(numCallers, 2u);
  module.print(os, nullptr);
  auto expect = [&](const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  expect("@parameter_small = global i8 -4");
  expect("@parameter_step = global double 5.000000e-01");
  expect("declare double @sweep(ptr, ptr, ptr, ptr, ptr, i8 signext, double)");
  expect("select i1");
  expect("call void @closer(ptr");
  expect("define i32 @main(i32 %0, ptr %1)");
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

TEST_F(TableTest, StatesFromWhichSizesOnOrdersHold) {
  RegionStatement loop = statement(RegionStatement::Loop, "");
  loop.count = {0, 1};
  loop.body = {sweep()};
  program.graphs = {{"a", {loop}}};
  std::vector<SluiceOrderCondition> found = conditions();
  ASSERT_EQ(found.size(), 2u);
  // 8 blocks with halos of 1: bounds are n / 8 - 1 apart, widths bridge 2.
  EXPECT_EQ(found[0].parameter, 0u);
  EXPECT_EQ(found[0].kind, uint32_t(SLUICE_ORDERS_AT_LEAST));
  EXPECT_EQ(found[0].value, 40);
  EXPECT_EQ(found[1].parameter, 1u);
  EXPECT_EQ(found[1].kind, uint32_t(SLUICE_ORDERS_COUNT));
  EXPECT_EQ(found[1].value, -4);
  // Smaller sizes are kept as they are.
  program.parameters[0].value = 39;
  found = conditions();
  EXPECT_EQ(found[0].kind, uint32_t(SLUICE_ORDERS_EQUAL));
  EXPECT_EQ(found[0].value, 39);
}

TEST_F(TableTest, WantsTheSizeWhereMoreThanTheOrderOfBoundsCounts) {
  auto expectExact = [&](RegionStatement statement) {
    program.graphs = {{"a", {std::move(statement)}}};
    std::vector<SluiceOrderCondition> found = conditions();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, uint32_t(SLUICE_ORDERS_EQUAL));
    EXPECT_EQ(found[0].value, 1024);
  };
  // The number of pieces of a single fill.
  RegionStatement fill = statement(RegionStatement::Fill, "fill");
  fill.arguments = {region(0, RegionPrivilege::WriteDiscard, noIndex)};
  expectExact(fill);
  // The number of copies of a reduction.
  RegionStatement reduces = sweep();
  reduces.arguments[0].privilege = RegionPrivilege::Reduce;
  reduces.arguments[0].reduction = 0;
  expectExact(reduces);
  // The union of all halos.
  RegionStatement reads = sweep();
  reads.arguments[0].projection.kind = RegionProjection::Whole;
  expectExact(reads);
  // Blocks of blocks.
  program.partitions[1].parent = 2;
  program.partitions[2].left = noIndex;
  program.partitions[2].kind = PartitionKind::Blocks;
  expectExact(sweep());
}

TEST_F(TableTest, KnowsNoOrdersOfDataAndFunctions) {
  RegionStatement task = sweep();
  task.arguments[0].partition = 0;
  program.graphs = {{"a", {task}}};
  EXPECT_FALSE(orderConditions(program, program.graphs[0]));
  task = sweep();
  task.arguments[0].projection = {
      RegionProjection::Function, {}, {}, {}, {}, "turned", false};
  program.graphs = {{"a", {task}}};
  EXPECT_FALSE(orderConditions(program, program.graphs[0]));
}
