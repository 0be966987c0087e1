//===- ConformanceMemory.cpp - Buffers and transfers of every device ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the received data with the same operations on vectors.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <cstring>
#include <random>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

using Bytes = std::vector<unsigned char>;

static Bytes randomBytes(uint64_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (unsigned char &byte : bytes)
    byte = static_cast<unsigned char>(random());
  return bytes;
}

TEST_P(Conformance, SaysWhatItIs) {
  const Properties &properties = device->properties();
  EXPECT_EQ(properties.name.find(GetParam().substr(0, 4)), 0u);
  EXPECT_NE(properties.description, "");
  EXPECT_GE(properties.memory, properties.maxBuffer);
  EXPECT_GT(properties.maxBuffer, 0u);
  EXPECT_GT(properties.localMemory, 0u);
  EXPECT_GE(properties.maxGroup, 64u);
  EXPECT_GE(properties.maxItems[0], 64u);
  EXPECT_GE(properties.maxGrid[0], 65535u);
  EXPECT_GT(properties.computeUnits, 0u);
  EXPECT_TRUE(device->isUsable());
  EXPECT_EQ(properties.formats.empty(), properties.kind == Kind::Host);
}

TEST_P(Conformance, AllocatesAnySize) {
  auto queue = createQueue();
  for (uint64_t size : {1u, 3u, 64u, 4096u, 1'000'003u}) {
    auto buffer = allocate(size);
    EXPECT_EQ(buffer->size, size);
    Bytes sent = randomBytes(size, 1), got(size);
    must(queue->write(*buffer, 0, sent.data(), size));
    must(must(queue->read(got.data(), *buffer, 0, size)).wait());
    EXPECT_EQ(got, sent) << size;
  }
}

TEST_P(Conformance, TakesEmptyBuffersAndTransfers) {
  auto empty = allocate(0), other = allocate(8);
  auto queue = createQueue();
  EXPECT_EQ(empty->size, 0u);
  must(must(queue->write(*empty, 0, nullptr, 0)).wait());
  must(must(queue->read(nullptr, *empty, 0, 0)).wait());
  must(must(queue->copy(*empty, 0, *other, 8, 0)).wait());
  must(must(queue->writeBox(*empty, nullptr, {})).wait());
  must(must(queue->readBox(nullptr, *other, {.width = 8, .rows = 0})).wait());
  must(must(queue->readBox(nullptr, *other, {.width = 8, .layers = 0})).wait());
  char byte = 0;
  EXPECT_FALSE(queue->write(*empty, 0, &byte, 1).ok());
}

TEST_P(Conformance, RefusesHugeBuffers) {
  uint64_t largest = device->properties().maxBuffer;
  for (uint64_t size : {largest + 1, UINT64_MAX / 2, UINT64_MAX}) {
    Result<std::unique_ptr<Buffer>> buffer = device->allocate(size);
    ASSERT_FALSE(buffer.ok()) << size;
    EXPECT_EQ(buffer.status().code(), StatusCode::Exhausted);
    EXPECT_NE(buffer.status().message().find(std::to_string(size)),
              std::string::npos)
        << buffer.status().message();
    EXPECT_FALSE(device->allocateHost(size).ok());
  }
  EXPECT_TRUE(device->isUsable());
  EXPECT_TRUE(device->allocate(4096).ok());
}

TEST_P(Conformance, TransfersAtOffsets) {
  constexpr uint64_t size = 5000;
  Bytes model = randomBytes(size, 2);
  auto buffer = allocate(size);
  auto queue = createQueue();
  must(must(queue->write(*buffer, 0, model.data(), size)).wait());
  std::mt19937 random(3);
  // The sources of writes must stay valid until the queue has finished.
  std::vector<Bytes> sources;
  for (unsigned i = 0; i != 50; ++i) {
    uint64_t first = random() % size, count = random() % (size - first + 1);
    sources.push_back(randomBytes(count, i));
    std::copy(sources.back().begin(), sources.back().end(),
              model.begin() + int64_t(first));
    must(queue->write(*buffer, first, sources.back().data(), count));
  }
  for (unsigned i = 0; i != 50; ++i) {
    uint64_t first = random() % size, count = random() % (size - first + 1);
    Bytes got(count);
    must(must(queue->read(got.data(), *buffer, first, count)).wait());
    ASSERT_TRUE(
        std::equal(got.begin(), got.end(), model.begin() + int64_t(first)))
        << first << " " << count;
  }
}

