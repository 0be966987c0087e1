//===- RuntimeOptions.cpp - Settings of the runtime -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the environment. A setting with a bad value is an error, because a run
// with settings other than the requested ones would only seem correct.
//
//===----------------------------------------------------------------------===//

#include "RuntimeOptions.h"

#include "sluice/Base/Text.h"
#include "sluice/Base/WholeFiles.h"
#include "sluice/Runtime/Engine/Settings.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <string_view>
#include <thread>
#include <unistd.h>

using namespace sluice;

static constexpr Setting settings[] = {
#define SLUICE_RUNTIME_SETTING(NAME, MEANING, PAGE) {NAME, MEANING},
#include "sluice/Runtime/Engine/Settings.def"
};

std::span<const Setting> sluice::runtimeSettings() { return settings; }

static std::string_view setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : std::string_view();
}

/// Reads a number if `name` is set.
static Status readNumber(const char *name, unsigned low, unsigned high,
                         unsigned &number) {
  std::string_view text = setting(name);
  if (text.empty())
    return {};
  unsigned value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < low || value > high)
    return Status::invalidArgument(concat(name, " is ", quoted(text),
                                          ", expected a number from ", low,
                                          " to ", high));
  number = value;
  return {};
}

/// The first number of OMP_NUM_THREADS, a list for nested teams. What is wrong
/// with it, OpenMP's library says.
static void readTeamSize(unsigned &number) {
  std::string_view text = setting("OMP_NUM_THREADS");
  unsigned value = 0;
  auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && value != 0)
    number = std::min(value, RuntimeOptions::maxWorkers);
}

/// That this process may run on.
static unsigned allProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return static_cast<unsigned>(CPU_COUNT(&set));
  return std::thread::hardware_concurrency();
}

/// Bytes of one processor's cache of the second level.
static unsigned secondLevelCache() {
  long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? std::min(bytes, 1l << 30) : 1l << 20;
}

static Status readRecordSettings(RuntimeOptions &options) {
  RecordOptions &record = options.record;
  record.directory = setting("SLUICE_RECORD");
  std::string_view bytes = setting("SLUICE_RECORD_BYTES");
  if (!bytes.empty()) {
    std::optional<uint64_t> number = readBytes(bytes);
    if (!number)
      return Status::invalidArgument(
          concat("SLUICE_RECORD_BYTES is ", quoted(bytes),
                 ", expected a number of bytes, at least 1, with K, M or G for "
                 "powers of 1024, as in '64M'"));
    record.bytes = *number;
  }
  std::string_view verify = setting("SLUICE_RECORD_VERIFY");
  if (!verify.empty() && verify != "0" && verify != "1")
    return Status::invalidArgument(concat("SLUICE_RECORD_VERIFY is ",
                                          quoted(verify), ", expected 0 or 1"));
  record.verifies = verify == "1";
  if (!record.directory.empty() && options.check == CheckMode::On)
    return Status::invalidArgument(
        "SLUICE_CHECK=1 and SLUICE_RECORD exclude each other: a program is "
        "either checked or recorded");
  return {};
}

void RuntimeOptions::leaveOutRecord(unsigned rank) {
  if (!record.directory.empty() && rank == 0)
    std::fprintf(stderr, "sluice: warning: there will be no record: it is made "
                         "of programs of one process only; without ranks this "
                         "one computes the same\n");
  record.directory.clear();
}

Result<RuntimeOptions> RuntimeOptions::fromEnvironment(unsigned numProcessors) {
  RuntimeOptions options;
  options.numWorkers =
      std::clamp(numProcessors ? numProcessors : allProcessors(), 1u,
                 RuntimeOptions::maxWorkers);
  if (servesOpenMP)
    readTeamSize(options.numWorkers);
  if (Status status = readNumber(
          "SLUICE_WORKERS", 1, RuntimeOptions::maxWorkers, options.numWorkers);
      !status.ok())
    return status;
  options.hasNumWorkers = !setting("SLUICE_WORKERS").empty();
  if (Status status =
          readNumber("SLUICE_SPECIALIZE", 0, 1000000, options.specializeAfter);
      !status.ok())
    return status;
  options.tileCache = secondLevelCache();
  if (Status status =
          readNumber("SLUICE_TILE_CACHE", 0, 1u << 30, options.tileCache);
      !status.ok())
    return status;
  if (std::string tuned(setting("SLUICE_TUNED")); !tuned.empty()) {
    Result<std::vector<TunedGraph>> graphs = readTunedGraphs(tuned);
    if (!graphs.ok())
      return Status::invalidArgument(
          concat("SLUICE_TUNED: ", graphs.status().message()));
    options.tunedGraphs = std::move(*graphs);
  }
  options.tiledTimesFile = setting("SLUICE_TUNE_TIMES");
  std::string_view executor = setting("SLUICE_EXECUTOR");
  if (!executor.empty() && executor != "pool" && executor != "sequential")
    return Status::invalidArgument(concat("SLUICE_EXECUTOR is ",
                                          quoted(executor),
                                          ", expected 'pool' or 'sequential'"));
  options.sequential = executor == "sequential";
  std::string_view check = setting("SLUICE_CHECK");
  if (!check.empty() && check != "0" && check != "1")
    return Status::invalidArgument(
        concat("SLUICE_CHECK is ", quoted(check), ", expected 0 or 1"));
  if (!check.empty())
    options.check = check == "1" ? CheckMode::On : CheckMode::Off;
  std::string_view guard = setting("SLUICE_GUARD_MEMORY");
  if (!guard.empty() && guard != "0" && guard != "1")
    return Status::invalidArgument(
        concat("SLUICE_GUARD_MEMORY is ", quoted(guard), ", expected 0 or 1"));
  if (Status status = options.devices.readEnvironment(); !status.ok())
    return status;
  options.traceFile = setting("SLUICE_TRACE");
  std::string_view summary = setting("SLUICE_SUMMARY");
  if (!summary.empty() && summary != "0" && summary != "1")
    return Status::invalidArgument(
        concat("SLUICE_SUMMARY is ", quoted(summary), ", expected 0 or 1"));
  options.hasSummary = summary == "1";
  if (Status status = readRecordSettings(options); !status.ok())
    return status;
  options.helper = setting("SLUICE_HELPER");
  options.cacheDirectory = sluice::cacheDirectory();
  return options;
}
