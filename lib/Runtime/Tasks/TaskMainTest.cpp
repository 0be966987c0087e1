//===- TaskMainTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that do not fit, and executables: arguments, output, exit codes.
//
//===----------------------------------------------------------------------===//

#include "Testing/ProgramBuilder.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace sluice::test;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
/// A good program, to be spoilt.
class TaskTablesTest : public testing::Test {
protected:
  TaskTablesTest() {
    data = builder.data("A", {3, 2});
    builder.data("B", {4});
    task = builder.task("add", {{data, inOut}}, [](const TaskCall &) {
      ADD_FAILURE() << "it was run";
      return 0;
    });
    builder.finish();
  }
  SluiceTaskData &table(uint32_t index) {
    return const_cast<SluiceTaskData &>(builder.program.data[index]);
  }
  SluiceTaskRecord &record() {
    return const_cast<SluiceTaskRecord &>(builder.program.tasks[0]);
  }
  std::string error() {
    const char *text = nullptr;
    SluiceTaskRun *run = sluiceTaskRunCreate(&builder.program, nullptr, &text);
    EXPECT_EQ(run, nullptr);
    sluiceTaskRunDestroy(run);
    return text ? text : "";
  }
  std::string mismatch(const char *what) {
    return std::string("the program's task graph does not fit this "
                       "runtime: ") +
           what + "; compile the program again";
  }

  ProgramBuilder builder{"matrix"};
  uint32_t data, task;
};
} // namespace

TEST_F(TaskTablesTest, OfOtherVersions) {
  builder.program.head.magic = 1;
  EXPECT_EQ(error(),
            mismatch("the magic number is 1, expected 5139809230032030803"));
  builder.program.head.magic = SLUICE_TASK_PROGRAM_MAGIC;
  builder.program.head.version = 999;
  EXPECT_EQ(error(), mismatch(("the version is 999, expected " +
                               std::to_string(SLUICE_TABLE_VERSION))
                                  .c_str()));
}

TEST_F(TaskTablesTest, OfOtherSizes) {
  std::vector<uint32_t> sizes(
      std::begin(sluice::TableKind<SluiceTaskProgram>::sizes),
      std::end(sluice::TableKind<SluiceTaskProgram>::sizes));
  sizes[2] = 8;
  builder.program.head.sizes = sizes.data();
  EXPECT_EQ(error(),
            mismatch(("the size of 'SluiceTaskRecord' is 8, expected " +
                      std::to_string(sizeof(SluiceTaskRecord)))
                         .c_str()));
}

TEST_F(TaskTablesTest, SizesThatAreNotTheShapes) {
  table(0).size = 40;
  EXPECT_EQ(error(), "task graph 'matrix': dataset 'A' has 40 bytes, which its "
                     "shape has not");
}

TEST_F(TaskTablesTest, ShapesTooLarge) {
  const int64_t shape[] = {int64_t(1) << 40, int64_t(1) << 40};
  table(0).shape = shape;
  EXPECT_EQ(error(), "task graph 'matrix': dataset 'A' has 48 bytes, which its "
                     "shape has not");
}

TEST_F(TaskTablesTest, Elements) {
  table(0).elementBits = 16;
  EXPECT_EQ(error(), "task graph 'matrix': dataset 'A' has elements of kind 2 "
                     "and 16 bits");
}

TEST_F(TaskTablesTest, Objects) {
  table(0).kind = SLUICE_DATA_PYOBJ;
  EXPECT_EQ(error(),
            "task graph 'matrix': object 'A' has 48 bytes, expected 8");
}

TEST_F(TaskTablesTest, UsesOfNoDataset) {
  SluiceTaskUse use = {2, inOut};
  record().uses = &use;
  EXPECT_EQ(error(), "task graph 'matrix': task 'add' uses dataset 2 of 2");
}

TEST_F(TaskTablesTest, UsesTwice) {
  SluiceTaskUse uses[] = {{0, inOut}, {0, inOut}};
  record().uses = uses;
  record().numUses = 2;
  EXPECT_EQ(error(), "task graph 'matrix': task 'add' names dataset 'A' twice");
}

TEST_F(TaskTablesTest, NumberOfUses) {
  table(0).numUses = 2;
  EXPECT_EQ(error(), "task graph 'matrix': dataset 'A' states 2 uses, but "
                     "tasks name it 1 times");
}

TEST_F(TaskTablesTest, Variants) {
  record().numVariants = 0;
  EXPECT_EQ(error(), "task graph 'matrix': task 'add' has no variant");
}

TEST_F(TaskTablesTest, Plans) {
  builder.program.numData = 1;
  EXPECT_EQ(error(),
            "task graph 'matrix': its plan takes 6 arguments in 48 bytes, "
            "expected 4 in 32, and no results");
  builder.program.plan = nullptr;
  EXPECT_EQ(error(), "task graph 'matrix': there is no plan");
}