TEST_P(Conformance, CopiesBetweenBuffersAndWithinOne) {
  Bytes model = randomBytes(1000, 4), got(1000);
  auto first = allocate(1000), second = allocate(2000);
  auto queue = createQueue();
  must(queue->write(*first, 0, model.data(), 1000));
  must(queue->copy(*second, 999, *first, 1, 900));
  must(queue->copy(*second, 0, *second, 999, 900));
  must(must(queue->read(got.data(), *second, 0, 900)).wait());
  EXPECT_TRUE(std::equal(got.begin(), got.begin() + 900, model.begin() + 1));
  // Adjacent ranges do not overlap, a common byte does.
  EXPECT_TRUE(queue->copy(*first, 0, *first, 500, 500).ok());
  EXPECT_FALSE(queue->copy(*first, 0, *first, 499, 500).ok());
  EXPECT_FALSE(queue->copy(*first, 7, *first, 7, 1).ok());
  must(queue->finish());
}

TEST_P(Conformance, RefusesRangesOutsideOfBuffers) {
  auto buffer = allocate(100), other = allocate(1000);
  auto queue = createQueue();
  Bytes host(1000);
  struct Case {
    uint64_t offset, size;
  };
  for (Case range : {Case{0, 101}, Case{101, 0}, Case{100, 1}, Case{99, 2},
                     Case{UINT64_MAX, 1}, Case{1, UINT64_MAX},
                     Case{UINT64_MAX, UINT64_MAX}}) {
    auto [offset, size] = range;
    Result<Event> write = queue->write(*buffer, offset, host.data(), size);
    ASSERT_FALSE(write.ok()) << offset << " " << size;
    EXPECT_EQ(write.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(write.status().message().find("100 bytes"), std::string::npos);
    EXPECT_FALSE(queue->read(host.data(), *buffer, offset, size).ok());
    EXPECT_FALSE(queue->copy(*buffer, offset, *other, 0, size).ok());
    EXPECT_FALSE(queue->copy(*other, 0, *buffer, offset, size).ok());
  }
  must(must(queue->read(host.data(), *buffer, 0, 100)).wait());
}

namespace {
/// The position of a run of a box.
struct RowPlace {
  uint64_t device, host;
};
} // namespace

static std::vector<RowPlace> runsOf(const CopyBox &box) {
  std::vector<RowPlace> runs;
  for (uint64_t z = 0; z != box.layers; ++z)
    for (uint64_t y = 0; y != box.rows; ++y)
      runs.push_back(
          {box.deviceOffset + z * box.deviceLayerPitch + y * box.deviceRowPitch,
           z * box.hostLayerPitch + y * box.hostRowPitch});
  return runs;
}

/// Boxes with unaligned pitches, and some with layers between the rows.
static std::vector<CopyBox> boxes() {
  return {{.width = 7},
          {.width = 5,
           .rows = 9,
           .deviceOffset = 3,
           .deviceRowPitch = 13,
           .hostRowPitch = 6},
          {.width = 5,
           .rows = 4,
           .layers = 3,
           .deviceOffset = 1,
           .deviceRowPitch = 7,
           .deviceLayerPitch = 28,
           .hostRowPitch = 5,
           .hostLayerPitch = 20},
          {.width = 5,
           .rows = 4,
           .layers = 3,
           .deviceOffset = 11,
           .deviceRowPitch = 7,
           .deviceLayerPitch = 31,
           .hostRowPitch = 6,
           .hostLayerPitch = 27},
          {.width = 2,
           .rows = 3,
           .layers = 5,
           .deviceOffset = 2,
           .deviceRowPitch = 50,
           .deviceLayerPitch = 3,
           .hostRowPitch = 2,
           .hostLayerPitch = 6},
          {.width = 2,
           .rows = 5,
           .layers = 3,
           .deviceOffset = 0,
           .deviceRowPitch = 2,
           .deviceLayerPitch = 10,
           .hostRowPitch = 6,
           .hostLayerPitch = 2},
          {.width = 16,
           .rows = 1,
           .layers = 4,
           .deviceOffset = 5,
           .deviceRowPitch = 16,
           .deviceLayerPitch = 48,
           .hostRowPitch = 16,
           .hostLayerPitch = 17}};
}

TEST_P(Conformance, WritesBoxes) {
  constexpr uint64_t size = 400;
  for (const CopyBox &box : boxes()) {
    Bytes model = randomBytes(size, 5), host = randomBytes(size, 6), got(size);
    auto buffer = allocate(size);
    auto queue = createQueue();
    must(queue->write(*buffer, 0, model.data(), size));
    must(queue->writeBox(*buffer, host.data(), box));
    must(must(queue->read(got.data(), *buffer, 0, size)).wait());
    for (RowPlace run : runsOf(box))
      std::memcpy(model.data() + run.device, host.data() + run.host, box.width);
    EXPECT_EQ(got, model) << box.width << " " << box.rows << " " << box.layers;
  }
}

TEST_P(Conformance, ReadsBoxes) {
  constexpr uint64_t size = 400;
  for (const CopyBox &box : boxes()) {
    Bytes sent = randomBytes(size, 7), got = randomBytes(size, 8), model = got;
    auto buffer = allocate(size);
    auto queue = createQueue();
    must(queue->write(*buffer, 0, sent.data(), size));
    must(must(queue->readBox(got.data(), *buffer, box)).wait());
    for (RowPlace run : runsOf(box))
      std::memcpy(model.data() + run.host, sent.data() + run.device, box.width);
    EXPECT_EQ(got, model) << box.width << " " << box.rows << " " << box.layers;
  }
}

TEST_P(Conformance, TakesPitchesOfZeroAsTheTightest) {
  Bytes sent = randomBytes(60, 9), got(60);
  auto buffer = allocate(60);
  auto queue = createQueue();
  CopyBox box{.width = 5, .rows = 4, .layers = 3};
  must(queue->writeBox(*buffer, sent.data(), box));
  must(must(queue->read(got.data(), *buffer, 0, 60)).wait());
  EXPECT_EQ(got, sent);
}

TEST_P(Conformance, RefusesBoxesThatDoNotFit) {
  auto buffer = allocate(100);
  auto queue = createQueue();
  Bytes host(1000);
  for (const CopyBox &box :
       {CopyBox{.width = 101}, CopyBox{.width = 10, .rows = 11},
        CopyBox{.width = 10, .rows = 10, .deviceOffset = 1},
        CopyBox{.width = 1, .rows = 2, .deviceRowPitch = 100},
        CopyBox{.width = 1, .layers = 2, .deviceLayerPitch = UINT64_MAX},
        CopyBox{.width = 2, .rows = 3, .deviceRowPitch = 1},
        CopyBox{.width = 2, .rows = 3, .hostRowPitch = 1},
        CopyBox{.width = 1, .rows = UINT64_MAX, .deviceRowPitch = UINT64_MAX},
        CopyBox{.width = 1, .deviceOffset = UINT64_MAX}}) {
    Result<Event> write = queue->writeBox(*buffer, host.data(), box);
    ASSERT_FALSE(write.ok());
    EXPECT_EQ(write.status().code(), StatusCode::InvalidArgument);
    EXPECT_FALSE(queue->readBox(host.data(), *buffer, box).ok());
  }
  must(must(queue->read(host.data(), *buffer, 0, 100)).wait());
}

TEST_P(Conformance, TransfersPinnedMemory) {
  constexpr uint64_t size = 100'000;
  auto *sent = static_cast<unsigned char *>(must(device->allocateHost(size)));
  auto *got = static_cast<unsigned char *>(must(device->allocateHost(size)));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(sent) % 16, 0u);
  Bytes model = randomBytes(size, 10);
  std::memcpy(sent, model.data(), size);
  std::memset(got, 0, size);
  auto buffer = allocate(size);
  auto queue = createQueue();
  must(queue->write(*buffer, 0, sent, size));
  must(must(queue->read(got, *buffer, 0, size)).wait());
  EXPECT_EQ(std::memcmp(got, model.data(), size), 0);
  device->freeHost(sent);
  device->freeHost(got);
  device->freeHost(must(device->allocateHost(0)));
}

