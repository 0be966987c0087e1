//===- RandomMemoryTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels and host nodes on several devices against a model of every
// byte: what they read, which bytes move, and what survives faults. Seeds are
// fixed; SLUICE_TEST_SEED runs one of them alone.
//
//===----------------------------------------------------------------------===//

#include "DevicePlace.h"
#include "Rounds.h"
#include "Testing/Access.h"
#include "Testing/TestDevice.h"
#include "Tracker.h"

#include "sluice-c/Plan.h"

#include <bit>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
using Bytes = std::vector<unsigned char>;

struct MemorySetup {
  unsigned numDevices = 2;
  unsigned numObjects = 4;
  uint64_t objectSize = 64;
  uint64_t capacity = 1 << 20;
  bool isStaged = false;
  /// All transfers go as packed ranges.
  bool isPacked = false;
};

/// Tracked objects on devices, and what their bytes have to be.
class Model {
public:
  Model(uint32_t seed, const MemorySetup &setup, TestWorld &world,
        MemoryTracker &tracker,
        const std::vector<std::unique_ptr<DevicePlace>> &places)
      : setup(setup), world(world), tracker(tracker), places(places),
        random(seed) {
    for (auto &place : places)
      queues.push_back(std::move(*place->device.createQueue()));
    for (unsigned i = 0; i < setup.numObjects; ++i)
      addObject();
    sent.resize(places.size() + 1);
    fetched.resize(places.size() + 1);
  }
  ~Model() {
    for (auto &queue : queues)
      EXPECT_TRUE(queue->finish().ok() || hasFaults);
    for (Object &object : objects)
      EXPECT_TRUE(tracker.untrack(object.host.data()).ok() || hasFaults);
  }

  void runKernel();
  void useOnHost();
  void usePartsOnHost();
  void fetchHome();
  void untrackAndTrack();
  void readEverything();
  void step() {
    if (setup.isPacked && below(4) == 0)
      return usePartsOnHost();
    switch (below(10)) {
    case 0:
      return untrackAndTrack();
    case 1:
      return fetchHome();
    case 2:
    case 3:
      return useOnHost();
    default:
      return runKernel();
    }
  }
  /// The bytes that moved are those that had to.
  void expectMinimalTransfers() {
    for (MemoryPlace place = 1; place < sent.size(); ++place) {
      MemoryCounters counters = places[place - 1]->counters();
      EXPECT_EQ(counters.bytesSent, sent[place]);
      EXPECT_EQ(counters.bytesFetched, fetched[place]);
    }
  }

  /// Every kernel ends before the next begins, and any operation may fail.
  bool hasFaults = false;
  uint64_t numFailures = 0, numLost = 0, numExhausted = 0;
  std::atomic<uint64_t> numWrong{0};

private:
  struct Object {
    Bytes host, expected;
    std::vector<PlaceSet> valid;
    /// A kernel that wrote the byte in place has failed.
    std::vector<bool> mayBeLost;
  };
  struct Use {
    Object *object;
    uint64_t begin, size;
    uint32_t access;
    MemoryAccess memory() const {
      return {"a", reinterpret_cast<uintptr_t>(object->host.data()) + begin,
              size, true, (access & out) != 0};
    }
  };

  uint64_t below(uint64_t n) { return random() % n; }
  unsigned char byte() { return static_cast<unsigned char>(random()); }
  void addObject() {
    Object object;
    for (uint64_t i = 0; i < setup.objectSize; ++i)
      object.host.push_back(byte());
    object.expected = object.host;
    object.valid.assign(setup.objectSize, 1);
    object.mayBeLost.assign(setup.objectSize, false);
    objects.push_back(std::move(object));
    EXPECT_TRUE(
        tracker.track(objects.back().host.data(), setup.objectSize).ok());
  }
  Use randomUse(Object &object) {
    uint64_t a = below(setup.objectSize), b = below(setup.objectSize);
    if (below(3) == 0)
      a = 0, b = setup.objectSize - 1;
    return {&object, std::min(a, b), std::max(a, b) - std::min(a, b) + 1,
            std::array{in, out, inOut}[below(3)]};
  }
  void modelFetch(const Use &use, MemoryPlace place);
  void modelWrite(const Use &use, MemoryPlace place, const Bytes &values);
  void maybeInjectFault() {
    if (hasFaults && below(2))
      world.failsAfter = below(6);
  }
  void noFaults() {
    if (hasFaults)
      world.failsAfter = ~uint64_t(0);
  }
  void expectHost(const Use &use);
  void launch(MemoryPlace place, const std::vector<Use> &uses,
              const std::vector<PlacedMemory> &placed,
              const std::vector<device::Event> &after);
  void kernelFailed(MemoryPlace place, const std::vector<Use> &uses);
  void repair(const Use &use);

