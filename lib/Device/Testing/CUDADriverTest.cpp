//===- CUDADriverTest.cpp - Finding and opening CUDA devices --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how the driver is found and opened, the messages if it is missing, too
// old or broken, and the choice of device and image.
//
//===----------------------------------------------------------------------===//

#include "../CUDA/CUDAModule.h"
#include "CUDATesting.h"
#include "sluice/Base/TableHead.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

static std::string problemOf(const char *path) {
  Result<std::unique_ptr<cuda::Driver>> driver = cuda::openDriver(path);
  return driver.ok() ? "" : driver.status().message();
}

static std::vector<Found> findCUDADevices() {
  std::vector<Found> all = findDevices();
  std::erase_if(all, [](const Found &found) {
    return found.properties.kind != Kind::CUDA;
  });
  return all;
}

static FakeCUDAOptions with(void (*change)(FakeCUDAOptions &)) {
  FakeCUDAOptions options;
  change(options);
  return options;
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

TEST(CUDADriver, IsAbsent) {
  EXPECT_EQ(problemOf("/nowhere/libcuda.so.1"),
            "no CUDA driver (/nowhere/libcuda.so.1: cannot open shared object "
            "file: No such file or directory); install NVIDIA's driver, on "
            "Debian the packages 'nvidia-driver' and 'libcuda1', or set "
            "SLUICE_CUDA_LIBRARY to the path of libcuda.so.1");
}

TEST(CUDADriver, HasNotAllFunctions) {
  EXPECT_EQ(problemOf("libm.so.6"),
            "'libm.so.6' has no function 'cuInit'; Sluice needs the driver of "
            "CUDA 11.4 or newer");
}

TEST(CUDADriver, IsTooOld) {
  fakeCUDA().reset(with([](FakeCUDAOptions &o) { o.version = 10020; }));
  EXPECT_EQ(problemOf(SLUICE_FAKE_CUDA),
            "the driver is of CUDA 10.2, Sluice needs CUDA 11.4 or newer");
}

TEST(CUDADriver, SaysWhyItDoesNotStart) {
  fakeCUDA().failCall("cuInit", 803);
  EXPECT_EQ(problemOf(SLUICE_FAKE_CUDA),
            "cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (system has unsupported "
            "display driver / cuda driver combination)");
  fakeCUDA().failCall("cuInit", 987);
  EXPECT_EQ(problemOf(SLUICE_FAKE_CUDA), "cuInit: CUDA error 987");
}

TEST(CUDADriver, FindsNoDevice) {
  fakeCUDA().reset(with([](FakeCUDAOptions &o) { o.numDevices = 0; }));
  std::vector<Found> found = findCUDADevices();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].properties.name, "cuda");
  EXPECT_EQ(found[0].problem, "the CUDA driver finds no device (a setting of "
                              "CUDA_VISIBLE_DEVICES may hide them)");
  EXPECT_EQ(openDevice("cuda", {}).status().message(), found[0].problem);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TEST(CUDADevices, AreDescribed) {
  fakeCUDA().reset(with([](FakeCUDAOptions &o) { o.numDevices = 2; }));
  std::vector<Found> found = findCUDADevices();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].problem, "");
  const Properties &properties = found[1].properties;
  EXPECT_EQ(properties.name, "cuda:1");
  EXPECT_EQ(properties.description, "Fake H100 1");
  EXPECT_EQ(properties.driver, "CUDA 13.0");
  EXPECT_EQ(properties.target, "sm_90");
  EXPECT_TRUE(properties.isAccelerator);
  EXPECT_FALSE(properties.sharesMemory);
  EXPECT_EQ(properties.memory, uint64_t(1) << 30);
  EXPECT_EQ(properties.localMemory, 232448u);
  EXPECT_EQ(properties.maxGroup, 1024u);
  EXPECT_EQ(properties.maxItems, (std::array<uint64_t, 3>{1024, 1024, 64}));
  EXPECT_EQ(properties.maxGrid,
            (std::array<uint64_t, 3>{2147483647, 65535, 65535}));
  EXPECT_EQ(properties.computeUnits, 132u);
  EXPECT_EQ(properties.formats,
            std::vector<SluiceDeviceFormat>{SLUICE_DEVICE_PTX});
}

TEST(CUDADevices, MayBeProhibited) {
  fakeCUDA().reset(with([](FakeCUDAOptions &o) { o.computeMode = 2; }));
  std::vector<Found> found = findCUDADevices();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].problem, "its compute mode is 'prohibited'; change it "
                              "with nvidia-smi --compute-mode=0");
  EXPECT_EQ(openDevice("cuda", {}).status().message(),
            "device cuda:0 cannot be used: " + found[0].problem);
}

TEST(CUDADevices, AreNamedWhenOneIsMissing) {
  fakeCUDA().reset(with([](FakeCUDAOptions &o) { o.numDevices = 2; }));
  EXPECT_EQ(openDevice("cuda:2", {}).status().message(),
            "there is no device cuda:2, only cuda:0, cuda:1");
}

