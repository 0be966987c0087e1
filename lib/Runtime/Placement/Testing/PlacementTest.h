//===- PlacementTest.h - Devices and plans for tests of placement ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices under any name, which are the host's device, and plans whose nodes
// have a kernel there.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEMENT_TESTING_PLACEMENTTEST_H
#define SLUICE_RUNTIME_PLACEMENT_TESTING_PLACEMENTTEST_H

#include "../../Memory/Tracker.h"
#include "../../Plan/Testing/PlanBuilder.h"
#include "../../Trace/Trace.h"
#include "../Placement.h"
#include "TestFolder.h"

#include "sluice/Base/TableHead.h"
#include "sluice/Base/Text.h"

#include <atomic>
#include <gtest/gtest.h>

namespace sluice::test {

inline constexpr SluiceTarget cpu = SLUICE_TARGET_CPU, gpu = SLUICE_TARGET_GPU,
                              either = SLUICE_TARGET_CPU_OR_GPU;

/// The host's device under another name. Queues, loading and the device itself
/// fail on command.
class NamedDevice final : public device::Device {
public:
  static inline std::atomic<bool> isLost{false};
  static inline std::atomic<bool> failsToLoad{false};
  static inline std::atomic<unsigned> numOpened{0}, numLoads{0};

  NamedDevice(std::unique_ptr<device::Device> device, const std::string &name)
      : inner(std::move(device)) {
    theProperties = inner->properties();
    theProperties.name = name;
    theProperties.description = "test " + name;
    ++numOpened;
  }
  Result<std::unique_ptr<device::Buffer>> allocate(uint64_t size) override {
    return inner->allocate(size);
  }
  Result<void *> allocateHost(uint64_t size) override {
    return inner->allocateHost(size);
  }
  void freeHost(void *memory) override { inner->freeHost(memory); }
  Result<std::unique_ptr<device::Queue>> createQueue() override {
    return inner->createQueue();
  }
  Result<std::unique_ptr<device::Module>>
  load(const SluiceDeviceModule &module) override {
    ++numLoads;
    if (failsToLoad)
      return Status::error(StatusCode::System, "line 1: no such thing");
    return std::unique_ptr<device::Module>(std::make_unique<OneKernel>());
  }
  bool isUsable() override { return !isLost; }

  /// DeviceOptions::open: any device up to number 3; "opencl" is "opencl:0".
  static Result<std::unique_ptr<device::Device>>
  open(const std::string &name, const device::OpenOptions &options) {
    std::string full = name.find(':') == name.npos ? name + ":0" : name;
    if (full.back() > '3')
      return Status::error(StatusCode::System, "there is no such device");
    Result<std::unique_ptr<device::Device>> host =
        device::openDevice("host", options);
    if (!host.ok())
      return host.takeStatus();
    return std::unique_ptr<device::Device>(
        std::make_unique<NamedDevice>(std::move(*host), full));
  }
  /// DeviceOptions::find: one device that is the host's cores, and one that
  /// is none.
  static std::vector<device::Found> find() {
    std::vector<device::Found> found(3);
    found[0].properties.name = "cuda:0";
    found[0].properties.isAccelerator = true;
    found[0].problem = "its driver is too old";
    found[1].properties.name = "opencl:0";
    found[2].properties.name = "opencl:1";
    found[2].properties.isAccelerator = true;
    return found;
  }
  static std::vector<device::Found> findNothing() { return {}; }

private:
  /// For every entry the same kernel, which is never launched.
  struct OneKernel final : device::Module {
    device::DeviceKernel theKernel;
    Result<device::DeviceKernel *> kernel(const char *) override {
      return &theKernel;
    }
  };
  std::unique_ptr<device::Device> inner;
};

/// A plan of several nodes of `size` instances that have a device kernel.
class PlacedPlan {
public:
  explicit PlacedPlan(std::vector<SluiceTarget> targets, int64_t size = 64,
                      const char *name = "graph")
      : builder(name) {
    bytes = builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT) + 8;
    kernel.entry = "kernel";
    for (SluiceTarget target : targets) {
      names.push_back(concat(name, "/n", names.size()));
      uint32_t node = builder.node(names.back().c_str(), nothing, {size});
      builder.at(node).target = target;
      builder.at(node).device = &kernel;
      builder.at(node).deviceProblem = "";
    }
  }
  const SluicePlan &finish() {
    plan = *builder.finish();
    module.head = tableHead<SluiceDeviceModule>;
    module.name = "placed.c";
    module.hash = hash.c_str();
    plan.deviceModule = &module;
    return plan;
  }

  PlanBuilder builder;
  uint64_t bytes; ///< where the size of the data stands
  SluicePlanDeviceKernel kernel = {};
  SluiceDeviceModule module = {};
  std::string hash = "0123456789abcdef";
  std::deque<std::string> names;
  SluicePlan plan = {};

private:
  static void nothing(const SluiceInvocation *, uint64_t, uint64_t) {}
};

/// Everything that placement needs, without a runtime.
class PlacementTest : public testing::Test {
protected:
  void SetUp() override {
    NamedDevice::isLost = NamedDevice::failsToLoad = false;
    NamedDevice::numOpened = NamedDevice::numLoads = 0;
    options.open = NamedDevice::open;
    options.find = NamedDevice::find;
    options.names = {"opencl:0", "opencl:1"};
  }
  /// With the options as they are now.
  void start(Trace *trace = nullptr) {
    placement.reset();
    tracker.reset();
    devices.reset();
    tracker = std::make_unique<MemoryTracker>();
    devices = std::make_unique<DeviceSet>(options, cache.path, trace, *tracker);
    placement =
        std::make_unique<Placement>(options, *devices, cache.path, 4u, trace);
  }
  void setPolicy(const char *text) {
    Result<PlacementRule> rule = PlacementRule::parse(text);
    ASSERT_TRUE(rule.ok()) << rule.status().message();
    options.placement = *rule;
  }
  PlanInfo &prepare(const SluicePlan &plan) {
    Result<std::unique_ptr<PlanInfo>> info = PlanInfo::create(plan);
    EXPECT_EQ(info.status().message(), "");
    infos.push_back(std::move(*info));
    EXPECT_EQ(placement->prepare(*infos.back()).message(), "");
    return *infos.back();
  }
  std::string prepareError(const SluicePlan &plan) {
    Result<std::unique_ptr<PlanInfo>> info = PlanInfo::create(plan);
    return placement->prepare(**info).message();
  }
  std::vector<NodePlace> chooseAll(const PlanInfo &info, uint64_t number = 0) {
    std::vector<unsigned char> frame(info.frameBytes);
    std::memcpy(frame.data() + info.plan.arguments[1].frameOffset, &bytes, 8);
    std::vector<NodePlace> places(info.nodes.size());
    placement->choose(info, frame.data(), number, places);
    return places;
  }
  MemoryPlace choose(const PlanInfo &info, uint64_t number = 0) {
    return chooseAll(info, number).front().place;
  }

  DeviceOptions options;
  TestFolder cache;
  uint64_t bytes = 0;
  std::vector<std::unique_ptr<PlanInfo>> infos;
  std::unique_ptr<DeviceSet> devices;
  std::unique_ptr<MemoryTracker> tracker;
  std::unique_ptr<Placement> placement;
};

} // namespace sluice::test

#endif // SLUICE_RUNTIME_PLACEMENT_TESTING_PLACEMENTTEST_H