  const MemorySetup setup;
  TestWorld &world;
  MemoryTracker &tracker;
  const std::vector<std::unique_ptr<DevicePlace>> &places;
  std::vector<std::unique_ptr<device::Queue>> queues;
  std::deque<Object> objects;
  std::vector<uint64_t> sent, fetched;
  std::mt19937 random;
};
} // namespace

/// What has to move so that a place can read.
void Model::modelFetch(const Use &use, MemoryPlace place) {
  if (use.access == out)
    return;
  for (uint64_t i = use.begin; i < use.begin + use.size; ++i) {
    PlaceSet &valid = use.object->valid[i];
    if (valid & setOf(place))
      continue;
    if (!(valid & setOf(hostPlace)) && valid) {
      ++fetched[std::countr_zero(valid)];
      valid |= setOf(hostPlace);
    }
    if (place != hostPlace)
      ++sent[place];
    valid |= setOf(place);
  }
}

void Model::modelWrite(const Use &use, MemoryPlace place, const Bytes &values) {
  if (use.access == in)
    return;
  for (uint64_t i = 0; i < use.size; ++i) {
    use.object->valid[use.begin + i] = setOf(place);
    use.object->expected[use.begin + i] = values[i];
    use.object->mayBeLost[use.begin + i] = false;
  }
}

/// The bytes of a part as they should be on the host.
void Model::expectHost(const Use &use) {
  for (uint64_t i = use.begin; i < use.begin + use.size; ++i)
    if (use.object->host[i] != use.object->expected[i])
      ++numWrong;
}

void Model::runKernel() {
  MemoryPlace place = 1 + below(places.size());
  std::vector<Use> uses;
  for (Object &object : objects)
    if (below(2) || uses.empty())
      uses.push_back(randomUse(object));
  if (uses.size() > 3)
    uses.resize(3);
  maybeInjectFault();
  std::vector<PlacedMemory> placed;
  std::vector<device::Event> after;
  for (const Use &use : uses) {
    Result<PlacedMemory> memory =
        tracker.prepare(place, use.memory(), use.access, after);
    if (!memory.ok()) {
      bool isFull = memory.status().code() == StatusCode::Exhausted;
      EXPECT_TRUE(isFull || hasFaults) << memory.status().message();
      isFull ? ++numExhausted : ++numFailures;
      break;
    }
    modelFetch(use, place);
    placed.push_back(*memory);
  }
  if (placed.size() == uses.size() && below(8))
    return launch(place, uses, placed, after);
  for (size_t i = 0; i < placed.size(); ++i)
    tracker.notEnqueued(place, uses[i].memory(), uses[i].access);
  noFaults();
}

