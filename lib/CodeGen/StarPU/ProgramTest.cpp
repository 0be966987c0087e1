//===- ProgramTest.cpp - StarPU programs of hand-made input ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that together use each construct at least once, compared as text.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "sluice/CodeGen/RegionModel.h"

#include <gtest/gtest.h>

using namespace sluice::codegen;

namespace {
/// A 2-D stencil with halos: two fields, a sweep each way, a residual.
class StarPUTest : public testing::Test {
protected:
  StarPUTest() {
    program.name = "sample";
    program.parameters = {{"n", ElementType::I64, 256},
                          {"steps", ElementType::I64, 10}};
    program.reductions = {{"+", ElementType::F64, 0, ""}};
    program.roots.resize(2);
    program.roots[0].name = "grid";
    program.roots[0].extents = {{0, 0}, {0, 0}};
    program.roots[0].fields = {{"old", ElementType::F64, 1},
                               {"new", ElementType::F64, 1}};
    program.roots[1] = {
        "change", {}, {{"value", ElementType::F64, 1}}, true, bitsOf(0.0)};
    RegionPartition blocks, halos;
    blocks.name = "blocks";
    blocks.kind = PartitionKind::Blocks;
    blocks.root = 0;
    blocks.colors = {{4, noIndex}, {4, noIndex}};
    blocks.isDisjoint = blocks.isComplete = true;
    halos = blocks;
    halos.name = "halos";
    halos.kind = PartitionKind::Halo;
    halos.isDisjoint = false;
    halos.left = 0;
    halos.width = {1, 1};
    program.partitions = {blocks, halos};
  }

  RegionStatement task(std::string function, std::string label) {
    RegionStatement result(
        mlir::FileLineColLoc::get(&context, "folder/sample.mlir", 7, 1));
    result.kind = RegionStatement::Task;
    result.function = std::move(function);
    result.label = std::move(label);
    return result;
  }
  RegionArgument region(unsigned field, RegionPrivilege privilege,
                        unsigned partition) {
    RegionArgument argument;
    argument.root = 0;
    argument.partition = partition;
    argument.fields = {field};
    argument.privilege = privilege;
    argument.projection.kind = RegionProjection::Identity;
    return argument;
  }
  RegionArgument scalar(RegionPrivilege privilege) {
    RegionArgument argument;
    argument.kind = RegionArgument::Scalar;
    argument.root = 1;
    argument.fields = {0};
    argument.privilege = privilege;
    argument.reduction = 0;
    return argument;
  }
  RegionStatement sweep(unsigned from, std::string label) {
    RegionStatement result = task(sweepName, label);
    result.domain = {{4, noIndex}, {4, noIndex}};
    result.arguments = {region(from, RegionPrivilege::Read, 1),
                        region(1 - from, RegionPrivilege::WriteDiscard, 0),
                        scalar(RegionPrivilege::Reduce)};
    return result;
  }
  std::string text() {
    RegionStatement init = task(startName, "init");
    init.domain = {{4, noIndex}, {4, noIndex}};
    init.arguments = {region(0, RegionPrivilege::WriteDiscard, 0)};
    RegionStatement loop = task("", "loop"), print = task("print", "print");
    loop.kind = RegionStatement::Loop;
    loop.count = {0, 1};
    loop.body = {sweep(0, "there"), sweep(1, "back")};
    loop.body[1].arguments[2].reduction = backReduction;
    print.kind = RegionStatement::Host;
    print.arguments = {region(0, RegionPrivilege::Read, noIndex),
                       scalar(RegionPrivilege::Read)};
    program.graphs = {{"main", {init, loop, print}}};
    std::string result;
    llvm::raw_string_ostream os(result);
    emitStarPU(program, options, os);
    return result;
  }

  mlir::MLIRContext context;
  RegionModel program;
  StarPUOptions options;
  std::string sweepName = "sweep", startName = "start";
  unsigned backReduction = 0;
};
} // namespace

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(StarPUTest, DeclaresLaunchesWithModes) {
  std::string source = text();
  EXPECT_CONTAINS(source,
                  "static SluiceRegionAccess accesses_there[] = {\n"
                  "    {.partition = &partition_halos, .fixedColor = -1, "
                  ".fields = 0x1,\n     .mode = STARPU_R},\n");
}

TEST_F(StarPUTest, SubmitsLoopsInOrder) {
  EXPECT_CONTAINS(text(),
                  "  sluiceSubmit(&launch_init);\n"
                  "  for (int64_t i1 = 0; i1 < parameter_steps; ++i1) {\n"
                  "    sluiceSubmit(&launch_there);\n"
                  "    sluiceSubmit(&launch_back);\n"
                  "  }\n"
                  "  sluiceRunHere(&launch_print);\n");
}

TEST_F(StarPUTest, ReducesScalarsByTheirOneOperator) {
  EXPECT_CONTAINS(text(), "scalars_there[] = {{&scalar_change, STARPU_REDUX}}");
  // A handle has the methods of only one operator, so with two it has none.
  program.reductions.push_back({"max", ElementType::F64, 0, ""});
  backReduction = 1;
  std::string source = text();
  EXPECT_CONTAINS(source, "scalars_back[] = {{&scalar_change, STARPU_RW}}");
  EXPECT_EQ(source.find("starpu_data_set_reduction_methods"),
            std::string::npos);
}

TEST_F(StarPUTest, LeavesTheNamesOfTheUsersFunctionsAlone) {
  sweepName = "value";
  startName = "run_there";
  std::string source = text();
  EXPECT_CONTAINS(source, "static void run_there_(void *buffers[]");
  EXPECT_CONTAINS(source, "  double value_ = value(&point->task");
}
