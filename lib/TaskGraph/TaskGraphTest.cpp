//===- TaskGraphTest.cpp - Tests of valid meta-programs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that valid graphs are accepted; test/TaskGraph/Wrong tests invalid
// ones.
//
//===----------------------------------------------------------------------===//

#include "sluice/TaskGraph/Model.h"
#include "gtest/gtest.h"

#include <type_traits>

using namespace sluice;

/// All problems of the graph, one per line.
static std::string problemsOf(TaskGraph &graph) {
  std::string text;
  for (const Diagnostic &problem : checkModel(graph.getModel()))
    text += textOf(problem);
  return text;
}

TEST(TaskGraph, AcceptsNamesOfFiles) {
  for (const char *name : {"a", "blur", "Blur-2", "a.b_c", "0", "_x"}) {
    TaskGraph graph(name);
    graph.createTask(CKernel("f"));
    EXPECT_EQ(problemsOf(graph), "") << name;
    EXPECT_EQ(graph.getName(), name);
  }
}

TEST(TaskGraph, RefusesOtherNames) {
  for (const char *name : {"", "a b", "a/b", "..", ".a", "-a", "a\n", "ä"}) {
    TaskGraph graph(name);
    graph.createTask(CKernel("f"));
    EXPECT_NE(problemsOf(graph).find("is not the name of a graph"),
              std::string::npos)
        << name;
  }
}

/// The forms of published programs: references, pointers, empty lists.
TEST(TaskGraph, TakesThePublishedForms) {
  using namespace cac;
  TaskGraph tg{"published"};
  std::vector<double> values{1, 2, 3, 4, 5, 6};
  Dat *matA = &tg.createDat(3, 2, values);
  Dat *matC = &tg.createDat(3, 2);
  Scalar *offset = &tg.createIntScalar(/* width */ 8, 2);
  DoubleScalar *d = &tg.createDoubleScalar(0);
  PtrScalar *pointer = &tg.createPtrScalar(d);
  PyObj *state = &tg.createPyObj();
  int n = 3;
  Dat *k = &tg.createFloatDat(3, {2, n, n * 2});
  Task &first = tg.createTask(CKernel("first"), {matA});
  Task &second =
      tg.createTask(HalideKernel("second"), {offset, matA, matC, d}, {&first});
  Task &third = tg.createTask(CKernel("third"), {}, {&second});
  third.onlyRank0 = true;
  Task &fourth = tg.createTask(FEMAKernel("kern", "init"), {state});
  tg.createTask(PyKernel("kern", "solve"), {state}, {&third, &fourth});
  tg.createTask(CKernel("last"), {pointer, k});
  std::vector<Value *> list{matA, offset};
  tg.createTask(CKernel("listed"), list);
  EXPECT_EQ(problemsOf(tg), "");
}

TEST(TaskGraph, ReturnsTheConcreteTypes) {
  TaskGraph graph("types");
  Arguments none;
  static_assert(
      std::is_same_v<decltype(graph.createTask(CKernel("f"))), CTask &>);
  static_assert(std::is_same_v<decltype(graph.createTask(HalideKernel("f"))),
                               HalideTask &>);
  static_assert(
      std::is_same_v<decltype(graph.createTask(PyKernel("m", "f"))), PyTask &>);
  static_assert(std::is_same_v<decltype(graph.createTask(FEMAKernel("m", "f"))),
                               PyTask &>);
  static_assert(std::is_same_v<decltype(graph.createTask(HPVMKernel("f", "s"))),
                               HPVMTask &>);
  static_assert(
      std::is_same_v<decltype(graph.createIntDat(8, 1, {1})), IntDat &>);
  Value *value = &graph.createDat(1, 1);
  EXPECT_NE(dynamic_cast<DoubleDat *>(value), nullptr);
  EXPECT_EQ(dynamic_cast<FloatDat *>(value), nullptr);
}