void Model::launch(MemoryPlace place, const std::vector<Use> &uses,
                   const std::vector<PlacedMemory> &placed,
                   const std::vector<device::Event> &after) {
  std::vector<Bytes> reads, writes;
  std::vector<device::KernelArgument> arguments(uses.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    auto first = uses[i].object->expected.begin() + uses[i].begin;
    reads.emplace_back(first, first + uses[i].size);
    writes.emplace_back(reads.back());
    for (unsigned char &value : writes.back())
      if (uses[i].access == out || below(2))
        value = byte();
    arguments[i].buffer = placed[i].buffer;
  }
  TestKernel kernel;
  kernel.body = [=, this](const std::vector<unsigned char *> &memory) {
    for (size_t i = 0; i < uses.size(); ++i) {
      unsigned char *bytes = memory[i] + placed[i].offset;
      if (uses[i].access != out &&
          !std::equal(reads[i].begin(), reads[i].end(), bytes))
        ++numWrong;
      if (uses[i].access != in)
        std::copy(writes[i].begin(), writes[i].end(), bytes);
    }
  };
  Result<device::Event> end =
      queues[place - 1]->launch(kernel, {}, arguments, after);
  ASSERT_TRUE(end.ok());
  std::vector<MemoryValidity> onHost;
  for (const Use &use : uses) {
    onHost.push_back(tracker.validity(use.object->host.data() + use.begin,
                                      hostPlace, use.size));
    tracker.enqueued(place, use.memory(), use.access, *end);
  }
  bool isGood = !hasFaults || end->wait().ok();
  noFaults();
  if (!isGood)
    kernelFailed(place, uses);
  for (size_t i = 0; i < uses.size(); ++i)
    if (isGood)
      modelWrite(uses[i], place, writes[i]);
    else if (onHost[i] != MemoryValidity::Invalid)
      EXPECT_NE(tracker.validity(uses[i].object->host.data() + uses[i].begin,
                                 hostPlace, uses[i].size),
                MemoryValidity::Invalid);
}

void Model::kernelFailed(MemoryPlace place, const std::vector<Use> &uses) {
  ++numFailures;
  for (const Use &use : uses) {
    tracker.failed(place, use.memory(), use.access);
    if (use.access != in)
      std::fill_n(use.object->mayBeLost.begin() + use.begin, use.size, true);
  }
}

void Model::useOnHost() {
  Use use = randomUse(objects[below(objects.size())]);
  maybeInjectFault();
  Status status = tracker.useOnHost(use.memory(), use.access);
  noFaults();
  if (!status.ok()) {
    ++numFailures;
    EXPECT_TRUE(hasFaults) << status.message();
    return repair(use);
  }
  modelFetch(use, hostPlace);
  if (use.access != out)
    expectHost(use);
  if (use.access == in)
    return;
  Bytes values;
  for (uint64_t i = use.begin; i < use.begin + use.size; ++i)
    values.push_back(use.object->host[i] = use.access == out || below(2)
                                               ? byte()
                                               : use.object->expected[i]);
  modelWrite(use, hostPlace, values);
}

/// Ranges at irregular places, which may be sent back at once.
void Model::usePartsOnHost() {
  Object &object = objects[below(objects.size())];
  std::vector<Use> parts;
  std::vector<ByteRange> addresses;
  for (uint64_t at = below(4); at < setup.objectSize; at += 1 + below(5)) {
    uint64_t size = std::min(1 + below(8), setup.objectSize - at);
    Use part = {&object, at, size, inOut};
    parts.push_back(part);
    addresses.push_back({part.memory().start, part.memory().start + size});
    at += size;
  }
  maybeInjectFault();
  Status status = tracker.bringPartsHome(addresses, HostUse::ReadWrite);
  noFaults();
  if (!status.ok()) {
    ++numFailures;
    EXPECT_TRUE(hasFaults) << status.message();
    return repair({&object, 0, setup.objectSize, in});
  }
  for (const Use &part : parts) {
    modelFetch(part, hostPlace);
    expectHost(part);
    Bytes values(part.size);
    std::generate(values.begin(), values.end(), [&] { return byte(); });
    std::copy(values.begin(), values.end(), object.host.begin() + part.begin);
    modelWrite(part, hostPlace, values);
  }
  if (hasFaults || below(2))
    return;
  MemoryPlace place = 1 + below(places.size());
  Status sent = tracker.sendParts(place, addresses);
  EXPECT_TRUE(sent.ok() || sent.code() == StatusCode::Exhausted)
      << sent.message();
  if (sent.ok())
    for (Use part : parts) {
      part.access = in;
      modelFetch(part, place);
    }
}