TEST_F(TaskTablesTest, Options) {
  SluiceTaskRunOptions options = {4, 0, 0, 0};
  const char *text = nullptr;
  EXPECT_EQ(sluiceTaskRunCreate(&builder.program, &options, &text), nullptr);
  EXPECT_STREQ(text, "options of a run have 4 bytes, expected 16; compile the "
                     "program again");
  EXPECT_EQ(sluiceTaskRunCreate(nullptr, nullptr, &text), nullptr);
  EXPECT_STREQ(text, "there is no task graph");
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

namespace {
struct Output {
  int code;
  std::string out, err;
};
} // namespace

static Output runMain(const SluiceTaskProgram &program,
                      std::vector<const char *> arguments) {
  arguments.insert(arguments.begin(), "app");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  int code = sluiceTaskMain(&program, static_cast<int>(arguments.size()),
                            const_cast<char **>(arguments.data()));
  std::string out = testing::internal::GetCapturedStdout();
  return {code, out, testing::internal::GetCapturedStderr()};
}

TEST(TaskMainTest, PrintsDatasets) {
  ProgramBuilder builder("matrix");
  uint32_t a =
      builder.data("A", {3, 2}, {1, -2, 3, 0.1, 1e300, -6}, SLUICE_DATA_PRINT);
  uint32_t cube = builder.data("cube", {2, 2, 2}, {}, SLUICE_DATA_PRINT);
  builder.data("silent", {2});
  builder.data("empty", {0, 3}, {}, SLUICE_DATA_PRINT);
  SluiceTaskData small = {};
  const int64_t shape[] = {3};
  const int8_t bytes[] = {-1, 0, 127};
  small.name = "bytes";
  small.elementKind = SLUICE_ELEMENT_INT;
  small.elementBits = 8;
  small.rank = 1;
  small.shape = shape;
  small.size = 3;
  small.initial = bytes;
  small.flags = SLUICE_DATA_PRINT;
  builder.data(small);
  SluiceTaskData scalar = {};
  const uint64_t most = UINT64_MAX;
  scalar.name = "most";
  scalar.kind = SLUICE_DATA_SCALAR;
  scalar.elementKind = SLUICE_ELEMENT_UINT;
  scalar.elementBits = 64;
  scalar.size = 8;
  scalar.initial = &most;
  scalar.flags = SLUICE_DATA_PRINT;
  builder.data(scalar);
  builder.task("add", {{a, inOut}, {cube, inOut}}, [=](const TaskCall &call) {
    call.values(a)[0] = 1.0 / 3;
    call.values(cube)[7] = 7;
    return 0;
  });
  SluiceTaskProgram &program = builder.finish();
  for (const char *argument : {"--serial", "--workers=1", "--workers=3"}) {
    Output output = runMain(program, {argument});
    EXPECT_EQ(output.code, 0);
    EXPECT_EQ(output.err, "");
    EXPECT_EQ(output.out, "A =\n0.3333333333333333 -2\n3 0.1\n1e+300 -6\n"
                          "cube =\n0 0\n0 0\n\n0 0\n0 7\n"
                          "empty =\n"
                          "bytes =\n-1 0 127\n"
                          "most = 18446744073709551615\n");
  }
}

TEST(TaskMainTest, Failures) {
  ProgramBuilder builder("app");
  builder.task("load", {}, [](const TaskCall &) { return 4; });
  Output output = runMain(builder.finish(), {});
  EXPECT_EQ(output.code, 1);
  EXPECT_EQ(output.err, "sluice: error: task 'load' (kernel at meta.cpp:2:3): "
                        "the kernel returned 4\n");
}

TEST(TaskMainTest, Arguments) {
  ProgramBuilder builder("app");
  builder.task("never", {}, [](const TaskCall &) {
    ADD_FAILURE() << "it was run";
    return 0;
  });
  SluiceTaskProgram &program = builder.finish();
  Output help = runMain(program, {"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("usage: app [--workers=N] [--serial]"),
            std::string::npos);
  EXPECT_EQ(help.err, "");
  Output unknown = runMain(program, {"--serial", "input.bmp"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err,
            "sluice: error: unknown argument 'input.bmp'; try --help\n");
  for (const char *bad : {"--workers=0", "--workers=", "--workers=x",
                          "--workers=99999", "--workers=2x", "--workers=-1"}) {
    Output output = runMain(program, {bad});
    EXPECT_EQ(output.code, 2);
    EXPECT_EQ(output.err, std::string("sluice: error: --workers is '") +
                              (bad + 10) +
                              "', expected a number from 1 to 1024; try "
                              "--help\n");
  }
}

TEST(TaskMainTest, BadSettings) {
  ProgramBuilder builder("app");
  builder.task("never", {}, [](const TaskCall &) { return 0; });
  SluiceTaskProgram &program = builder.finish();
  ::setenv("SLUICE_WORKERS", "many", 1);
  Output output = runMain(program, {});
  ::unsetenv("SLUICE_WORKERS");
  EXPECT_EQ(output.code, 1);
  EXPECT_EQ(output.err, "sluice: error: SLUICE_WORKERS is 'many', expected a "
                        "number from 1 to 1024\n");
}

TEST(TaskMainTest, Tunes) {
  ProgramBuilder builder("app");
  uint32_t task = builder.task("blur", {}, [](const TaskCall &) { return 0; });
  builder.variants(task, {"p=1", "p=2"});
  std::string file =
      testing::TempDir() + std::to_string(getpid()) + "-sluice-main-tuned.ini";
  ::setenv("SLUICE_TUNE", file.c_str(), 1);
  Output output = runMain(builder.finish(), {});
  ::unsetenv("SLUICE_TUNE");
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_TRUE(std::filesystem::remove(file));
}
