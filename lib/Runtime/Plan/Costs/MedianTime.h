//===- MedianTime.h - What the last of some runs took -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a machine that others use, a run now and then takes many times as long as
// the others, and a mean of few runs says more about those than about the rest.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_MEDIANTIME_H
#define SLUICE_RUNTIME_PLAN_MEDIANTIME_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace sluice {

/// The median of the last times that were added, in any unit; of an even number
/// the lower one. Several threads may use this at the same time: each number is
/// correct by itself.
class MedianTime {
public:
  static constexpr uint32_t capacity = 8;

  void add(uint64_t time) {
    const uint32_t count = numAdded.load(relaxed);
    times[count % capacity].store(
        static_cast<uint32_t>(std::clamp<uint64_t>(time, 1, UINT32_MAX)),
        relaxed);
    numAdded.store(count + 1, relaxed);
  }
  /// Of the last `count` ones, at most `capacity`; of those that there are; 0
  /// if there are none.
  uint64_t get(uint32_t count = capacity) const {
    const uint32_t end = numAdded.load(relaxed);
    count = std::min({count, end, capacity});
    if (!count)
      return 0;
    std::array<uint32_t, capacity> last;
    for (uint32_t i = 0; i < count; ++i)
      last[i] = times[(end - 1 - i) % capacity].load(relaxed);
    auto middle = last.begin() + (count - 1) / 2;
    std::nth_element(last.begin(), middle, last.begin() + count);
    return *middle;
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::array<std::atomic<uint32_t>, capacity> times{};
  std::atomic<uint32_t> numAdded{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_MEDIANTIME_H
