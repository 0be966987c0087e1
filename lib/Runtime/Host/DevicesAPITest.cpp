//===- DevicesAPITest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C entry points of placement as programs use them: what is wrong prints a
// message and ends the process.
//
//===----------------------------------------------------------------------===//

#include "../Plan/Testing/PlanBuilder.h"

#include "sluice-c/Devices.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace sluice::test;

namespace {
void addOne(const SluiceInvocation *invocation, uint64_t begin, uint64_t end) {
  auto *data = at<int64_t *>(invocation, 0);
  for (uint64_t i = begin; i < end; ++i)
    data[i] += 1;
}

class DevicesAPITest : public testing::Test {
protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    ::setenv("SLUICE_WORKERS", "2", 1);
    ::setenv("SLUICE_DEVICE", "host", 1);
    builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    builder.node("root/blur", addOne, {2});
    plan = builder.finish();
    structure.add(&data[0]).add(uint64_t(16));
  }
  void TearDown() override {
    ::unsetenv("SLUICE_DEVICE");
    ::unsetenv("SLUICE_PLACEMENT");
  }
  PlanBuilder builder;
  const SluicePlan *plan;
  Structure structure;
  int64_t data[2] = {0, 0};
};

const auto fails = testing::ExitedWithCode(1);
} // namespace

TEST_F(DevicesAPITest, TheHostAlone) {
  sluiceInit();
  EXPECT_EQ(sluiceNumDevices(), 0u);
  EXPECT_STREQ(sluiceDeviceName(0), "host");
  sluicePlaceNode(plan, nullptr, "device");
  sluicePlaceNode(plan, "root", "opencl:0");
  sluicePlaceNode(plan, "root/blur", nullptr);
  sluiceSetPlacement("iteration:host,device");
  sluiceSetPlacement(nullptr);
  sluiceSetPlacementFunction(
      [](void *, const SluicePlacementQuery *) { return 1; }, nullptr);
  sluiceWait(sluiceLaunch(plan, structure.data(), nullptr, 0));
  sluiceCleanup();
  EXPECT_EQ(data[1], 1);
}

TEST_F(DevicesAPITest, RootsAreKnownByTheirAddress) {
  const SluicePlanEntry entry = {reinterpret_cast<const void *>(addOne), plan};
  sluiceRegisterPlans(&entry, 1);
  sluiceInit();
  sluicePlaceNode(entry.root, "root/blur", "host");
  sluiceCleanup();
  sluiceUnregisterPlans(&entry);
}

TEST_F(DevicesAPITest, WrongNamesAreErrors) {
  EXPECT_EXIT((sluiceInit(), sluicePlaceNode(plan, "root/blurr", "host")),
              fails,
              "sluice: error: sluicePlaceNode: graph 'root' has no node "
              "'root/blurr'; its nodes are 'root/blur'");
  EXPECT_EXIT((sluiceInit(), sluicePlaceNode(plan, "root/blur", "gpu")), fails,
              "sluice: error: sluicePlaceNode: 'gpu' is no policy, expected");
  EXPECT_EXIT((sluiceInit(), sluicePlaceNode(&data, nullptr, "host")), fails,
              "is no root of a graph in this program, and no plan");
  EXPECT_EXIT((sluiceInit(), sluicePlaceNode(nullptr, nullptr, "host")), fails,
              "is no root of a graph in this program, and no plan");
  EXPECT_EXIT((sluiceInit(), sluiceSetPlacement("fast")), fails,
              "sluice: error: sluiceSetPlacement: 'fast' is no policy");
  EXPECT_EXIT((sluiceInit(), sluiceDeviceName(1)), fails,
              "sluice: error: sluiceDeviceName: there is no place 1; the host "
              "is 0, and there are 0 devices");
}

TEST_F(DevicesAPITest, BeforeInitAndAfterCleanupThereIsNothingToPlace) {
  EXPECT_EXIT(sluicePlaceNode(plan, nullptr, "host"), fails,
              "sluice: error: sluicePlaceNode before init");
  EXPECT_EXIT((sluiceInit(), sluiceCleanup(), sluiceNumDevices()), fails,
              "sluice: error: sluiceNumDevices after cleanup");
}

TEST_F(DevicesAPITest, WrongSettingsEndInit) {
  ::setenv("SLUICE_DEVICE", "gpu", 1);
  EXPECT_EXIT(sluiceInit(), fails, "sluice: error: SLUICE_DEVICE is 'gpu'");
  ::setenv("SLUICE_DEVICE", "host", 1);
  ::setenv("SLUICE_PLACEMENT", "quick", 1);
  EXPECT_EXIT(sluiceInit(), fails,
              "sluice: error: SLUICE_PLACEMENT: 'quick' is no policy");
}

TEST_F(DevicesAPITest, ADeviceThatIsNotThereIsAnErrorBeforeAnythingRuns) {
  ::setenv("SLUICE_DEVICE", "opencl:9999", 1);
  EXPECT_EXIT((sluiceInit(), sluiceNumDevices()), fails,
              "sluice: error: sluiceNumDevices: SLUICE_DEVICE names "
              "'opencl:9999', which cannot be used: ");
}