/// Bytes that are lost are written anew; all others must be what they were.
void Model::repair(const Use &whole) {
  for (uint64_t i = whole.begin; i < whole.begin + whole.size; ++i) {
    Use use = {whole.object, i, 1, in};
    Status status = tracker.useOnHost(use.memory(), in);
    if (status.ok()) {
      expectHost(use);
      continue;
    }
    EXPECT_TRUE(use.object->mayBeLost[i]) << status.message();
    EXPECT_NE(status.message().find("lost"), std::string::npos)
        << status.message();
    ++numLost;
    use.access = out;
    EXPECT_TRUE(tracker.useOnHost(use.memory(), out).ok());
    use.object->host[i] = byte();
    modelWrite(use, hostPlace, {use.object->host[i]});
  }
}

void Model::fetchHome() {
  Use use = randomUse(objects[below(objects.size())]);
  use.access = in;
  maybeInjectFault();
  Result<device::Event> home = tracker.beginFetchHome(use.memory());
  if (!home.ok()) {
    EXPECT_TRUE(hasFaults) << home.status().message();
    return noFaults();
  }
  modelFetch(use, hostPlace);
  if (below(2) || hasFaults) {
    bool isGood = home->wait().ok();
    noFaults();
    EXPECT_TRUE(isGood || hasFaults);
    if (isGood)
      expectHost(use);
  }
}

void Model::untrackAndTrack() {
  Object &object = objects[below(objects.size())];
  Use use = {&object, 0, setup.objectSize, in};
  if (hasFaults)
    repair(use);
  Status status = tracker.untrack(object.host.data());
  EXPECT_EQ(status.message(), "");
  modelFetch(use, hostPlace);
  expectHost(use);
  std::fill(object.valid.begin(), object.valid.end(), setOf(hostPlace));
  std::fill(object.mayBeLost.begin(), object.mayBeLost.end(), false);
  EXPECT_TRUE(tracker.track(object.host.data(), setup.objectSize).ok());
}

void Model::readEverything() {
  for (Object &object : objects) {
    Use use = {&object, 0, setup.objectSize, in};
    if (hasFaults)
      repair(use);
    EXPECT_EQ(tracker.useOnHost(use.memory(), in).message(), "");
    modelFetch(use, hostPlace);
    expectHost(use);
  }
}

namespace {
struct Devices {
  Devices(uint32_t seed, const MemorySetup &setup) : world(seed) {
    // Much under way, or little.
    world.isLazy = seed % 2;
    static const char *names[] = {"test:0", "test:1", "test:2", "test:3"};
    DevicePlace::Options options;
    options.staging.isUsed = setup.isStaged;
    options.staging.pieceSize = 8;
    options.staging.numPieces = 4;
    options.staging.minSent = 4;
    if (setup.isPacked) {
      options.staging.pieceSize = 128;
      options.staging.packing = {1, ~uint64_t(0), 0};
    }
    for (unsigned i = 0; i < setup.numDevices; ++i) {
      devices.push_back(
          std::make_unique<TestDevice>(world, names[i], setup.capacity));
      options.budget = setup.capacity;
      places.push_back(
          std::move(*DevicePlace::create(*devices.back(), options)));
      tracker.addDevice(*places.back());
    }
  }
  TestWorld world;
  std::vector<std::unique_ptr<TestDevice>> devices;
  std::vector<std::unique_ptr<DevicePlace>> places;
  MemoryTracker tracker;
};

/// Calls `test(seed)` for the seeds to test.
template <typename Test> void forSeeds(uint32_t count, Test &&test) {
  if (const char *only = std::getenv("SLUICE_TEST_SEED"))
    return test(static_cast<uint32_t>(std::atoi(only)));
  for (uint32_t seed = 1;
       seed <= test::rounds(count) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "SLUICE_TEST_SEED=" << seed);
    test(seed);
  }
}

void runModel(uint32_t seed, const MemorySetup &setup, Devices &all) {
  Model model(seed, setup, all.world, all.tracker, all.places);
  for (int i = 0; i < 60; ++i) {
    model.step();
    // Pieces are counted when they are read.
    if (!setup.isStaged && !setup.isPacked)
      model.expectMinimalTransfers();
  }
  model.readEverything();
  model.expectMinimalTransfers();
  EXPECT_EQ(model.numWrong, 0u);
}
} // namespace

