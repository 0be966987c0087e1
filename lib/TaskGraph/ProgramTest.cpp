//===- ProgramTest.cpp - Graphs run and compiled by their program ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All tests here use libSluiceTaskGraph.so, like users' programs. Kernels are
// written to the test's folder.
//
//===----------------------------------------------------------------------===//

#include "TestFolder.h"
#include "sluice/TaskGraph.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace sluice;
using sluice::test::contentOf;
namespace fs = std::filesystem;

static const char *const kernels = R"(
#include <stdint.h>
#include <stdlib.h>
void twice(double *base, double *a, int offset, int n, int m, int sn, int sm) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * sn + j * sm] *= 2;
}
void set(double *base, double *a, int offset, int n, int m, int sn, int sm,
         double value) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * sn + j * sm] = value;
}
void add(int64_t *base, int64_t *a, int offset, int n, int s, int64_t value) {
  for (int i = 0; i < n; ++i)
    a[i * s] += value;
}
void count(int32_t *result) { *result += 1; }
int fail(int32_t status) { return status; }
void keep8(int8_t *b, int8_t *a, int o, int n, int s) {}
void keepu64(uint64_t *b, uint64_t *a, int o, int n, int s) {}
void keepf(float *b, float *a, int o, int n, int s) {}
void look(double *b, double *a, int o, int n, int m, int sn, int sm) {}
)";

namespace {

class Program : public testing::Test {
protected:
  Program() {
    setenv("SLUICE_CACHE_DIR", path("cache").c_str(), 1);
    std::ofstream(source()) << kernels;
  }

  std::string source() const { return path("kernels.c"); }
  CKernel kernel(const char *name) const { return CKernel(name, source()); }
  std::string path(const char *name) const { return folder.file(name); }

  /// The output of the shell command.
  static std::string outputOf(const std::string &command) {
    std::string text;
    FILE *pipe = popen(command.c_str(), "r");
    for (int character; (character = fgetc(pipe)) != EOF;)
      text += static_cast<char>(character);
    pclose(pipe);
    return text;
  }

  test::TestFolder folder;
};

template <typename Function> std::string runErrorOf(Function function) {
  try {
    function();
  } catch (const RunError &error) {
    return error.what();
  }
  return "no error";
}

} // namespace

using Numbers = std::vector<double>;

TEST_F(Program, RunsFromItsInitialValuesEachTime) {
  TaskGraph graph("scale");
  Dat &dat = graph.createDat(3, 2, {1, 2, 3, 4, 5, 6});
  graph.createTask(kernel("twice"), {&dat});
  for (int run = 0; run < 3; ++run) {
    graph.run();
    EXPECT_EQ(graph.readDat(dat), (Numbers{2, 4, 6, 8, 10, 12}));
  }
}

TEST_F(Program, RunsWithoutACache) {
  setenv("SLUICE_CACHE_DIR", "/proc/none", 1);
  TaskGraph graph("uncached");
  Dat &dat = graph.createDat(1, 2, {1, 2});
  graph.createTask(kernel("twice"), {&dat});
  graph.run();
  EXPECT_EQ(graph.readDat(dat), (Numbers{2, 4}));
  graph.compile(path("uncached"));
  EXPECT_EQ(outputOf(path("uncached") + "; echo $?"), "0\n");
}

