//===- MemoryAPITest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of memory as C programs ask for them.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/Memory.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace {
struct MemoryAPITest : testing::Test {
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    ::setenv("SLUICE_WORKERS", "2", 1);
    ::setenv("SLUICE_DEVICE", "host", 1);
    LPK_Datatype element;
    ASSERT_EQ(LPK_Primitive(LPK_DOUBLE, &element), LPK_SUCCESS);
    ASSERT_EQ(LPK_Vector(10, 1, 10, element, &column), LPK_SUCCESS);
    ASSERT_EQ(LPK_Free(&element), LPK_SUCCESS);
  }
  void TearDown() override {
    LPK_Free(&column);
    ::unsetenv("SLUICE_DEVICE");
  }
  LPK_Datatype column;
  double matrix[100] = {};
};
} // namespace

TEST_F(MemoryAPITest, PartsOfTrackedMemoryMayBeRequested) {
  sluiceInit();
  sluiceTrackMemory(matrix, sizeof(matrix));
  EXPECT_EQ(sluiceRequestMemoryPart(matrix + 3, column, 1), matrix + 3);
  sluiceSendMemoryPart(matrix + 3, column, 1, 0);
  SluiceMemoryCounters counters;
  sluiceGetMemoryCounters(1, &counters);
  EXPECT_EQ(counters.sent + counters.fetched + counters.numAllocations, 0u);
  sluiceUntrackMemory(matrix);
  sluiceCleanup();
}

TEST_F(MemoryAPITest, MisuseNamesTheValues) {
  auto request = [&](void *base, const char *layout, int64_t count) {
    sluiceInit();
    sluiceTrackMemory(matrix, sizeof(matrix));
    sluiceRequestMemoryText(base, layout, count);
  };
  EXPECT_EXIT(request(matrix, nullptr, 1), testing::ExitedWithCode(1),
              "requestMemory of a part needs a layout");
  EXPECT_EXIT(request(matrix, "vec(", 1), testing::ExitedWithCode(1),
              "the layout 'vec\\(' cannot be used");
  EXPECT_EXIT(request(matrix, "double", 101), testing::ExitedWithCode(1),
              "cannot request 808 bytes at 0x[0-9a-f]+: only 800 of the "
              "tracked 800 bytes");
  EXPECT_EXIT(request(nullptr, "double", 1), testing::ExitedWithCode(1),
              "cannot request 8 bytes at a null pointer");
  EXPECT_EXIT(
      {
        sluiceInit();
        sluiceTrackMemory(matrix, sizeof(matrix));
        sluiceSendMemoryText(matrix, "double", 1, 5);
      },
      testing::ExitedWithCode(1), "there is no place 5 for memory");
}