TEST(RandomMemoryTest, MovesTheLeastBytesInAnyOrder) {
  forSeeds(400, [](uint32_t seed) {
    MemorySetup setup;
    setup.numDevices = 1 + seed % 3;
    Devices all(seed, setup);
    runModel(seed, setup, all);
  });
}

TEST(RandomMemoryTest, StagedBytesArriveInAnyOrder) {
  forSeeds(400, [](uint32_t seed) {
    MemorySetup setup;
    setup.numDevices = 1 + seed % 3;
    setup.isStaged = true;
    Devices all(seed, setup);
    runModel(seed, setup, all);
  });
}

TEST(RandomMemoryTest, PackedRangesArriveInAnyOrder) {
  uint64_t numPacked = 0;
  forSeeds(400, [&](uint32_t seed) {
    MemorySetup setup;
    setup.numDevices = 1 + seed % 3;
    setup.isPacked = true;
    setup.isStaged = seed % 2;
    // Ranges of whole words, and of any bytes.
    setup.objectSize = seed % 4 < 2 ? 64 : 101;
    Devices all(seed, setup);
    for (size_t i = 0; i < all.devices.size(); ++i) {
      all.devices[i]->loadFails = seed % 7 == i;
      all.devices[i]->packingFails = seed % 11 == i;
    }
    runModel(seed, setup, all);
    for (auto &device : all.devices)
      numPacked += device->numPacked;
  });
  EXPECT_GT(numPacked, test::rounds(1000));
}

TEST(RandomMemoryTest, FullDevicesMakeRoom) {
  uint64_t numEvictions = 0, numExhausted = 0;
  forSeeds(400, [&](uint32_t seed) {
    MemorySetup setup;
    setup.numObjects = 6;
    // Buffers are rounded up to 256 bytes; and some that hold parts only.
    setup.objectSize = seed % 2 ? 64 : 300;
    setup.capacity = seed % 2 ? 256 * (1 + seed % 4) : 256;
    setup.isStaged = seed % 5 == 0;
    setup.isPacked = seed % 3 == 0;
    Devices all(seed, setup);
    Model model(seed, setup, all.world, all.tracker, all.places);
    for (int i = 0; i < 60; ++i)
      model.step();
    model.readEverything();
    EXPECT_EQ(model.numWrong, 0u);
    for (auto &place : all.places)
      numEvictions += place->counters().numEvictions;
    numExhausted += model.numExhausted;
  });
  EXPECT_GT(numEvictions, 100u);
  EXPECT_GT(numExhausted, 100u);
}

TEST(RandomMemoryTest, FaultsLoseNothingThatIsElsewhere) {
  uint64_t numFailures = 0, numLost = 0;
  forSeeds(600, [&](uint32_t seed) {
    MemorySetup setup;
    setup.numDevices = 1 + seed % 3;
    setup.capacity = seed % 4 ? 1 << 20 : 512;
    setup.isStaged = seed % 3 == 0;
    setup.isPacked = seed % 5 < 2;
    Devices all(seed, setup);
    Model model(seed, setup, all.world, all.tracker, all.places);
    model.hasFaults = true;
    for (int i = 0; i < 60; ++i)
      model.step();
    model.readEverything();
    EXPECT_EQ(model.numWrong, 0u);
    numFailures += model.numFailures;
    numLost += model.numLost;
  });
  EXPECT_GT(numFailures, 1000u);
  EXPECT_GT(numLost, 0u);
}

TEST(RandomMemoryTest, ThreadsShareDevices) {
  forSeeds(20, [](uint32_t seed) {
    MemorySetup setup;
    setup.numObjects = 3;
    setup.capacity = 256 * 8;
    setup.isStaged = seed % 2;
    setup.isPacked = seed % 3 == 0;
    Devices all(seed, setup);
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        Model model(seed * 4 + i, setup, all.world, all.tracker, all.places);
        for (int k = 0; k < 40; ++k)
          model.step();
        model.readEverything();
        EXPECT_EQ(model.numWrong, 0u);
      });
    for (std::thread &thread : threads)
      thread.join();
  });
}