TEST_F(Program, OneOutputIsOneGraph) {
  TaskGraph first("first"), second("second");
  for (TaskGraph *graph : {&first, &second})
    graph->createTask(kernel("twice"), {&graph->createDat(1, 2)});
  Options options;
  options.output = path("both");
  compile(first, options);
  try {
    compile(second, options);
    ADD_FAILURE() << "the first graph is lost";
  } catch (const CompileError &error) {
    EXPECT_NE(std::string(error.what()).find("so graph 'second' needs another"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Program, StartsFromZerosWithoutValues) {
  TaskGraph graph("zeros");
  Dat &dat = graph.createDat(2, 2);
  graph.createTask(kernel("twice"), {&dat});
  graph.run();
  EXPECT_EQ(graph.readDat(dat), Numbers(4, 0.0));
}

TEST_F(Program, StartsFromWhatIsWritten) {
  TaskGraph graph("write");
  Dat &dat = graph.createDat(2, 1, {1, 2});
  graph.createTask(kernel("twice"), {&dat});
  graph.run();
  double values[] = {10, 20};
  graph.writeDat(dat, values, sizeof values);
  EXPECT_EQ(graph.readDat(dat), (Numbers{2, 4})); // of the last run
  graph.run();
  EXPECT_EQ(graph.readDat(dat), (Numbers{20, 40}));
}

TEST_F(Program, WritesAndReadsParts) {
  TaskGraph graph("parts");
  Dat &dat = graph.createDat(4, 3, Numbers(12, 1));
  Dat &part = graph.createSubDat(dat, {{1, 4, 2}, {1}});
  graph.createTask(kernel("twice"), {&part});
  double values[] = {5, 6, 7, 8};
  graph.writeDat(part, values, sizeof values);
  graph.run();
  EXPECT_EQ(graph.readDat(part), (Numbers{10, 12, 14, 16}));
  EXPECT_EQ(graph.readDat(dat),
            (Numbers{1, 1, 1, 1, 10, 12, 1, 1, 1, 1, 14, 16}));
  EXPECT_NE(runErrorOf([&] { graph.datMemory(part); }).find("no memory"),
            std::string::npos);
}

TEST_F(Program, MakesAnExplicitReadLegalByWriting) {
  TaskGraph graph("explicit");
  Dat &dat = graph.createDat(1, 2);
  graph.createTask(kernel("look"), {in(dat)});
  EXPECT_THROW(graph.run(), CompileError);
  double values[] = {1, 2};
  graph.writeDat(dat, values, sizeof values);
  EXPECT_NO_THROW(graph.run());
}

TEST_F(Program, ReadsAnyTypeThatHoldsTheValues) {
  TaskGraph graph("types");
  Dat &small = graph.createIntDat(8, 1, {3}, {-128, 0, 127});
  Dat &large = graph.createUIntDat(64, 1, {2}, {1, UINT64_MAX});
  Dat &real = graph.createFloatDat(1, {3}, {0.5f, -2, 1e30f});
  graph.createTask(kernel("keep8"), {&small});
  graph.createTask(kernel("keepu64"), {&large});
  graph.createTask(kernel("keepf"), {&real});
  graph.run();
  EXPECT_EQ(graph.readDat(small), (Numbers{-128, 0, 127}));
  EXPECT_EQ(graph.readDat<int>(small), (std::vector<int>{-128, 0, 127}));
  EXPECT_EQ(graph.readDat<signed char>(small),
            (std::vector<signed char>{-128, 0, 127}));
  EXPECT_THROW(graph.readDat<unsigned>(small), RunError);
  EXPECT_EQ(graph.readDat<uint64_t>(large),
            (std::vector<uint64_t>{1, UINT64_MAX}));
  EXPECT_THROW(graph.readDat<int64_t>(large), RunError);
  EXPECT_THROW(graph.readDat<double>(large), RunError); // 2^64 - 1 rounds
  EXPECT_EQ(graph.readDat<float>(real), (std::vector<float>{0.5f, -2, 1e30f}));
  EXPECT_EQ(graph.readDat<double>(real)[2], double(1e30f));
  EXPECT_THROW(graph.readDat<int>(real), RunError);
}

TEST_F(Program, RefusesReadingDoublesAsFloatsThatRound) {
  TaskGraph graph("rounding");
  Dat &dat = graph.createDat(1, 2, {0.1, NAN});
  Dat &exact = graph.createDat(1, 3, {0.5, INFINITY, NAN});
  graph.createTask(kernel("twice"), {&dat});
  graph.createTask(kernel("twice"), {&exact});
  graph.run();
  EXPECT_THROW(graph.readDat<float>(dat), RunError);
  std::vector<float> read = graph.readDat<float>(exact);
  EXPECT_EQ(read[0], 1.0f);
  EXPECT_TRUE(std::isinf(read[1]) && std::isnan(read[2]));
  EXPECT_THROW(graph.readDat<int64_t>(exact), RunError);
}

TEST_F(Program, ReadsScalars) {
  TaskGraph graph("scalars");
  IntScalar &number = graph.createIntScalar(32, 41);
  DoubleScalar &value = graph.createDoubleScalar(3);
  Dat &dat = graph.createDat(1, 1);
  graph.createTask(kernel("count"), {&graph.createPtrScalar(&number)});
  graph.createTask(kernel("set"), {out(dat), &value});
  graph.run();
  EXPECT_EQ(graph.readInt(number), 42);
  EXPECT_EQ(graph.readScalar(number), 42.0);
  EXPECT_EQ(graph.readScalar(value), 3.0);
  EXPECT_EQ(graph.readDat(dat), Numbers{3});
  graph.run();
  EXPECT_EQ(graph.readInt(number), 42);
}

TEST_F(Program, ShowsItsMemory) {
  TaskGraph graph("memory");
  IntDat &dat = graph.createIntDat(64, 1, {3}, {1, 2, 3});
  graph.createTask(kernel("add"), {&dat, &graph.createIntScalar(64, -5)});
  graph.run();
  auto *memory = static_cast<const int64_t *>(graph.datMemory(dat));
  EXPECT_EQ(memory[0], -4);
  EXPECT_EQ(memory[2], -2);
}

TEST_F(Program, WorksInArraysThatAreBound) {
  TaskGraph graph("bound");
  Dat &a = graph.createDat(2, 1);
  graph.createTask(kernel("twice"), {&a});
  auto first = std::make_shared<std::vector<double>>(std::vector{1.0, 2.0});
  std::weak_ptr<std::vector<double>> known = first;
  double *memory = first->data();
  graph.bindDat(a, memory, 16, std::move(first));
  for (int round = 0; round < 2; ++round)
    graph.run();
  EXPECT_EQ(graph.datMemory(a), memory);
  EXPECT_EQ(graph.readDat(a), (std::vector<double>{4, 8}));
  double other[] = {5, 6};
  graph.bindDat(a, other, sizeof other);
  EXPECT_TRUE(known.expired());
  graph.run();
  EXPECT_EQ(other[0], 10);
  EXPECT_EQ(other[1], 12);
  graph.bindDat(a, static_cast<void *>(nullptr), 0);
  EXPECT_THROW(graph.readDat(a), RunError);
  graph.run();
  EXPECT_EQ(graph.readDat(a), (std::vector<double>{0, 0}));
  EXPECT_EQ(other[0], 10);
}

TEST_F(Program, RefusesArraysThatCannotBeBound) {
  TaskGraph graph("bound"), stranger("stranger");
  Dat &a = graph.createDat(2, 1);
  Dat &part = graph.createSubDat(a, {{0, 1}, {0, 1}});
  graph.createTask(kernel("twice"), {&part});
  alignas(8) double memory[3] = {};
  EXPECT_THROW(graph.bindDat(a, memory, 8), RunError);
  EXPECT_THROW(graph.bindDat(part, memory, 8), RunError);
  EXPECT_THROW(stranger.bindDat(a, memory, 16), RunError);
  EXPECT_THROW(graph.bindDat(a, static_cast<void *>((char *)memory + 4), 16),
               RunError);
  graph.bindDat(a, static_cast<const void *>(memory), 16);
  EXPECT_THROW(graph.run(), RunError); // it is written
  graph.bindDat(a, memory, 16);
  graph.run();
  // After a refusal, the previous array is still bound.
  EXPECT_THROW(graph.bindDat(a, static_cast<const void *>(memory + 1), 16),
               RunError);
  memory[0] = 3;
  graph.run();
  EXPECT_EQ(memory[0], 6);
}

TEST_F(Program, TellsWarnings) {
  TaskGraph graph("told");
  graph.createTask(kernel("twice"), {&graph.createDat(2, 1)});
  graph.createDat(3, 3);
  Options options;
  std::string said;
  options.tell = [&](const std::string &text) { said += text; };
  graph.check(options);
  EXPECT_NE(said.find("no task uses this dataset"), std::string::npos) << said;
}

TEST_F(Program, IsCompiledAgainWhenItGrows) {
  TaskGraph graph("growing");
  Dat &dat = graph.createDat(1, 1, {1});
  graph.createTask(kernel("twice"), {&dat});
  graph.run();
  EXPECT_EQ(graph.readDat(dat), Numbers{2});
  graph.createTask(kernel("twice"), {&dat});
  graph.run();
  EXPECT_EQ(graph.readDat(dat), Numbers{4});
}

TEST_F(Program, HasNoResultsBeforeARun) {
  TaskGraph graph("early"), other("other");
  Dat &dat = graph.createDat(1, 1);
  Dat &foreign = other.createDat(1, 1);
  graph.createTask(kernel("twice"), {&dat});
  EXPECT_NE(
      runErrorOf([&] { graph.readDat(dat); }).find("no results for the value "),
      std::string::npos);
  EXPECT_NE(runErrorOf([&] { graph.readDat(dat); }).find("has not run"),
            std::string::npos);
  EXPECT_NE(runErrorOf([&] {
              graph.readDat(foreign);
            }).find("belongs to graph 'other', not to 'early'"),
            std::string::npos);
  double value = 1;
  EXPECT_NE(runErrorOf([&] {
              graph.writeDat(dat, &value, 4);
            }).find("has 8 bytes, but 4 are given"),
            std::string::npos);
  EXPECT_NE(runErrorOf([&] {
              graph.writeDat(dat, nullptr, 8);
            }).find("the pointer is null"),
            std::string::npos);
}

TEST_F(Program, NamesATaskThatFails) {
  TaskGraph graph("failing");
  Dat &dat = graph.createDat(1, 1);
  graph.createTask(kernel("twice"), {&dat});
  graph.createTask(kernel("fail"), {&graph.createIntScalar(32, 7)})
      .returnsStatus()
      .setName("checking");
  std::string error = runErrorOf([&] { graph.run(); });
  EXPECT_NE(error.find("task 'checking' (fail at "), std::string::npos)
      << error;
  EXPECT_NE(error.find("): the kernel returned 7"), std::string::npos) << error;
  EXPECT_THROW(graph.readDat(dat), RunError);
}

TEST_F(Program, SaysAllThatIsWrongAtOnce) {
  TaskGraph graph("wrong");
  Dat &dat = graph.createDat(0, 1);
  graph.createTask(CKernel(""), {&dat});
  try {
    graph.run();
    FAIL();
  } catch (const CompileError &error) {
    std::string text = error.what();
    EXPECT_NE(text.find("dimension 0 has the extent 0"), std::string::npos);
    EXPECT_NE(text.find("the name of the C function is empty"),
              std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  }
}

TEST_F(Program, CompilesToAnExecutable) {
  TaskGraph graph("app");
  graph.setDatPrint(true);
  Dat &dat = graph.createDat(2, 2, {1, 2, 3, 4});
  dat.setName("A");
  graph.createTask(kernel("twice"), {&dat});
  graph.compile(path("app"));
  EXPECT_EQ(outputOf(path("app")), "A =\n2 4\n6 8\n");
  EXPECT_EQ(
      outputOf("ldd " + path("app") + " | grep -c 'LLVM\\|MLIR\\|Sluice'"),
      "0\n");
}

TEST_F(Program, WritesWhatTheEndingNames) {
  TaskGraph graph("forms");
  Dat &dat = graph.createDat(2, 2, {1, 2, 3, 4});
  graph.createTask(kernel("twice"), {&dat});
  struct Form {
    const char *name, *content;
  };
  for (Form form : {Form{"a.mlir", "dfg.task_graph @forms"},
                    Form{"a.ll", "define i32 @main"},
                    Form{"a.o", "\x7f"
                                "ELF"},
                    Form{"a.svg", "<svg"}, Form{"a.dot", "digraph"},
                    Form{"a.html", "<html"}}) {
    graph.compile(path(form.name));
    std::string text = contentOf(path(form.name));
    EXPECT_NE(text.find(form.content), std::string::npos) << form.name;
  }
}

TEST_F(Program, DumpsFindTheirSourcesFromElsewhere) {
  fs::path before = fs::current_path();
  fs::current_path(folder.path);
  TaskGraph graph("moved");
  Dat &dat = graph.createDat(2, 2, {1, 2, 3, 4});
  graph.addKernelSource("kernels.c");
  graph.createTask(CKernel("twice", "kernels.c"), {&dat});
  fs::create_directory("elsewhere");
  graph.dump("elsewhere/a.mlir");
  fs::current_path(before);
  std::string whole = "\"" + fs::canonical(source()).string() + "\"";
  std::string moved = contentOf(path("elsewhere/a.mlir"));
  EXPECT_NE(moved.find("dfg.kernel_source " + whole), std::string::npos)
      << moved;
  EXPECT_NE(moved.find("source(" + whole), std::string::npos) << moved;
}

TEST_F(Program, NamesWhatItWasMadeFrom) {
  std::ofstream(path("value.h")) << "#define VALUE 3\n";
  std::ofstream(path("uses.c")) << "#include \"value.h\"\n"
                                   "void uses(void) {}\n";
  TaskGraph graph("rule");
  graph.createTask(CKernel("uses", path("uses.c")));
  Options options;
  options.dependencyFile = path("app.d");
  graph.compile(path("app"), options);
  std::string text = contentOf(path("app.d"));
  EXPECT_EQ(text.find(path("app") + ":"), 0u) << text;
  EXPECT_NE(text.find("uses.c"), std::string::npos) << text;
  EXPECT_NE(text.find("value.h"), std::string::npos) << text;
}

TEST_F(Program, LeavesAnOutputAloneWhenItIsRefused) {
  std::ofstream(path("app")) << "old";
  TaskGraph graph("refused");
  graph.createTask(kernel("not_there"));
  EXPECT_THROW(graph.compile(path("app")), CompileError);
  EXPECT_EQ(fs::file_size(path("app")), 3u);
}

TEST_F(Program, ReturnsOneFromTryCompile) {
  TaskGraph graph("tried");
  Options options;
  options.output = path("app");
  testing::internal::CaptureStderr();
  EXPECT_EQ(tryCompile(graph, options), 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "error: graph 'tried' has no tasks"),
            std::string::npos);
}

TEST_F(Program, RunsSerially) {
  TaskGraph graph("serial");
  Dat &dat = graph.createDat(1, 1, {3});
  graph.createTask(kernel("twice"), {&dat});
  Options options;
  options.serial = true;
  graph.run(options);
  EXPECT_EQ(graph.readDat(dat), Numbers{6});
  graph.run();
  EXPECT_EQ(graph.readDat(dat), Numbers{6});
}

TEST_F(Program, KeepsSeveralGraphsApart) {
  TaskGraph first("one"), second("two");
  Dat &a = first.createDat(1, 1, {1});
  Dat &b = second.createDat(1, 1, {10});
  first.createTask(kernel("twice"), {&a});
  second.createTask(kernel("twice"), {&b});
  first.run();
  second.run();
  EXPECT_EQ(first.readDat(a), Numbers{2});
  EXPECT_EQ(second.readDat(b), Numbers{20});
}
TEST_F(Program, SaysWhatClangSaysOfAKernel) {
  std::ofstream(path("broken.c")) << "void broken(void) { undeclared(; }\n";
  TaskGraph graph("broken");
  graph.createTask(CKernel("broken", path("broken.c")));
  try {
    graph.run();
    FAIL();
  } catch (const CompileError &error) {
    std::string text = error.what();
    EXPECT_NE(text.find("broken.c:1:"), std::string::npos) << text;
    EXPECT_NE(text.find("error: expected expression"), std::string::npos)
        << text;
  }
}
