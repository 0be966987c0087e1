//===- ConformanceModules.cpp - Modules of every device -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading, modules that cannot be loaded, the cache of built code; and devices
// as a whole: that there are no leaks, and the state after a loss.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "TestFolder.h"
#include "sluice/Base/TableHead.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <sys/stat.h>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

namespace fs = std::filesystem;

TEST_P(Conformance, FindsKernelsByName) {
  DeviceKernel &saxpy = kernel("saxpy");
  EXPECT_EQ(&kernel("saxpy"), &saxpy);
  EXPECT_NE(&kernel("step"), &saxpy);
}

TEST_P(Conformance, SaysThatAKernelIsMissing) {
  kernel("saxpy");
  for (const char *name : {"nothing", "", "saxpy2"}) {
    Result<DeviceKernel *> missing = module->kernel(name);
    ASSERT_FALSE(missing.ok()) << name;
    EXPECT_NE(missing.status().message().find(std::string("'") + name + "'"),
              std::string::npos)
        << missing.status().message();
    EXPECT_NE(missing.status().message().find("'sluiceTestKernels'"),
              std::string::npos);
  }
}

TEST_P(Conformance, SaysThatNoImageFits) {
  SluiceDeviceModule empty = sluiceTestKernels;
  empty.name = "withoutImages";
  empty.hash = "0";
  empty.numImages = 0;
  Result<std::unique_ptr<Module>> loaded = device->load(empty);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.status().message().find("'withoutImages'"),
            std::string::npos)
      << loaded.status().message();
}

TEST_P(Conformance, RefusesImagesThatAreNone) {
  if (device->properties().formats.empty())
    GTEST_SKIP() << "this device takes no images";
  const char garbage[] = "this is no code at all, and it ends here";
  std::vector<SluiceDeviceImage> images;
  for (SluiceDeviceFormat format : device->properties().formats)
    images.push_back({uint32_t(format), 0, "sm_75", garbage, sizeof(garbage)});
  SluiceDeviceModule wrong{tableHead<SluiceDeviceModule>,
                           "wrongModule",
                           "1",
                           images.data(),
                           uint32_t(images.size()),
                           0};
  Result<std::unique_ptr<Module>> loaded = device->load(wrong);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.status().message().find("'wrongModule'"), std::string::npos)
      << loaded.status().message();
  EXPECT_TRUE(device->isUsable());
  kernel("saxpy");
}

static ino_t inode(const fs::path &path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_ino;
}

static std::string contentOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a kernel of the module, which is loaded again from the cache.
void Conformance::expectWorks(const OpenOptions &options) {
  open(options);
  auto buffer = allocate(4);
  auto queue = createQueue();
  uint32_t number = 0;
  must(queue->write(*buffer, 0, &number, 4));
  must(queue->launch(kernel("count"), {{2, 1, 1}, {8, 1, 1}},
                     std::array{memory(*buffer)}));
  must(must(queue->read(&number, *buffer, 0, 4)).wait());
  EXPECT_EQ(number, 16u);
}

TEST_P(Conformance, KeepsWhatItBuilt) {
  sluice::test::TestFolder folder;
  OpenOptions options{.cacheDirectory = folder.file("new/cache")};
  expectWorks(options);
  const std::string entries = options.cacheDirectory + "/kernels";
  if (!fs::exists(entries))
    GTEST_SKIP() << "this device leaves the cache to its driver";
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(entries))
    files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1u);
  std::string content = contentOf(files[0]);
  ino_t first = inode(files[0]);
  // It is loaded from there: nothing is written again.
  expectWorks(options);
  EXPECT_EQ(inode(files[0]), first);
  // Damaged entries are not used, but replaced.
  std::string flipped = content, longer = content + "x";
  flipped[content.size() / 2] ^= 1;
  for (const std::string &damaged :
       {std::string(), content.substr(0, content.size() / 2), flipped, longer,
        std::string("sluice-device-binary 1\n"), std::string(5000, '\n')}) {
    std::ofstream(files[0], std::ios::binary) << damaged;
    expectWorks(options);
    // Two builds of a driver may differ, but not in the damaged bytes.
    EXPECT_NE(contentOf(files[0]), damaged);
  }
  // A file that others may write is not trusted.
  ::chmod(files[0].c_str(), 0666);
  ino_t open = inode(files[0]);
  expectWorks(options);
  EXPECT_NE(inode(files[0]), open);
}

TEST_P(Conformance, WorksWithoutAUsableCache) {
  sluice::test::TestFolder folder;
  std::ofstream(folder.file("file")) << "no directory";
  expectWorks({.cacheDirectory = folder.file("file/cache")});
  const std::string shared = folder.file("shared");
  const std::string entries = shared + "/kernels";
  fs::create_directories(entries);
  ::chmod(entries.c_str(), 0777);
  expectWorks({.cacheDirectory = shared});
  EXPECT_TRUE(fs::is_empty(entries));
}

TEST_P(Conformance, FailsEverythingOnceItIsLost) {
  // Allocation, write and launch are the operations before the last write.
  ::setenv("SLUICE_DEVICE_FAULTS", "lost:4", 1);
  open({});
  ::unsetenv("SLUICE_DEVICE_FAULTS");
  kernel("count"); // loading is the first
  auto buffer = allocate(4);
  auto queue = createQueue();
  uint32_t number = 0;
  must(queue->write(*buffer, 0, &number, 4));
  EXPECT_TRUE(device->isUsable());
  std::array arguments{memory(*buffer)};
  EXPECT_FALSE(queue->launch(kernel("count"), {}, arguments).ok());
  EXPECT_FALSE(device->isUsable());
  EXPECT_FALSE(queue->write(*buffer, 0, &number, 4).ok());
  EXPECT_FALSE(queue->read(&number, *buffer, 0, 4).ok());
  EXPECT_FALSE(device->allocate(4).ok());
  EXPECT_FALSE(device->load(sluiceTestKernels).ok());
  EXPECT_FALSE(queue->finish().ok());
}

/// Currently allocated bytes, to check whether everything is freed.
static size_t bytesInUse() { return ::mallinfo2().uordblks; }

TEST_P(Conformance, LeavesNothingBehind) {
  DeviceKernel &step = kernel("step");
  uint32_t factor = 3, rounds = 1;
  auto work = [&](unsigned times) {
    for (unsigned i = 0; i != times; ++i) {
      auto queue = createQueue();
      auto buffer = allocate(100'000);
      void *pinned = must(device->allocateHost(10'000));
      must(queue->write(*buffer, 0, pinned, 10'000));
      Event end = must(queue->launch(
          step, {},
          std::array{memory(*buffer), value(factor), value(i), value(rounds)}));
      must(queue->notify([](void *, Status) {}, nullptr));
      must(must(queue->read(pinned, *buffer, 0, 10'000, std::span(&end, 1)))
               .wait());
      must(queue->finish());
      device->freeHost(pinned);
    }
  };
  work(100);
  // No memory remains per round: no buffer, queue, event or notification. A
  // driver's own threads may allocate something once, at any time.
  size_t grown = 0;
  for (int tries = 0; tries != 5; ++tries) {
    const size_t before = bytesInUse();
    work(300);
    const size_t after = bytesInUse();
    grown = after > before ? after - before : 0;
    if (grown < 300 * 64)
      break;
  }
  EXPECT_LT(grown, 300u * 64);
}
