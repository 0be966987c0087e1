//===- ImportTest.cpp - Graphs as text of the dfg dialect -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests graphs made by the API and the resulting lines of dfg text.
//
//===----------------------------------------------------------------------===//

#include "sluice/TaskGraph/Import.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "sluice/DFG/DFG.h"
#include "gtest/gtest.h"

using namespace sluice;

namespace {

/// A graph and its module, which has been written, read and verified.
class Import : public testing::Test {
protected:
  std::string import() {
    for (const Diagnostic &problem : checkModel(graph.getModel()))
      EXPECT_NE(problem.severity, Severity::Error) << textOf(problem);
    context.loadDialect<dfg::DFGDialect>();
    module = importTaskGraph(graph.getModel(), options, context);
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
    std::string text = print(*module);
    auto again = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(again && print(*again) == text) << text;
    return text;
  }

  static std::string print(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    return text;
  }

  /// True if the module contains the line, with any indentation.
  static testing::AssertionResult hasLine(const std::string &text,
                                          const std::string &line) {
    if (("\n" + text).find(" " + line + "\n") != std::string::npos)
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no '" << line << "' in\n" << text;
  }

  TaskGraph graph{"graph"};
  TaskImportOptions options;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

TEST_F(Import, WritesDatasetsOfAllTypes) {
  Dat &a = graph.createDat(2, 2, {1, 2, 3, 4});
  Dat &b = graph.createFloatDat(1, {2}, {0.5f, -1});
  Dat &c = graph.createIntDat(8, 1, {2}, {-128, 127});
  Dat &d = graph.createUIntDat(64, 1, {1}, {UINT64_MAX});
  Dat &e = graph.createIntDat(16, 3, {2, 3, 4});
  graph.createTask(CKernel("f"), {&a, &b, &c, &d, &e});
  std::string text = import();
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d0 : f64 [2, 2] initial(dense<"
                            "[[1.000000e+00, 2.000000e+00], [3.000000e+00, "
                            "4.000000e+00]]> : tensor<2x2xf64>)"));
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d1 : f32 [2] initial(dense<"
                            "[5.000000e-01, -1.000000e+00]> : tensor<2xf32>)"));
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d2 : si8 [2] initial(dense<[-128, "
                            "127]> : tensor<2xsi8>)"));
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d3 : ui64 [1] initial(dense<"
                            "18446744073709551615> : tensor<1xui64>)"));
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d4 : si16 [2, 3, 4]"));
  EXPECT_TRUE(hasLine(text, "%f = dfg.task c \"f\"(@d0, @d1, @d2, @d3, @d4)"));
}

TEST_F(Import, WritesEqualValuesOnce) {
  graph.createTask(CKernel("f"), {&graph.createIntDat(32, 1, {3}, {7, 7, 7}),
                                  &graph.createDat(1, 2, {0, 0})});
  std::string text = import();
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d0 : si32 [3] initial(dense<7> : "
                            "tensor<3xsi32>)"));
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d1 : f64 [1, 2] initial(dense<"
                            "0.000000e+00> : tensor<1x2xf64>)"));
}

TEST_F(Import, LeavesValuesOutForRuns) {
  options.keepsValues = false;
  graph.createTask(CKernel("f"), {&graph.createIntDat(32, 1, {3}, {1, 2, 3}),
                                  &graph.createIntDat(32, 1, {3}),
                                  &graph.createIntScalar(32, 5)});
  std::string text = import();
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d0 : si32 [3] initial(dense<0> : "
                            "tensor<3xsi32>)"));
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d1 : si32 [3]"));
  EXPECT_TRUE(hasLine(text, "dfg.scalar @s0 : si32 = 5 : i64"));
}

TEST_F(Import, WritesScalars) {
  graph.createTask(
      CKernel("f"),
      {&graph.createIntScalar(8, 2), &graph.createIntScalar(8, -2),
       &graph.createIntScalar(8, 200), &graph.createIntScalar(64, UINT64_MAX),
       &graph.createDoubleScalar(1.5), &graph.createFloatScalar(0.25f),
       &graph.createIntScalar(16, 65535)});
  std::string text = import();
  EXPECT_TRUE(hasLine(text, "dfg.scalar @s0 : si8 = 2 : i64"));
  EXPECT_TRUE(hasLine(text, "dfg.scalar @s1 : si8 = -2 : i64"));
  EXPECT_TRUE(hasLine(text, "dfg.scalar @s2 : ui8 = 200 : i64"));
  EXPECT_TRUE(hasLine(text, "dfg.scalar @s3 : si64 = -1 : i64"));
  EXPECT_TRUE(hasLine(text, "dfg.scalar @s4 : f64 = 1.500000e+00 : f64"));
  EXPECT_TRUE(hasLine(text, "dfg.scalar @s5 : f32 = 2.500000e-01 : f64"));
  EXPECT_TRUE(hasLine(text, "dfg.scalar @s6 : ui16 = 65535 : i64"));
  EXPECT_TRUE(hasLine(text, "%f = dfg.task c \"f\"(value @s0, value @s1, value "
                            "@s2, value @s3, value @s4, value @s5, value "
                            "@s6)"));
}

TEST_F(Import, PassesPointersByReference) {
  IntScalar &count = graph.createIntScalar(32);
  PtrScalar &first = graph.createPtrScalar(&count);
  PtrScalar &second = graph.createPtrScalar(&count);
  graph.createTask(CKernel("set"), {out(first)});
  graph.createTask(CKernel("use"), {&count, &second, in(second)});
  std::string text = import();
  EXPECT_TRUE(hasLine(text, "dfg.scalar @s0 : si32"));
  EXPECT_TRUE(hasLine(text, "%set = dfg.task c \"set\"(out @s0)"));
  EXPECT_TRUE(
      hasLine(text, "%use = dfg.task c \"use\"(value @s0, @s0, in @s0)"));
}

