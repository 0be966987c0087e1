//===- CUDATest.cpp - Tests specific to CUDA devices ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses the fake driver, with functions of these tests as kernels.
//
//===----------------------------------------------------------------------===//

#include "../CUDA/CUDAQueue.h"
#include "CUDATesting.h"

#include <condition_variable>
#include <sys/mman.h>
#include <thread>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

//===----------------------------------------------------------------------===//
// The fixture
//===----------------------------------------------------------------------===//

static void runAdd(FakeLaunch &launch) {
  auto count = launch.parameter<uint32_t>(1);
  auto *values = launch.array<uint32_t>(launch.parameter<uint64_t>(0), count);
  for (uint32_t i = 0; values && i < count; ++i)
    values[i] += launch.parameter<uint32_t>(2);
}

static const PTXModuleText twoKernels(
    std::string(ptxHeader) +
    ".extern .shared .align 16 .b8 memory[];\n"
    ".shared .align 4 .b8 fixed[1024];\n"
    ".visible .entry add(.param .u64 a, .param .u32 n, .param .u32 v) {ret;}\n"
    ".visible .entry locals(.param .u64 a, .param .u64 b, .param .u32 c)\n"
    ".maxntid 512, 1, 1 { ret; }\n");

void CUDATest::load() {
  module = must(device->load(twoKernels.module));
  addKernel = must(module->kernel("add"));
  localsKernel = must(module->kernel("locals"));
  fakeCUDA().setKernel("add", runAdd);
}

Result<Event> CUDATest::add(Buffer &buffer, uint32_t amount,
                            std::span<const Event> after, Queue *on) {
  uint32_t count = uint32_t(buffer.size / 4);
  return (on ? on : queue.get())
      ->launch(*addKernel, {{4, 1, 1}, {64, 1, 1}},
               std::array{memory(buffer), value(count), value(amount)}, after);
}

std::unique_ptr<Buffer> CUDATest::zeros(uint64_t count) {
  auto buffer = must(device->allocate(count * 4));
  std::vector<uint32_t> zero(count);
  must(must(queue->write(*buffer, 0, zero.data(), count * 4)).wait());
  return buffer;
}

std::vector<uint32_t> CUDATest::contents(Buffer &buffer) {
  std::vector<uint32_t> values(buffer.size / 4);
  must(must(queue->read(values.data(), buffer, 0, buffer.size)).wait());
  return values;
}

static std::string messageOf(const Result<Event> &result) {
  return result.status().message();
}

//===----------------------------------------------------------------------===//
// Queues and events
//===----------------------------------------------------------------------===//

TEST_F(CUDATest, QueuesWaitForEventsOfEachOther) {
  open();
  load();
  auto other = must(device->createQueue());
  auto buffer = zeros(100);
  Event last;
  for (uint32_t i = 0; i < 50; ++i) {
    Queue &next = i % 2 ? *queue : *other;
    last = must(add(*buffer, i, std::array{last}, &next));
  }
  must(last.wait());
  EXPECT_EQ(contents(*buffer), std::vector<uint32_t>(100, 50 * 49 / 2));
}

TEST_F(CUDATest, EventsEndWithTheirOperation) {
  open();
  load();
  auto buffer = zeros(4);
  fakeCUDA().hold(true);
  Event event = must(add(*buffer, 1));
  EXPECT_FALSE(event.hasEnded());
  fakeCUDA().hold(false);
  must(event.wait());
  EXPECT_TRUE(event.hasEnded());
}

TEST_F(CUDATest, LaunchingCallsNothingButTheLaunch) {
  open();
  load();
  auto buffer = zeros(4);
  must(add(*buffer, 1));
  uint64_t created = fakeCUDA().countCalls("cuEventCreate");
  std::vector<std::string> calls{"cuLaunchKernel", "cuEventRecord",
                                 "cuCtxGetCurrent", "cuCtxSetCurrent",
                                 "cuStreamWaitEvent"};
  std::vector<uint64_t> before;
  for (const std::string &call : calls)
    before.push_back(fakeCUDA().countCalls(call));
  Event last;
  for (int i = 0; i < 100; ++i)
    last = must(add(*buffer, 1, std::array{last}));
  std::vector<uint64_t> after;
  for (size_t i = 0; i < calls.size(); ++i)
    after.push_back(fakeCUDA().countCalls(calls[i]) - before[i]);
  EXPECT_EQ(after, (std::vector<uint64_t>{100, 100, 100, 0, 0}));
  must(last.wait());
  // `last` is kept while the next one is made.
  EXPECT_LE(fakeCUDA().countCalls("cuEventCreate"), created + 2);
}

