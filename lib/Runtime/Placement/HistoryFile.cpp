//===- HistoryFile.cpp - The file of measured times of nodes --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that end at the same time take turns by locking another file in the
// folder. If the lock stays taken, the times are dropped: a program must not
// hang because of them.
//
//===----------------------------------------------------------------------===//

#include "sluice/Runtime/Placement/DeviceHistory.h"

#include "sluice/Base/Seal.h"
#include "sluice/Base/Text.h"
#include "sluice/Base/WholeFiles.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace sluice;

/// Maximum size of the file that is read.
static constexpr size_t maxFile = 8 << 20;

static std::string directoryOf(const std::string &cacheDirectory) {
  return cacheDirectory + "/devices";
}

std::string sluice::deviceHistoryFile(const std::string &cacheDirectory) {
  return directoryOf(cacheDirectory) + "/history";
}

namespace {
/// Held while the file is read and rewritten.
class HistoryLock {
public:
  explicit HistoryLock(const std::string &file) {
    descriptor = ::open((file + ".lock").c_str(),
                        O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    constexpr unsigned tries = 200;
    for (unsigned i = 0; descriptor >= 0 && i < tries; ++i) {
      if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return;
      ::usleep(5000);
    }
  }
  ~HistoryLock() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  HistoryLock(const HistoryLock &) = delete;
  HistoryLock &operator=(const HistoryLock &) = delete;

private:
  int descriptor;
};
} // namespace

static std::string readText(const std::string &path) {
  std::string text;
  std::FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return text;
  char block[1 << 14];
  while (size_t size = std::fread(block, 1, sizeof(block), file)) {
    text.append(block, size);
    if (text.size() > maxFile)
      break;
  }
  std::fclose(file);
  return text;
}

std::vector<DeviceTiming>
sluice::readDeviceHistory(const std::string &cacheDirectory) {
  if (cacheDirectory.empty())
    return {};
  std::string path = deviceHistoryFile(cacheDirectory);
  if (!checkPrivateFile(path).ok())
    return {};
  std::string text = readText(path);
  if (auto content = unsealed("history", text))
    return parseDeviceHistory(std::string(*content));
  // Users may also write the file by hand, without a seal.
  if (text.find("\nsluice-seal ") != std::string::npos)
    return {};
  return parseDeviceHistory(text.substr(0, text.rfind('\n') + 1));
}

/// New times replace those in the file.
static void merge(std::vector<DeviceTiming> &timings,
                  const DeviceTiming &measured) {
  for (DeviceTiming &timing : timings) {
    if (!timing.isOfSameKind(measured))
      continue;
    timing.program = measured.program;
    timing.runs += measured.runs;
    timing.lastUse = std::max(timing.lastUse, measured.lastUse);
    timing.nanoseconds.insert(timing.nanoseconds.end(),
                              measured.nanoseconds.begin(),
                              measured.nanoseconds.end());
    if (timing.nanoseconds.size() > DeviceTiming::maxSamples)
      timing.nanoseconds.erase(timing.nanoseconds.begin(),
                               timing.nanoseconds.end() -
                                   DeviceTiming::maxSamples);
    return;
  }
  timings.push_back(measured);
}

static void dropOldest(std::vector<DeviceTiming> &timings) {
  if (timings.size() <= maxDeviceTimings)
    return;
  auto isNewer = [](const DeviceTiming &a, const DeviceTiming &b) {
    return a.lastUse > b.lastUse;
  };
  std::sort(timings.begin(), timings.end(), isNewer);
  timings.resize(maxDeviceTimings);
}

Status sluice::addToDeviceHistory(const std::string &cacheDirectory,
                                  std::span<const DeviceTiming> measured) {
  if (cacheDirectory.empty() || measured.empty())
    return {};
  if (Status status = preparePrivateDirectory(directoryOf(cacheDirectory));
      !status.ok())
    return status;
  std::string path = deviceHistoryFile(cacheDirectory);
  HistoryLock lock(path);
  std::vector<DeviceTiming> timings = readDeviceHistory(cacheDirectory);
  for (const DeviceTiming &timing : measured)
    merge(timings, timing);
  dropOldest(timings);
  return writeSealed(path, formatDeviceHistory(timings));
}

Result<size_t> sluice::removeFromDeviceHistory(
    const std::string &cacheDirectory,
    bool (*isOld)(const DeviceTiming &, const void *), const void *context) {
  std::string path = deviceHistoryFile(cacheDirectory);
  if (cacheDirectory.empty() || ::access(path.c_str(), F_OK) != 0)
    return size_t(0);
  HistoryLock lock(path);
  std::vector<DeviceTiming> timings = readDeviceHistory(cacheDirectory);
  size_t removed = std::erase_if(timings, [&](const DeviceTiming &timing) {
    return isOld(timing, context);
  });
  if (Status status = writeSealed(path, formatDeviceHistory(timings));
      !status.ok())
    return status;
  return removed;
}
