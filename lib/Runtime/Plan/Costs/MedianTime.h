//===- MedianTime.h - The median time of the latest runs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a shared machine, occasional runs take many times as long as the others,
// and a mean of few runs is dominated by them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_MEDIANTIME_H
#define SLUICE_RUNTIME_PLAN_MEDIANTIME_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace sluice {

/// The median of the latest added times, in any unit; of an even number the
/// lower one. Several threads may use this at the same time: each number is
/// consistent by itself.
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
  /// The median of the last `count` times (at most `capacity`) or of all
  /// existing ones; 0 if there are none.
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
