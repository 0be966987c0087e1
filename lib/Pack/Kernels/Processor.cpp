//===- Processor.cpp - Properties of this machine for kernels -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries the processor and the system once for instruction sets and cache
// sizes. A setting can lower the instruction set, so that tests reach every
// variant.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Kernel.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

using namespace sluice::pack;

static Processor::Vectors supportedVectors() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return Processor::Vectors::AVX512;
  if (__builtin_cpu_supports("avx2"))
    return Processor::Vectors::AVX2;
#endif
  return Processor::Vectors::Baseline;
}

static Processor::Vectors limitOfSetting() {
  const char *text = getenv("SLUICE_PACK_VECTORS");
  std::string_view setting = text ? text : "";
  if (setting == "baseline")
    return Processor::Vectors::Baseline;
  if (setting == "avx2")
    return Processor::Vectors::AVX2;
  return Processor::Vectors::AVX512;
}

/// The size of the cache at `level`. The kernel's description is preferred: in
/// virtual machines sysconf may count a shared cache once per thread.
static int64_t cacheBytes(int level, int sysconfName, int64_t fallback) {
  for (int index = 0; index != 8; ++index) {
    std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    std::ifstream levelFile(folder + "/level"), sizeFile(folder + "/size");
    int found = 0;
    int64_t kibibytes = 0;
    char unit = 0;
    if (levelFile >> found && found == level && sizeFile >> kibibytes >> unit &&
        unit == 'K' && kibibytes > 0)
      return kibibytes << 10;
  }
  long bytes = sysconf(sysconfName);
  return bytes > 0 ? bytes : fallback;
}

static Processor findProcessor() {
  Processor processor;
  processor.vectors = std::min(supportedVectors(), limitOfSetting());
#if defined(__x86_64__)
  processor.hasVBMI = processor.vectors == Processor::Vectors::AVX512 &&
                      __builtin_cpu_supports("avx512vbmi");
#endif
  processor.level2Bytes =
      cacheBytes(2, _SC_LEVEL2_CACHE_SIZE, processor.level2Bytes);
  processor.lastLevelBytes =
      cacheBytes(3, _SC_LEVEL3_CACHE_SIZE, processor.lastLevelBytes);
  return processor;
}

const Processor &sluice::pack::thisProcessor() {
  static const Processor processor = findProcessor();
  return processor;
}
