//===- DeviceOptionsTest.cpp ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings of devices, and the messages for wrong ones.
//
//===----------------------------------------------------------------------===//

#include "DeviceOptions.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace sluice;

namespace {
class DeviceOptionsTest : public testing::Test {
protected:
  static constexpr const char *names[] = {"SLUICE_DEVICE", "SLUICE_PLACEMENT",
                                          "SLUICE_SHARE",
                                          "SLUICE_DEVICE_MEMORY"};
  void SetUp() override {
    for (const char *name : names)
      ::unsetenv(name);
  }
  void TearDown() override { SetUp(); }
  /// The error with one setting; empty: there is none.
  std::string read(const char *name, const char *value) {
    SetUp();
    ::setenv(name, value, 1);
    options = {};
    return options.readEnvironment().message();
  }
  DeviceOptions options;
};
using Names = std::vector<std::string>;
} // namespace

TEST_F(DeviceOptionsTest, Devices) {
  EXPECT_EQ(options.readEnvironment().message(), "");
  EXPECT_TRUE(options.names.empty());
  EXPECT_EQ(read("SLUICE_DEVICE", "auto"), "");
  EXPECT_TRUE(options.names.empty());
  EXPECT_FALSE(options.hostOnly);
  EXPECT_EQ(read("SLUICE_DEVICE", "host"), "");
  EXPECT_TRUE(options.hostOnly);
  EXPECT_EQ(read("SLUICE_DEVICE", "cuda:0,opencl,opencl:12"), "");
  EXPECT_EQ(options.names, (Names{"cuda:0", "opencl", "opencl:12"}));
}

TEST_F(DeviceOptionsTest, WrongDevicesAreErrors) {
  for (const char *wrong :
       {"gpu", "opencl:", "opencl:x", "opencl:-1", "opencl:+1", "opencl: 1",
        "opencl:99999", "Opencl", "cuda0", "cuda,", ",cuda", "host,cuda",
        "auto,cuda", " cuda", "cuda:1 "})
    EXPECT_NE(read("SLUICE_DEVICE", wrong).find("is no device; expected"),
              std::string::npos)
        << wrong;
  EXPECT_EQ(read("SLUICE_DEVICE", "cuda:1,cuda:1"),
            "SLUICE_DEVICE is 'cuda:1,cuda:1', which names 'cuda:1' twice");
  EXPECT_EQ(read("SLUICE_DEVICE", "gpu"),
            "SLUICE_DEVICE is 'gpu', where 'gpu' is no device; expected "
            "'auto', 'host', or devices separated by commas: 'opencl', "
            "'opencl:N', 'cuda' or 'cuda:N', which 'sluice devices' lists");
}

TEST_F(DeviceOptionsTest, Policies) {
  struct Case {
    const char *text;
    PlacementPolicy policy;
    Names places;
    bool keepsTimes = true;
  };
  for (const Case &one : {
           Case{"default", PlacementPolicy::Default, {}},
           Case{"constant:opencl:3", PlacementPolicy::Constant, {"opencl:3"}},
           Case{"constant:host", PlacementPolicy::Constant, {"host"}},
           Case{"node", PlacementPolicy::Node, {}},
           Case{"iteration", PlacementPolicy::Iteration, {}},
           Case{"iteration:host,device,cuda:0",
                PlacementPolicy::Iteration,
                {"host", "device", "cuda:0"}},
           Case{"status", PlacementPolicy::Status, {}},
           Case{"history", PlacementPolicy::History, {}},
           Case{"history:off", PlacementPolicy::History, {}, false},
       }) {
    EXPECT_EQ(read("SLUICE_PLACEMENT", one.text), "");
    EXPECT_EQ(options.placement.policy, one.policy) << one.text;
    EXPECT_EQ(options.placement.places, one.places) << one.text;
    EXPECT_EQ(options.placement.keepsTimes, one.keepsTimes) << one.text;
  }
}

TEST_F(DeviceOptionsTest, WrongPoliciesAreErrors) {
  for (const char *wrong :
       {"fast", "constant", "constant:host,host", "history:on",
        "history:", "node:", "status:1", "Node", "node ", "host"})
    EXPECT_NE(read("SLUICE_PLACEMENT", wrong).find("is no policy, expected"),
              std::string::npos)
        << wrong;
  for (const char *wrong :
       {"constant:", "constant:gpu", "iteration:", "iteration:host,",
        "iteration:host,opencl:", "iteration:,"})
    EXPECT_NE(read("SLUICE_PLACEMENT", wrong).find("names the place"),
              std::string::npos)
        << wrong;
  EXPECT_EQ(read("SLUICE_PLACEMENT", "constant:gpu"),
            "SLUICE_PLACEMENT: 'constant:gpu' names the place 'gpu', expected "
            "'host', 'device', or a device as 'opencl:0'");
}

TEST_F(DeviceOptionsTest, Memory) {
  const std::pair<const char *, uint64_t> cases[] = {
      {"1", 1},           {"4096", 4096},
      {"3K", 3072},       {"512M", 512ull << 20},
      {"2G", 2ull << 30}, {"8589934591G", 8589934591ull << 30}};
  for (const auto &[text, bytes] : cases) {
    EXPECT_EQ(read("SLUICE_DEVICE_MEMORY", text), "");
    EXPECT_EQ(options.memory, bytes);
  }
  for (const char *wrong :
       {"0", "-1", "+1", "M", "1T", "1.5G", "1 G", "1MB", "1m", "0x10",
        "8589934592G", "99999999999999999999"})
    EXPECT_EQ(read("SLUICE_DEVICE_MEMORY", wrong),
              "SLUICE_DEVICE_MEMORY is '" + std::string(wrong) +
                  "', expected a number of bytes, at least 1, with K, M or G "
                  "for powers of 1024, as in '512M'");
}

TEST_F(DeviceOptionsTest, Share) {
  EXPECT_EQ(read("SLUICE_SHARE", "1"), "");
  EXPECT_TRUE(options.share);
  EXPECT_EQ(read("SLUICE_SHARE", "0"), "");
  EXPECT_FALSE(options.share);
  for (const char *wrong : {"2", "yes", "01", " 1"})
    EXPECT_EQ(read("SLUICE_SHARE", wrong),
              "SLUICE_SHARE is '" + std::string(wrong) + "', expected 0 or 1");
}
