//===- PackOptions.cpp - The settings of packing --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings come from the environment until the program sets them.
//
//===----------------------------------------------------------------------===//

#include "PackOptions.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string_view>

using namespace sluice::pack;

/// The maximum of the setting; more threads would only wait for each other.
static constexpr int64_t maxThreads = 1024;

/// The number in `name`, or `otherwise` if it is unset or not a number.
static int64_t environmentNumber(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  long long number = std::strtoll(text, &end, 10);
  return *end ? otherwise : number;
}

static bool isOff(const char *name) {
  const char *text = std::getenv(name);
  return text && std::string_view(text) == "off";
}

static PackOptions environmentOptions() {
  PackOptions options;
  options.compileAfter =
      environmentNumber("SLUICE_PACK_COMPILE_AFTER", options.compileAfter);
  options.threads = int(std::clamp<int64_t>(
      environmentNumber("SLUICE_PACK_THREADS", options.threads), 1,
      maxThreads));
  options.useDiskCache = !isOff("SLUICE_PACK_CACHE");
  options.compareKernels = !isOff("SLUICE_PACK_COMPARE");
  return options;
}

constinit std::atomic<int64_t> sluice::pack::sharedFrom = 0;

LiveOptions::LiveOptions() { set(environmentOptions()); }

LiveOptions &LiveOptions::get() {
  // Never destroyed: packing may continue while the process ends.
  static LiveOptions &options = *new LiveOptions;
  return options;
}

void LiveOptions::set(const PackOptions &options) {
  compileAfter.store(options.compileAfter, std::memory_order_relaxed);
  threads.store(options.threads, std::memory_order_relaxed);
  parallelBytes.store(options.parallelBytes, std::memory_order_relaxed);
  sharedFrom.store(options.threads > 1 ? options.parallelBytes : INT64_MAX,
                   std::memory_order_relaxed);
  useDiskCache.store(options.useDiskCache, std::memory_order_relaxed);
  compareKernels.store(options.compareKernels, std::memory_order_relaxed);
}

PackOptions sluice::pack::packOptions() {
  const LiveOptions &live = LiveOptions::get();
  return {.compileAfter = live.compileAfter.load(std::memory_order_relaxed),
          .threads = live.threads.load(std::memory_order_relaxed),
          .parallelBytes = live.parallelBytes.load(std::memory_order_relaxed),
          .useDiskCache = live.useDiskCache.load(std::memory_order_relaxed),
          .compareKernels =
              live.compareKernels.load(std::memory_order_relaxed)};
}

void sluice::pack::setPackOptions(const PackOptions &options) {
  LiveOptions::get().set(options);
}