TEST(CUDADevices, SayWhatFailedWhenOneIsDescribed) {
  fakeCUDA().failCall("cuDeviceTotalMem", 999);
  std::vector<Found> found = findCUDADevices();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].problem, "cuDeviceTotalMem: CUDA error 999");
}

TEST(CUDADevices, OfOtherContextsStayCurrent) {
  fakeCUDA().reset(with([](FakeCUDAOptions &o) { o.numDevices = 2; }));
  const cuda::Api &api = (*cuda::theDriver())->api;
  std::thread([&] {
    // A thread of a program that uses device 1 by itself.
    cuda::ContextHandle other = nullptr, current = nullptr;
    ASSERT_EQ(api.cuDevicePrimaryCtxRetain(&other, 1), 0);
    ASSERT_EQ(api.cuCtxSetCurrent(other), 0);
    auto device = must(openDevice("cuda:0", {}));
    auto buffer = must(device->allocate(4));
    auto queue = must(device->createQueue());
    uint32_t in = 7, out = 0;
    must(queue->write(*buffer, 0, &in, 4));
    must(queue->read(&out, *buffer, 0, 4));
    must(queue->finish());
    EXPECT_EQ(out, 7u);
    EXPECT_EQ(api.cuCtxGetCurrent(&current), 0);
    EXPECT_EQ(current, other);
  }).join();
}

/// CUDA's runtime uses device 0 in a thread that has selected none.
TEST(CUDADevices, BeyondTheFirstDoNotStayCurrent) {
  fakeCUDA().reset(with([](FakeCUDAOptions &o) { o.numDevices = 2; }));
  const cuda::Api &api = (*cuda::theDriver())->api;
  std::thread([&] {
    auto device = must(openDevice("cuda:1", {}));
    auto buffer = must(device->allocate(4));
    cuda::ContextHandle current = nullptr;
    EXPECT_EQ(api.cuCtxGetCurrent(&current), 0);
    EXPECT_EQ(current, nullptr);
  }).join();
}

TEST(CUDADevices, RefuseToWorkInForkedProcesses) {
  auto device = must(openDevice("cuda:0", {}));
  auto buffer = must(device->allocate(16));
  auto queue = must(device->createQueue());
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    uint32_t value = 0;
    bool isRefused = !openDevice("cuda:0", {}).ok() &&
                     !device->allocate(16).ok() && !device->isUsable() &&
                     !queue->write(*buffer, 0, &value, 4).ok() &&
                     !queue->finish().ok();
    // Destructors must not call the driver either.
    queue.reset();
    buffer.reset();
    device.reset();
    _exit(isRefused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(device->isUsable());
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// The target of the chosen image, or the message.
static std::string chosen(std::vector<const char *> targets,
                          const char *device) {
  std::vector<SluiceDeviceImage> images;
  images.push_back({SLUICE_DEVICE_SPIRV, 0, "", "", 1});
  for (const char *target : targets)
    images.push_back({SLUICE_DEVICE_PTX, 0, target, "", 1});
  SluiceDeviceModule module{
      tableHead<SluiceDeviceModule>, "kernels", "0", images.data(),
      uint32_t(images.size()),       0};
  Result<const SluiceDeviceImage *> image =
      cuda::chooseImage(module, "cuda:0", device);
  return image.ok() ? (*image)->target : image.status().message();
}

TEST(CUDAImages, AreTheNewestThatRun) {
  EXPECT_EQ(chosen({"sm_75", "sm_80", "sm_90"}, "sm_86"), "sm_80");
  EXPECT_EQ(chosen({"sm_100", "sm_75", "sm_90"}, "sm_120"), "sm_100");
  EXPECT_EQ(chosen({"sm_90"}, "sm_90"), "sm_90");
  EXPECT_EQ(chosen({"sm_90", "sm_90a"}, "sm_90"), "sm_90a");
  EXPECT_EQ(chosen({"sm_90a", "sm_80"}, "sm_100"), "sm_80");
  EXPECT_EQ(chosen({"sm_100f", "sm_90"}, "sm_103"), "sm_100f");
  EXPECT_EQ(chosen({"sm_100f", "sm_90"}, "sm_120"), "sm_90");
}

TEST(CUDAImages, AreRefusedIfTheyAreTooNew) {
  EXPECT_EQ(chosen({"sm_80", "sm_90"}, "sm_75"),
            "'kernels' holds SPIR-V, PTX for sm_80, PTX for sm_90, but device "
            "cuda:0 needs PTX for sm_75 or an older chip");
  EXPECT_EQ(chosen({"sm_1x"}, "sm_75"),
            "'kernels' holds SPIR-V, PTX for sm_1x, but device cuda:0 needs "
            "PTX for sm_75 or an older chip");
}

TEST(CUDAImages, EndWithAZeroByte) {
  SluiceDeviceImage image{SLUICE_DEVICE_PTX, 0, "sm_75", "abc", 3};
  SluiceDeviceModule module{
      tableHead<SluiceDeviceModule>, "kernels", "0", &image, 1, 0};
  EXPECT_EQ(cuda::chooseImage(module, "cuda:0", "sm_75").status().message(),
            "the PTX for sm_75 of 'kernels' does not end with a zero byte");
}