TEST_P(Conformance, RefusesObjectsOfOtherDevices) {
  struct Stranger final : Buffer {
    Stranger() : Buffer(8) {}
  } stranger;
  struct StrangeEvent final : Event::State {
    bool hasEnded() override { return true; }
    Status wait() override { return {}; }
    Result<TimeInterval> interval() override { return TimeInterval(); }
  };
  Event event(std::make_shared<StrangeEvent>());
  auto buffer = allocate(8);
  auto queue = createQueue();
  char host[8] = {};
  EXPECT_FALSE(queue->write(stranger, 0, host, 8).ok());
  EXPECT_FALSE(queue->read(host, stranger, 0, 8).ok());
  EXPECT_FALSE(queue->copy(*buffer, 0, stranger, 0, 8).ok());
  EXPECT_FALSE(queue->copy(stranger, 0, *buffer, 0, 8).ok());
  EXPECT_FALSE(queue->writeBox(stranger, host, {.width = 8}).ok());
  EXPECT_FALSE(queue->readBox(host, stranger, {.width = 8}).ok());
  EXPECT_FALSE(queue->write(*buffer, 0, host, 8, std::span(&event, 1)).ok());
  EXPECT_FALSE(
      queue->launch(kernel("count"), {}, std::array{memory(stranger)}).ok());
  struct StrangeKernel final : DeviceKernel {
  } strange;
  EXPECT_FALSE(queue->launch(strange, {}, {}).ok());
}