/// The comparison of the device's clock with the host's is as precise as the
/// time of a call, which may be long on a busy machine. So a few devices are
/// tried.
TEST_F(CUDATest, TimesAreThoseOfTheHostsClock) {
  auto now = [] {
    return uint64_t(
        std::chrono::steady_clock::now().time_since_epoch().count());
  };
  constexpr uint64_t slack = 1000000;
  bool isWithinSlack = false;
  for (int attempt = 0; attempt < 100 && !isWithinSlack; ++attempt) {
    open({.withTiming = true, .cacheDirectory = ""});
    load();
    auto buffer = zeros(4);
    uint64_t before = now();
    Event first = must(add(*buffer, 1)), second = must(add(*buffer, 1));
    must(second.wait());
    uint64_t after = now();
    TimeInterval one = must(first.interval()), two = must(second.interval());
    EXPECT_LE(one.start, one.end);
    EXPECT_LE(two.start, two.end);
    isWithinSlack = before <= one.start + slack &&
                    one.end <= two.start + slack && two.end <= after + slack;
    first = second = Event();
    buffer.reset();
    module.reset();
    queue.reset();
    device.reset();
  }
  EXPECT_TRUE(isWithinSlack);
}

TEST_F(CUDATest, TimesAreRefusedWithoutTiming) {
  open();
  load();
  auto buffer = zeros(4);
  Event event = must(add(*buffer, 1));
  must(event.wait());
  EXPECT_EQ(event.interval().status().message(),
            "device cuda:0 was opened without timing, so the times of its "
            "operations are not known");
}

namespace {
/// The statuses from delivered notifications.
struct Inbox {
  static void deliver(void *inbox, Status status) {
    auto *self = static_cast<Inbox *>(inbox);
    std::lock_guard lock(self->mutex);
    self->messages.push_back(status.message());
    self->changed.notify_all();
  }
  std::vector<std::string> wait(size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return messages.size() >= count; });
    return messages;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> messages;
};
} // namespace

