//===- AccessCheckTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that kernels report, against what their tasks say. The kernels here
// report by hand what instrumented code would.
//
//===----------------------------------------------------------------------===//

#include "../../Regions/Checks/Reporting.h"
#include "../Testing/ProgramBuilder.h"

#include "sluice-c/Check.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace sluice::test;

static const SluiceCheckSite reading = {
    "k.c:5:6", "", SLUICE_CHECK_READ, SLUICE_CHECK_UNKNOWN, 0, 0};
static const SluiceCheckSite writing = {
    "k.c:7:8", "", SLUICE_CHECK_WRITE, SLUICE_CHECK_UNKNOWN, 0, 0};
static const SluiceCheckSite updating = {
    "in 'f'",
    "",
    SLUICE_CHECK_READ | SLUICE_CHECK_WRITE | SLUICE_CHECK_ATOMIC,
    SLUICE_CHECK_UNKNOWN,
    0,
    0};
static const SluiceCheckSite copying = {
    "k.c:9:1", "", SLUICE_CHECK_READ | SLUICE_CHECK_COPY, SLUICE_CHECK_UNKNOWN,
    0,         0};

static double load(const double *from) {
  sluiceTaskAccess(&reading, from, sizeof *from);
  return *from;
}
static void store(double *to, double value) {
  sluiceTaskAccess(&writing, to, sizeof *to);
  *to = value;
}

static const int64_t shape[] = {4, 3}, strides[] = {3, 1};
/// Rows 1 and 3 of A, without their last column.
static const int64_t partShape[] = {2, 2}, partStrides[] = {6, 1};
static const SluiceTaskView whole = {2, 8, 0, shape, strides};
static const SluiceTaskView part = {2, 8, 3, partShape, partStrides};

