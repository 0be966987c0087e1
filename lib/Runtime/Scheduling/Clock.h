//===- Clock.h - Time in the runtime --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One clock for traces, timings and spinning.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_CLOCK_H
#define SLUICE_RUNTIME_SCHEDULING_CLOCK_H

#include <chrono>
#include <cstdint>

namespace sluice {

/// Nanoseconds of a clock that never goes back.
inline uint64_t clockNanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_CLOCK_H