TEST_F(Import, ComposesPartsOfParts) {
  Dat &dat = graph.createDat(10, 8);
  Dat &rows = graph.createSubDat(dat, {{1, 10, 3}, {}});  // rows 1, 4, 7
  Dat &part = graph.createSubDat(rows, {{1}, {2, 8, 4}}); // 4, 7; 2, 6
  Dat &one = graph.createSubDat(part, {{1, 2, 100}, {0, 1}});
  graph.createTask(CKernel("f"), {in(rows), &part, out(one)});
  EXPECT_TRUE(hasLine(import(), "%f = dfg.task c \"f\"(in @d0[1:8:3, 0:8], "
                                "@d0[4:8:3, 2:7:4], out @d0[7:8, 2:3])"));
}

TEST_F(Import, WritesTasksOfAllKinds) {
  Dat &dat = graph.createDat(2, 2);
  PyObj &state = graph.createPyObj();
  graph.registerPyGenerator("kern", "make");
  CTask &first =
      graph.createTask(CKernel("scale", "/dev/null", {"-O2"}), {&dat});
  first.replicate({4, 2})
      .needsContiguous()
      .returnsStatus()
      .takesLargeSizes()
      .takesAnySign();
  HalideTask &second = graph.createTask(HalideKernel("blur", {{"p", "1"}}),
                                        {in(dat), out(dat)}, {&first});
  second.addVariant({{"p", "4"}}).setName("blurring").writesFile("a.bmp");
  second.readsFile("b.bmp");
  graph.createTask(FEMAKernel("kern", "a"), {&state});
  graph.createTask(PyKernel("kern", "solve"), {&state}, {&first, &second});
  graph.createTask(HPVMKernel("pipeline", "/dev/null"), {&dat}).onlyRank0 =
      true;
  std::string text = import();
  EXPECT_TRUE(hasLine(text, "%scale = dfg.task c \"scale\" over [4, 2](@d0) "
                            "source(\"/dev/null\") flags([\"-O2\"]) "
                            "contiguous returns_status takes_large_sizes "
                            "takes_any_sign"));
  EXPECT_TRUE(hasLine(text, "%blurring = dfg.task halide \"blur\"(in @d0, out "
                            "@d0) after(%scale) named(\"blurring\") variants(["
                            "{p = \"1\"}, {p = \"4\"}]) writes([\"a.bmp\"]) "
                            "reads([\"b.bmp\"])"));
  EXPECT_TRUE(hasLine(text, "%a = dfg.task fem \"a\" of \"kern\"(@o0) "
                            "generator(\"make\")"));
  EXPECT_TRUE(hasLine(text, "%solve = dfg.task python \"solve\" of \"kern\"("
                            "@o0) after(%scale, %blurring)"));
  EXPECT_TRUE(hasLine(text, "%pipeline = dfg.task hpvm \"pipeline\"(@d0) "
                            "source(\"/dev/null\") only_rank0"));
}

TEST_F(Import, KeepsOneDependencePerTask) {
  Task &first = graph.createTask(CKernel("f"));
  graph.createTask(CKernel("g"), {}, {&first, &first});
  EXPECT_TRUE(hasLine(import(), "%g = dfg.task c \"g\"() after(%f)"));
}

TEST_F(Import, MakesNamesUnique) {
  Dat &a = graph.createDat(1, 1);
  Dat &b = graph.createDat(1, 1);
  Dat &c = graph.createDat(1, 1);
  Dat &d = graph.createDat(1, 1);
  b.setName("d0");
  c.setName("graph");
  d.setName("d0");
  graph.createTask(CKernel("f"), {&a, &b, &c, &d});
  EXPECT_TRUE(
      hasLine(import(), "%f = dfg.task c \"f\"(@d0_3, @d0, @graph_2, @d0_2)"));
}

TEST_F(Import, WritesWhatTheGraphSays) {
  graph.setDatPrint(true);
  graph.addKernelSource("/dev/null", {"-DN=2"});
  options.isSerial = true;
  options.pythonPath = "a:b";
  graph.createTask(CKernel("f"), {&graph.createDat(1, 2)});
  std::string text = import();
  EXPECT_TRUE(hasLine(text, "dfg.dataset @d0 : f64 [1, 2] printed"));
  EXPECT_TRUE(
      hasLine(text, "dfg.kernel_source \"/dev/null\" flags([\"-DN=2\"])"));
  EXPECT_TRUE(
      hasLine(text, "dfg.task_graph @graph serial python_path(\"a:b\") {"));
}

TEST_F(Import, LocationsAreLinesOfTheMetaProgram) {
  Dat &dat = graph.createDat(1, 1); // line A
  unsigned line = __LINE__;
  graph.createTask(CKernel("f"), {&dat});
  import();
  for (mlir::Operation &op : *module->getBody()) {
    auto place = op.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
    ASSERT_TRUE(place);
    EXPECT_EQ(place.getFilename().str(), __FILE__);
    if (llvm::isa<dfg::DatasetOp>(op)) {
      EXPECT_EQ(place.getLine(), line - 1);
      EXPECT_GT(place.getColumn(), 0u);
    }
  }
  module->walk([&](dfg::TaskOp task) {
    auto place = task.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
    EXPECT_EQ(place.getLine(), line + 1);
  });
}
