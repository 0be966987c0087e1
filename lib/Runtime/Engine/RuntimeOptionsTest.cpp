//===- RuntimeOptionsTest.cpp ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings from the environment. Wrong values are tested with the host
// interface, where they end the process.
//
//===----------------------------------------------------------------------===//

#include "RuntimeOptions.h"

#include "sluice/Runtime/Engine/Settings.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <thread>
#include <unistd.h>

using namespace sluice;

namespace {
/// Sets variables for one test.
class OptionsTest : public testing::Test {
protected:
  void SetUp() override {
    for (const Setting &setting : runtimeSettings()) {
      if (const char *value = std::getenv(setting.name))
        before[setting.name] = value;
      ::unsetenv(setting.name);
    }
  }
  void TearDown() override {
    for (const Setting &setting : runtimeSettings())
      ::unsetenv(setting.name);
    for (auto &[name, value] : before)
      ::setenv(name.c_str(), value.c_str(), 1);
  }
  std::map<std::string, std::string> before;
};
} // namespace

TEST_F(OptionsTest, Defaults) {
  auto options = RuntimeOptions::fromEnvironment();
  ASSERT_TRUE(options.ok());
  EXPECT_GE(options->numWorkers, 1u);
  EXPECT_FALSE(options->sequential);
  EXPECT_EQ(options->check, CheckMode::AsBuilt);
  EXPECT_EQ(options->traceFile, "");
  EXPECT_EQ(options->specializeAfter, 3u);
  EXPECT_EQ(options->helper, "");
}

TEST_F(OptionsTest, EverySettingIsRead) {
  std::map<std::string, std::string> values = {
      {"SLUICE_WORKERS", "5"},
      {"SLUICE_EXECUTOR", "sequential"},
      {"SLUICE_TRACE", "t.json"},
      {"SLUICE_SUMMARY", "1"},
      {"SLUICE_SPECIALIZE", "0"},
      {"SLUICE_HELPER", "/bin/true"},
      {"SLUICE_CACHE_DIR", "/cache"},
      {"SLUICE_CLUSTER", "off"},
      {"SLUICE_CHECKPOINT", "/checkpoints"},
      {"SLUICE_CHECKPOINT_EVERY", "7"},
      {"SLUICE_COMPACT", "never"},
      {"SLUICE_CLUSTER_DEADLINE", "2"},
      {"SLUICE_GUARD_MEMORY", "0"},
      {"SLUICE_TILE_CACHE", "1048576"},
      {"SLUICE_TUNED", "/dev/null"},
      {"SLUICE_CHECK", "0"},
      {"SLUICE_RECORD", "record"},
      {"SLUICE_RECORD_BYTES", "64M"},
      {"SLUICE_RECORD_VERIFY", "1"},
      {"SLUICE_DEVICE", "cuda:0,opencl"},
      {"SLUICE_SHARE", "1"},
      {"SLUICE_DEVICE_MEMORY", "512M"},
      {"SLUICE_PLACEMENT", "history:off"},
      {"SLUICE_DEVICE_FAULTS", "load:1"},
      {"SLUICE_OPENCL_LIBRARY", "libOpenCL.so.1"},
      {"SLUICE_CUDA_LIBRARY", "libcuda.so.1"}};
  for (const Setting &setting : runtimeSettings()) {
    ASSERT_EQ(values.count(setting.name), 1u) << setting.name;
    EXPECT_NE(std::string(setting.description), "");
    ::setenv(setting.name, values[setting.name].c_str(), 1);
  }
  auto options = RuntimeOptions::fromEnvironment();
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->numWorkers, 5u);
  EXPECT_EQ(options->tileCache, 1u << 20);
  EXPECT_TRUE(options->sequential);
  EXPECT_TRUE(options->hasSummary);
  EXPECT_EQ(options->check, CheckMode::Off);
  EXPECT_EQ(options->record.directory, "record");
  EXPECT_EQ(options->record.bytes, uint64_t(64) << 20);
  EXPECT_TRUE(options->record.verifies);
  EXPECT_EQ(options->traceFile, "t.json");
  EXPECT_EQ(options->specializeAfter, 0u);
  EXPECT_EQ(options->helper, "/bin/true");
  EXPECT_EQ(options->cacheDirectory, "/cache");
  const DeviceOptions &devices = options->devices;
  EXPECT_EQ(devices.names, (std::vector<std::string>{"cuda:0", "opencl"}));
  EXPECT_TRUE(devices.share);
  EXPECT_EQ(devices.memory, uint64_t(512) << 20);
  EXPECT_EQ(devices.placement.policy, PlacementPolicy::History);
  EXPECT_FALSE(devices.placement.keepsTimes);
}

TEST_F(OptionsTest, RanksHaveWorkersForTheirShareOfProcessors) {
  EXPECT_EQ(RuntimeOptions::fromEnvironment(7)->numWorkers, 7u);
  EXPECT_EQ(RuntimeOptions::fromEnvironment(1u << 30)->numWorkers,
            RuntimeOptions::maxWorkers);
  ::setenv("SLUICE_WORKERS", "3", 1);
  EXPECT_EQ(RuntimeOptions::fromEnvironment(8)->numWorkers, 3u);
}

TEST_F(OptionsTest, AFileOfWaysIsReadOrNamed) {
  const std::string path =
      testing::TempDir() + "sluice-ways-" + std::to_string(::getpid());
  auto write = [&](const char *text) {
    std::FILE *file = std::fopen(path.c_str(), "w");
    ASSERT_TRUE(file);
    std::fputs(text, file);
    std::fclose(file);
  };
  ::setenv("SLUICE_TUNED", path.c_str(), 1);
  write("[root 4M]\nway = strips\nrows = 3\n");
  auto options = RuntimeOptions::fromEnvironment();
  ASSERT_TRUE(options.ok());
  ASSERT_EQ(options->tunedGraphs.size(), 1u);
  EXPECT_EQ(options->tunedGraphs[0].way.rows, 3u);
  write("[root 4M]\nway = stripes\n");
  EXPECT_EQ(RuntimeOptions::fromEnvironment().status().message(),
            "SLUICE_TUNED: " + path +
                ", line 2: 'stripes' is no way, expected 'windows', 'strips', "
                "'one-by-one' or 'automatic'");
  ::unlink(path.c_str());
  EXPECT_NE(RuntimeOptions::fromEnvironment().status().message().find(
                "SLUICE_TUNED: cannot read '" + path + "'"),
            std::string::npos);
}
