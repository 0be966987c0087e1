//===- FakeCUDAEnvironment.cpp - Tests that run on the fake driver --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When linked to a test program, makes the fake the program's CUDA driver and
// fails every test that violates a rule of CUDA or leaves objects behind.
//
//===----------------------------------------------------------------------===//

#include "FakeCUDA.h"
#include "sluice/Device/Device.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace sluice::device::testing;

namespace {
class Inspector : public ::testing::EmptyTestEventListener {
  /// A process opens its driver once. Done here, before some test makes the
  /// library invalid.
  void OnTestProgramStart(const ::testing::UnitTest &) override {
    fakeCUDA().reset({});
    sluice::device::findDevices();
  }
  void OnTestStart(const ::testing::TestInfo &) override {
    FakeCUDAOptions options;
    options.delayMicroseconds = 20;
    fakeCUDA().reset(options);
  }
  void OnTestEnd(const ::testing::TestInfo &) override {
    for (const std::string &violation : fakeCUDA().takeViolations())
      ADD_FAILURE() << "against CUDA's rules: " << violation;
    for (const std::string &object : fakeCUDA().liveObjects())
      ADD_FAILURE() << "left behind: " << object;
  }
};

struct Setup {
  Setup() {
    setenv("SLUICE_CUDA_LIBRARY", SLUICE_FAKE_CUDA, 1);
    ::testing::UnitTest::GetInstance()->listeners().Append(new Inspector);
  }
};
} // namespace

static const Setup setup;