TEST_F(CUDATest, NotificationsComeAfterWhatWasBefore) {
  open();
  load();
  auto buffer = zeros(4);
  Inbox inbox;
  std::vector<uint32_t> values(4);
  must(add(*buffer, 3));
  must(queue->read(values.data(), *buffer, 0, 16));
  must(queue->notify(Inbox::deliver, &inbox));
  EXPECT_EQ(inbox.wait(1), std::vector<std::string>{""});
  EXPECT_EQ(values, std::vector<uint32_t>(4, 3));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TEST_F(CUDATest, KernelsAreInspected) {
  open();
  load();
  EXPECT_EQ(addKernel->maxGroup, 1024u);
  // As many items at the same time as with 1024.
  EXPECT_EQ(addKernel->goodGroup, 256u);
  EXPECT_EQ(localsKernel->maxGroup, 512u);
  EXPECT_EQ(module->kernel("sub").status().message(),
            "kernels 'test kernels' have no 'sub'; there are: add, locals");
}

TEST_F(CUDATest, LocalMemoryIsPassedAsOffsets) {
  open();
  load();
  FakeLaunch *seen = nullptr;
  uint64_t first = 1, second = 1;
  unsigned shared = 0;
  fakeCUDA().setKernel("locals", [&](FakeLaunch &launch) {
    seen = &launch;
    first = launch.parameter<uint64_t>(0);
    second = launch.parameter<uint64_t>(1);
    shared = launch.shared;
  });
  uint32_t count = 1;
  must(queue->launch(*localsKernel, {},
                     std::array{local(20), local(100), value(count)}));
  must(queue->finish());
  EXPECT_NE(seen, nullptr);
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(second, 32u);
  EXPECT_EQ(shared, 132u);
  EXPECT_EQ(fakeCUDA().countCalls("cuFuncSetAttribute"), 0u);
}

TEST_F(CUDATest, MuchLocalMemoryIsAskedForOnce) {
  open();
  load();
  fakeCUDA().setKernel("locals", [](FakeLaunch &) {});
  uint32_t count = 1;
  auto launch = [&](uint64_t size) {
    return queue->launch(*localsKernel, {},
                         std::array{local(size), local(16), value(count)});
  };
  must(launch(48 * 1024 - 1024 - 16));
  EXPECT_EQ(fakeCUDA().countCalls("cuFuncSetAttribute"), 0u);
  must(launch(48 * 1024));
  must(launch(200 * 1024));
  EXPECT_EQ(fakeCUDA().countCalls("cuFuncSetAttribute"), 1u);
  // 232448 bytes, less the kernel's own 1024.
  EXPECT_EQ(messageOf(launch(231424)),
            "kernel 'locals' is given 231440 bytes of local memory per group, "
            "but can have 231424 on device cuda:0");
  must(queue->finish());
}

/// Threads begin without a context, and each device has one.
TEST_F(CUDATest, MuchLocalMemoryIsAskedForByAnyThread) {
  fakeCUDA().reset({.numDevices = 2});
  for (const char *name : {"cuda:0", "cuda:1"}) {
    device = must(openDevice(name, {}));
    queue = must(device->createQueue());
    load();
    fakeCUDA().setKernel("locals", [](FakeLaunch &) {});
    std::thread([&] {
      uint32_t count = 1;
      must(
          queue->launch(*localsKernel, {},
                        std::array{local(64 * 1024), local(16), value(count)}));
    }).join();
    must(queue->finish());
    EXPECT_TRUE(fakeCUDA().takeViolations().empty());
    queue.reset(), module.reset(), device.reset();
  }
  fakeCUDA().reset({});
}

TEST_F(CUDATest, ParametersAreNotCountedWhenTheDriverCannotSay) {
  open();
  load();
  fakeCUDA().failCall("cuFuncGetParamInfo", 801);
  module = must(device->load(twoKernels.module));
  addKernel = must(module->kernel("add"));
  auto buffer = zeros(4);
  must(must(add(*buffer, 3)).wait());
  EXPECT_EQ(contents(*buffer), (std::vector<uint32_t>(4, 3)));
}

TEST_F(CUDATest, WrongArgumentsDoNotReachTheDriver) {
  open();
  load();
  auto buffer = zeros(4);
  uint64_t wide = 1;
  uint32_t count = 1;
  EXPECT_EQ(messageOf(queue->launch(
                *addKernel, {},
                std::array{memory(*buffer), value(wide), value(count)})),
            "argument 1 of kernel 'add' has 4 bytes, but is given 8");
  EXPECT_FALSE(
      queue->launch(*addKernel, {}, std::array{memory(*buffer), value(count)})
          .ok());
  EXPECT_FALSE(queue
                   ->launch(*localsKernel, {{1, 1, 1}, {513, 1, 1}},
                            std::array{local(4), local(4), value(count)})
                   .ok());
  EXPECT_FALSE(
      add(*buffer, 1, {}, nullptr).ok() &&
      queue
          ->launch(*addKernel, {{1, 65536, 1}, {1, 1, 1}},
                   std::array{memory(*buffer), value(count), value(count)})
          .ok());
  EXPECT_EQ(fakeCUDA().countCalls("cuLaunchKernel"), 1u);
  must(queue->finish());
}

TEST_F(CUDATest, EmptyGridsAreNoLaunches) {
  open();
  load();
  auto buffer = zeros(4);
  uint32_t count = 4;
  Event event = must(
      queue->launch(*addKernel, {{0, 1, 1}, {64, 1, 1}},
                    std::array{memory(*buffer), value(count), value(count)}));
  must(event.wait());
  EXPECT_EQ(contents(*buffer), std::vector<uint32_t>(4));
}

TEST_F(CUDATest, BuildErrorsBringTheLog) {
  open();
  PTXModuleText wrong(std::string(ptxHeader) + ".visible .entry f( { ret; }");
  EXPECT_EQ(device->load(wrong.module).status().message(),
            "cannot build 'test kernels', PTX for sm_75, on sm_90: device "
            "cuda:0: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (a PTX JIT "
            "compilation failed)\nptxas application ptx input: expected "
            "'.param' before '{'");
  EXPECT_TRUE(device->isUsable());
}

TEST_F(CUDATest, ObjectsOfOtherDevicesAreRefused) {
  fakeCUDA().reset([] {
    FakeCUDAOptions options;
    options.numDevices = 2;
    return options;
  }());
  open();
  load();
  auto other = must(openDevice("cuda:1", {}));
  auto otherQueue = must(other->createQueue());
  auto otherBuffer = must(other->allocate(16));
  auto buffer = zeros(4);
  uint32_t word = 0;
  auto foreign = [](const Result<Event> &result) {
    return result.status().message();
  };
  std::string buffers = foreign(queue->write(*otherBuffer, 0, &word, 4));
  EXPECT_NE(buffers, "");
  EXPECT_EQ(foreign(add(*otherBuffer, 1)), buffers);
  EXPECT_FALSE(add(*buffer, 1, {}, otherQueue.get()).ok());
  Event event = must(otherQueue->write(*otherBuffer, 0, &word, 4));
  EXPECT_FALSE(add(*buffer, 1, std::array{event}).ok());
  must(event.wait());
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(CUDATest, IllegalAddressesLoseTheDevice) {
  open();
  load();
  auto buffer = zeros(4);
  fakeCUDA().setKernel("add", [](FakeLaunch &launch) { launch.fail(700); });
  Inbox inbox;
  fakeCUDA().hold(true);
  Event event = must(add(*buffer, 1));
  must(queue->notify(Inbox::deliver, &inbox));
  fakeCUDA().hold(false);
  auto isLost = [](const std::string &message) {
    return message.starts_with("device cuda:0 is lost: ") &&
           message.ends_with(": CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory "
                             "access was encountered)");
  };
  EXPECT_PRED1(isLost, event.wait().message());
  EXPECT_FALSE(device->isUsable());
  EXPECT_TRUE(event.hasEnded());
  EXPECT_PRED1(isLost, event.wait().message());
  EXPECT_PRED1(isLost, messageOf(add(*buffer, 1)));
  EXPECT_PRED1(isLost, device->allocate(4).status().message());
  EXPECT_PRED1(isLost, device->createQueue().status().message());
  EXPECT_PRED1(isLost, queue->finish().message());
  EXPECT_PRED1(isLost, queue->notify(Inbox::deliver, &inbox).message());
  EXPECT_EQ(inbox.wait(1),
            std::vector<std::string>{
                "device cuda:0 is lost: an operation of a queue: "
                "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
                "encountered)"});
  // The driver frees nothing of a lost device.
  queue.reset(), buffer.reset(), module.reset(), event = Event();
  device.reset();
  fakeCUDA().reset({});
}

TEST_F(CUDATest, NotificationsTellOfTheLossFirst) {
  open();
  load();
  auto buffer = zeros(4);
  Inbox inbox;
  fakeCUDA().hold(true);
  must(add(*buffer, 1));
  must(queue->notify(Inbox::deliver, &inbox));
  fakeCUDA().lose(0, 719);
  fakeCUDA().hold(false);
  EXPECT_EQ(inbox.wait(1),
            std::vector<std::string>{
                "device cuda:0 is lost: an operation of a queue: "
                "CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)"});
  EXPECT_FALSE(device->isUsable());
  queue.reset(), buffer.reset(), module.reset(), device.reset();
  fakeCUDA().reset({});
}

TEST_F(CUDATest, FullMemoryIsNoLoss) {
  open();
  auto most = must(device->allocate(uint64_t(1) << 30));
  Result<std::unique_ptr<Buffer>> more = device->allocate(100);
  EXPECT_EQ(more.status().code(), StatusCode::Exhausted);
  EXPECT_EQ(more.status().message(),
            "cannot allocate 100 bytes: device cuda:0: cuMemAlloc: "
            "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_TRUE(device->isUsable());
  most.reset();
  EXPECT_TRUE(device->allocate(100).ok());
  fakeCUDA().failCall("cuMemAllocHost", 2);
  EXPECT_EQ(device->allocateHost(100).status().code(), StatusCode::Exhausted);
}

TEST_F(CUDATest, FailedCallsAreNamed) {
  open();
  load();
  auto buffer = zeros(4);
  uint32_t word = 0;
  fakeCUDA().failCall("cuLaunchKernel", 701);
  EXPECT_EQ(messageOf(add(*buffer, 1)),
            "device cuda:0: cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES "
            "(too many resources requested for launch)");
  fakeCUDA().failCall("cuMemcpyHtoDAsync", 1);
  EXPECT_EQ(messageOf(queue->write(*buffer, 0, &word, 4)),
            "device cuda:0: cuMemcpyHtoDAsync: CUDA_ERROR_INVALID_VALUE "
            "(invalid argument)");
  fakeCUDA().failCall("cuStreamCreate", 2);
  EXPECT_FALSE(device->createQueue().ok());
  fakeCUDA().failCall("cuEventRecord", 400);
  EXPECT_FALSE(add(*buffer, 1).ok());
  EXPECT_TRUE(device->isUsable());
  must(queue->finish());
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Writes a box, reads it back elsewhere, and compares with plain loops.
/// Returns the number of calls for writing.
static uint64_t tryBox(Device &device, Queue &queue, const CopyBox &box,
                       uint64_t deviceSize, uint64_t hostSize) {
  std::vector<unsigned char> host(hostSize), back(hostSize, 0),
      expected(hostSize, 0), memory(deviceSize, 9), wanted(deviceSize, 9);
  for (uint64_t i = 0; i < hostSize; ++i)
    host[i] = static_cast<unsigned char>(i * 7 + 1);
  for (uint64_t z = 0; z < box.layers; ++z)
    for (uint64_t y = 0; y < box.rows; ++y)
      for (uint64_t x = 0; x < box.width; ++x) {
        uint64_t at = z * box.hostLayerPitch + y * box.hostRowPitch + x;
        expected[at] = host[at];
        wanted[box.deviceOffset + z * box.deviceLayerPitch +
               y * box.deviceRowPitch + x] = host[at];
      }
  auto buffer = must(device.allocate(deviceSize));
  must(queue.write(*buffer, 0, memory.data(), deviceSize));
  must(queue.finish());
  auto calls = [] {
    return fakeCUDA().countCalls("cuMemcpy3DAsync") +
           fakeCUDA().countCalls("cuMemcpyHtoDAsync");
  };
  uint64_t before = calls();
  must(queue.writeBox(*buffer, host.data(), box));
  uint64_t taken = calls() - before;
  must(queue.readBox(back.data(), *buffer, box));
  must(queue.read(memory.data(), *buffer, 0, deviceSize));
  must(queue.finish());
  EXPECT_EQ(back, expected);
  EXPECT_EQ(memory, wanted);
  return taken;
}

TEST_F(CUDATest, BoxesTakeFewCalls) {
  open();
  auto calls = [&](const CopyBox &box) {
    return tryBox(*device, *queue, box, 4096, 4096);
  };
  // Without gaps; rows; layers of whole rows.
  EXPECT_EQ(calls({8, 4, 4, 16, 8, 32, 8, 32}), 1u);
  EXPECT_EQ(calls({8, 4, 1, 16, 32, 0, 8, 0}), 1u);
  EXPECT_EQ(calls({8, 1, 5, 16, 8, 40, 8, 24}), 1u);
  EXPECT_EQ(calls({8, 4, 3, 0, 16, 128, 8, 64}), 1u);
  EXPECT_EQ(calls({8, 4, 3, 0, 8, 32, 8, 40}), 1u);
  // Layers whose distance is not a whole number of rows.
  EXPECT_EQ(calls({8, 4, 3, 0, 16, 72, 16, 64}), 3u);
  // Interleaved rows of layers.
  EXPECT_EQ(calls({8, 4, 2, 0, 32, 8, 32, 8}), 2u);
  // Nothing.
  EXPECT_EQ(calls({0, 4, 2, 0, 32, 8, 32, 8}), 0u);
}

/// CUDA copies rows that are at most 2 GiB apart.
TEST_F(CUDATest, BoxesMayHaveRowsFarApart) {
  constexpr uint64_t pitch = uint64_t(1) << 31;
  void *host = mmap(nullptr, 3 * pitch, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(host, MAP_FAILED);
  auto *bytes = static_cast<unsigned char *>(host);
  bytes[0] = 1, bytes[pitch] = 2, bytes[2 * pitch] = 3;
  open();
  auto buffer = must(device->allocate(16));
  must(queue->writeBox(*buffer, host, {4, 3, 1, 0, 4, 0, pitch, 0}));
  std::vector<unsigned char> out(12);
  must(must(queue->read(out.data(), *buffer, 0, 12)).wait());
  EXPECT_EQ(out,
            (std::vector<unsigned char>{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(fakeCUDA().countCalls("cuMemcpy3DAsync"), 0u);
  // The first row has been enqueued when the second one is refused.
  auto numWaits = fakeCUDA().countCalls("cuStreamSynchronize");
  fakeCUDA().failCall("cuMemcpyHtoDAsync", 1, 1);
  EXPECT_FALSE(
      queue->writeBox(*buffer, host, {4, 3, 1, 0, 4, 0, pitch, 0}).ok());
  EXPECT_EQ(fakeCUDA().countCalls("cuStreamSynchronize"), numWaits + 1);
  munmap(host, 3 * pitch);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST_F(CUDATest, ThreadsUseOneDeviceAtTheSameTime) {
  open();
  load();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto own = must(device->createQueue());
      auto buffer = must(device->allocate(400));
      void *pinned = must(device->allocateHost(400));
      std::fill_n(static_cast<uint32_t *>(pinned), 100, t);
      must(own->write(*buffer, 0, pinned, 400));
      for (uint32_t i = 0; i < 20; ++i)
        must(add(*buffer, i, {}, own.get()));
      must(must(own->read(pinned, *buffer, 0, 400)).wait());
      EXPECT_EQ(*static_cast<uint32_t *>(pinned), t + 190);
      device->freeHost(pinned);
    });
  for (std::thread &thread : threads)
    thread.join();
}
