//===- Processor.cpp - What this machine offers to kernels ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction sets and cache sizes, asked of the processor and the system once.
// A setting can lower the instruction set, so that tests reach every variant.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Kernel.h"

#include <algorithm>
#include <cstdlib>
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

static Processor findProcessor() {
  Processor processor;
  processor.vectors = std::min(supportedVectors(), limitOfSetting());
#if defined(__x86_64__)
  processor.hasVBMI = processor.vectors == Processor::Vectors::AVX512 &&
                      __builtin_cpu_supports("avx512vbmi");
#endif
  if (long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    processor.level2Bytes = bytes;
  if (long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE); bytes > 0)
    processor.lastLevelBytes = bytes;
  return processor;
}

const Processor &sluice::pack::thisProcessor() {
  static const Processor processor = findProcessor();
  return processor;
}