/// Lists of small numbers are values, not places of the program.
TEST(TaskGraph, TakesListsOfZeros) {
  TaskGraph graph("zeros");
  graph.createTask(CKernel("f"),
                   {&graph.createDat(1, 1, {0}),
                    &graph.createDoubleDat(1, {3}, {0, 1, 2}),
                    &graph.createIntDat(8, 1, {3}, {0, 1, 2}),
                    &graph.createFloatDat(1, {4}, {0, 1, 2, 3}),
                    &graph.createUIntDat(8, 1, {4}, {0, 1, 2, 3})});
  EXPECT_EQ(problemsOf(graph), "");
}

TEST(TaskGraph, TakesTheLimitsOfEachWidth) {
  TaskGraph graph("limits");
  graph.createTask(CKernel("f"),
                   {&graph.createIntDat(8, 1, {2}, {-128, 127}),
                    &graph.createIntDat(16, 1, {2}, {-32768, 32767}),
                    &graph.createIntDat(32, 1, {2}, {INT32_MIN, INT32_MAX}),
                    &graph.createIntDat(64, 1, {2}, {INT64_MIN, INT64_MAX}),
                    &graph.createUIntDat(8, 1, {2}, {0, 255}),
                    &graph.createUIntDat(16, 1, {2}, {0, 65535}),
                    &graph.createUIntDat(32, 1, {2}, {0, UINT32_MAX}),
                    &graph.createUIntDat(64, 1, {2}, {0, UINT64_MAX}),
                    &graph.createIntScalar(8, -128),
                    &graph.createIntScalar(8, 255),
                    &graph.createIntScalar(32, INT32_MIN),
                    &graph.createIntScalar(32, UINT32_MAX),
                    &graph.createIntScalar(64, INT64_MIN),
                    &graph.createIntScalar(64, UINT64_MAX)});
  EXPECT_EQ(problemsOf(graph), "");
}

TEST(TaskGraph, WarnsOfWhatNoTaskUses) {
  TaskGraph graph("unused");
  graph.createDat(1, 1);
  Dat &dat = graph.createDat(2, 2);
  graph.createTask(CKernel("f"), {&graph.createSubDat(dat, {{}, {0, 1}})});
  unsigned line = __LINE__ - 3;
  std::vector<Diagnostic> problems = checkModel(graph.getModel());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].severity, Severity::Warning);
  EXPECT_EQ(problems[0].place.line, line);
  EXPECT_EQ(problems[0].message, "no task uses this dataset");
}

TEST(TaskGraph, ForgetsItsObjects) {
  const Value *value;
  const Task *task;
  {
    TaskGraph graph("short");
    value = &graph.createDat(1, 1);
    task = &graph.createTask(CKernel("f"));
    EXPECT_NE(livingValue(value), nullptr);
    EXPECT_NE(livingTask(task), nullptr);
  }
  EXPECT_EQ(livingValue(value), nullptr);
  EXPECT_EQ(livingTask(task), nullptr);
  EXPECT_EQ(livingValue(nullptr), nullptr);
}

TEST(TaskGraph, CountsItsChanges) {
  TaskGraph graph("changes");
  uint64_t before = graph.getModel().revision;
  auto expectChange = [&](const char *what) {
    EXPECT_GT(graph.getModel().revision, before) << what;
    before = graph.getModel().revision;
  };
  Dat &dat = graph.createDat(1, 1);
  expectChange("dataset");
  dat.setName("x");
  expectChange("its name");
  CTask &task = graph.createTask(CKernel("f"), {&dat});
  expectChange("task");
  task.needsContiguous();
  expectChange("flag");
  task.replicate({2});
  expectChange("grid");
  task.writesFile("x");
  expectChange("file");
  graph.createTask(HalideKernel("h")).addVariant({{"p", "1"}});
  expectChange("variant");
  graph.addKernelSource("/dev/null");
  expectChange("source");
  graph.setDatPrint(true);
  expectChange("printing");
}

TEST(TaskGraph, FindsFilesBesideTheirSource) {
  MetaPlace place;
  place.file = "/dev/meta.cpp";
  EXPECT_EQ(findFile("null", place), "/dev/null");
  EXPECT_EQ(findFile("/dev/null", place), "/dev/null");
  EXPECT_EQ(findFile(".", MetaPlace()).value_or("")[0], '/');
  EXPECT_FALSE(findFile("nothing.c", place));
}