namespace {
/// One task over A, beside another dataset that it is not given.
class AccessCheckTest : public testing::Test {
protected:
  AccessCheckTest() {
    a = builder.data("A", {4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    b = builder.data("B", {2}, {1, 2});
  }

  /// What a run says of a task that does `body` and says `access` of `view`.
  std::string run(uint32_t access, const SluiceTaskView &view,
                  const std::function<void(double *a, double *b)> &body) {
    bool isWhole = view.shape == shape;
    uint32_t task = builder.task("t", {{a, isWhole ? access : inOut}},
                                 [=, this](const TaskCall &call) {
                                   body(call.values(a), call.values(b));
                                   return 0;
                                 });
    builder.argument(task, {a, access, view});
    builder.finish().flags = SLUICE_TASK_PROGRAM_CHECKED;
    OwnedRun owned(builder.program);
    std::string error = owned.execute();
    std::string prefix = "task 't' (kernel at meta.cpp:2:3): ";
    if (error.starts_with(prefix))
      error.erase(0, prefix.size());
    return error;
  }

  /// The same of a task that works on a copy of its part.
  std::string runOnCopy(uint32_t access,
                        const std::function<void(double *copy)> &body) {
    return run(access, part, [&](double *a, double *) {
      void *copy = sluiceTaskPack(a, &part, access != out);
      body(static_cast<double *>(copy));
      sluiceTaskUnpack(copy, a, &part, 1);
    });
  }

  ProgramBuilder builder;
  uint32_t a, b;
};
} // namespace

TEST_F(AccessCheckTest, InIsReadAlone) {
  EXPECT_EQ(run(in, whole,
                [](double *a, double *) {
                  for (int i = 0; i < 12; ++i)
                    EXPECT_EQ(load(a + i), i);
                }),
            "");
}

TEST_F(AccessCheckTest, InIsNotWritten) {
  EXPECT_EQ(run(in, whole, [](double *a, double *) { store(a + 3, 3); }),
            "it writes A[1, 0] at k.c:7:8, but says that it only reads 'A' "
            "('in')");
}

TEST_F(AccessCheckTest, OutIsWrittenFirst) {
  EXPECT_EQ(run(out, whole,
                [](double *a, double *) {
                  for (int i = 0; i < 12; ++i) {
                    store(a + i, 5);
                    EXPECT_EQ(load(a + i), 5);
                  }
                }),
            "");
}

TEST_F(AccessCheckTest, OutIsNotReadFirst) {
  EXPECT_EQ(run(out, whole,
                [](double *a, double *) {
                  for (int i = 0; i < 12; ++i)
                    store(a + i, i == 7 ? load(a + i) : 0);
                }),
            "it reads A[2, 1] at k.c:5:6 before it writes it, but says that it "
            "only writes 'A' ('out')");
}

TEST_F(AccessCheckTest, OutIsNotUpdated) {
  EXPECT_EQ(run(out, whole,
                [](double *a, double *) {
                  sluiceTaskAccess(&updating, a, 8);
                  std::memset(a, 0, 12 * 8);
                }),
            "it reads A[0, 0] in 'f' before it writes it, but says that it "
            "only writes 'A' ('out')");
}

/// By a function of a library, say, which reports nothing.
TEST_F(AccessCheckTest, OutMayBeWrittenByOtherCode) {
  EXPECT_EQ(run(out, whole,
                [](double *a, double *) {
                  std::memset(a, 0, 12 * 8);
                  for (int i = 0; i < 12; ++i)
                    EXPECT_EQ(load(a + i), 0);
                  auto *bytes = reinterpret_cast<char *>(a);
                  for (int i = 0; i < 96; ++i)
                    sluiceTaskAccess(&reading, bytes + i, 1);
                }),
            "");
}

TEST_F(AccessCheckTest, EachByteOfOutCounts) {
  EXPECT_EQ(run(out, whole,
                [](double *a, double *) {
                  auto *bytes = reinterpret_cast<char *>(a);
                  sluiceTaskAccess(&writing, bytes, 95);
                  std::memset(bytes, 1, 95);
                  sluiceTaskAccess(&reading, bytes, 95);
                  sluiceTaskAccess(&reading, bytes + 95, 1);
                  bytes[95] = 0;
                }),
            "it reads A[3, 2] at k.c:5:6 before it writes it, but says that it "
            "only writes 'A' ('out')");
}

/// A structure is copied with its padding, which nobody wrote.
TEST_F(AccessCheckTest, PaddingMayBeCopied) {
  EXPECT_EQ(run(out, whole,
                [](double *a, double *) {
                  auto *bytes = reinterpret_cast<char *>(a);
                  for (int i = 0; i < 96; i += 8) {
                    sluiceTaskAccess(&writing, bytes + i, 4);
                    std::memset(bytes + i, 1, 4);
                  }
                  sluiceTaskAccess(&copying, bytes, 96);
                  std::memset(bytes, 2, 96);
                }),
            "");
}

TEST_F(AccessCheckTest, WordsWithoutAWrittenByteMayNot) {
  EXPECT_EQ(run(out, whole,
                [](double *a, double *) {
                  for (int i = 0; i < 11; ++i)
                    store(a + i, 1);
                  sluiceTaskAccess(&copying, a, 96);
                  a[11] = 1;
                }),
            "it reads A[3, 2] at k.c:9:1 before it writes it, but says that it "
            "only writes 'A' ('out')");
}

TEST_F(AccessCheckTest, PartsEndWhereTheyDo) {
  EXPECT_EQ(run(inOut, part,
                [](double *a, double *) {
                  for (int i : {3, 4, 9, 10})
                    store(a + i, load(a + i) + 1);
                }),
            "");
}

TEST_F(AccessCheckTest, NothingBesideAPartIsRead) {
  EXPECT_EQ(run(inOut, part, [](double *a, double *) { load(a + 5); }),
            "it reads A[1, 2] at k.c:5:6, which is outside of the part that it "
            "was given");
}

TEST_F(AccessCheckTest, NothingBesideAPartIsWritten) {
  EXPECT_EQ(run(inOut, part, [](double *a, double *) { store(a + 6, 6); }),
            "it writes A[2, 0] at k.c:7:8, which is outside of the part that "
            "it was given");
}

TEST_F(AccessCheckTest, OtherDatasetsAreNotTouched) {
  EXPECT_EQ(run(inOut, whole, [](double *, double *b) { load(b + 1); }),
            "it reads B[1] at k.c:5:6, of a dataset that it was not given");
}

TEST_F(AccessCheckTest, NothingLiesBehindADataset) {
  EXPECT_EQ(run(inOut, whole, [](double *a, double *) { store(a + 13, 1); }),
            "it writes 8 bytes that begin 8 bytes behind the end of 'A' at "
            "k.c:7:8");
}

TEST_F(AccessCheckTest, NothingLiesBeforeADataset) {
  EXPECT_EQ(run(in, whole, [](double *a, double *) { load(a - 1); }),
            "it reads 8 bytes that begin 8 bytes before the start of 'A' at "
            "k.c:5:6");
}

TEST_F(AccessCheckTest, AnAccessMayEndTooLate) {
  EXPECT_EQ(
      run(in, whole,
          [](double *a, double *) { sluiceTaskAccess(&reading, a + 11, 12); }),
      "it reads 12 bytes, of which 4 lie behind the end of 'A' at "
      "k.c:5:6");
}

TEST_F(AccessCheckTest, CopiesAreCheckedAsTheirParts) {
  EXPECT_EQ(runOnCopy(out,
                      [](double *copy) {
                        for (int i = 0; i < 4; ++i) {
                          store(copy + i, 5);
                          load(copy + i);
                        }
                      }),
            "");
}

TEST_F(AccessCheckTest, CopiesNameTheElementsOfTheirDataset) {
  EXPECT_EQ(runOnCopy(out,
                      [](double *copy) {
                        for (int i = 0; i < 4; ++i)
                          store(copy + i, i == 3 ? load(copy + i) : 0);
                      }),
            "it reads A[3, 1] at k.c:5:6 before it writes it, but says that it "
            "only writes 'A' ('out')");
}

TEST_F(AccessCheckTest, NothingLiesBehindACopy) {
  EXPECT_EQ(runOnCopy(inOut,
                      [](double *copy) {
                        EXPECT_EQ(load(copy + 3), 10);
                        load(copy + 4);
                      }),
            "it reads 8 bytes right behind the end of its part of 'A' at "
            "k.c:5:6");
}

/// An unwritten element of a copy is one of the part.
TEST_F(AccessCheckTest, CopiesThatAreNotWrittenAreFound) {
  EXPECT_EQ(runOnCopy(out,
                      [](double *copy) {
                        for (int i : {0, 1, 3})
                          store(copy + i, 0);
                      }),
            "it says that it writes all of 'A' ('out'), but did not write 1 of "
            "4 elements, first A[3, 0]");
}

TEST_F(AccessCheckTest, ThreadsOfATaskAreItsOwn) {
  EXPECT_EQ(run(in, whole,
                [](double *a, double *) {
                  std::thread([=] { store(a, 0); }).join();
                }),
            "it writes A[0, 0] at k.c:7:8, but says that it only reads 'A' "
            "('in')");
}

TEST_F(AccessCheckTest, TheFirstFindingCounts) {
  EXPECT_EQ(run(in, whole,
                [](double *a, double *) {
                  store(a + 1, 1);
                  store(a + 2, 2);
                  throw std::runtime_error("what followed");
                }),
            "it writes A[0, 1] at k.c:7:8, but says that it only reads 'A' "
            "('in')");
}

TEST_F(AccessCheckTest, OtherMemoryIsNobodysBusiness) {
  double own = 1;
  EXPECT_EQ(run(in, whole,
                [&](double *, double *) {
                  store(&own, 2);
                  auto *heap = new double[1000];
                  store(heap + 999, load(&own));
                  delete[] heap;
                }),
            "");
  store(&own, 3); // without a run
}

/// Such as an operator new of the program, while a message is made.
TEST_F(AccessCheckTest, WhatACheckNeedsIsNotChecked) {
  EXPECT_EQ(run(in, whole,
                [](double *a, double *) {
                  const sluice::Reporting reporting;
                  store(a, load(a));
                }),
            "");
}

TEST_F(AccessCheckTest, TheEnvironmentMaySwitchItOff) {
  ::setenv("SLUICE_CHECK", "0", 1);
  EXPECT_EQ(run(in, whole, [](double *a, double *) { store(a, 1); }), "");
  ::unsetenv("SLUICE_CHECK");
}

TEST(AccessChecksTest, RunsBesideEachOtherAreApart) {
  std::atomic<int> numThere{0};
  ProgramBuilder builders[2];
  std::string errors[2];
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    ProgramBuilder &builder = builders[i];
    uint32_t data = builder.data("A", {4, 3});
    uint32_t task = builder.task("t", {{data, i ? in : inOut}},
                                 [&, data](const TaskCall &call) {
                                   ++numThere;
                                   while (numThere < 2) // both run
                                     std::this_thread::yield();
                                   store(call.values(data), 0);
                                   return 0;
                                 });
    builder.argument(task, {data, i ? in : inOut, whole});
    builder.finish().flags = SLUICE_TASK_PROGRAM_CHECKED;
    threads.emplace_back([&, i] {
      OwnedRun run(builders[i].program, 1 + i);
      errors[i] = run.execute();
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(errors[0], "");
  EXPECT_NE(errors[1].find("it only reads 'A'"), std::string::npos)
      << errors[1];
}
