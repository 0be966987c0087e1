//===- Patience.h - How long to look for work before sleeping -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Going to sleep and being woken takes two system calls, and some ten
// microseconds until the thread runs. Where work comes at a rhythm, it is
// cheaper to look on from one piece to the next; where none comes, looking
// takes a processor from others. So a thread that was woken soon after it went
// to sleep, several times in a row, looks longer from then on, and no longer so
// after the first time that this was in vain.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_PATIENCE_H
#define SLUICE_RUNTIME_SCHEDULING_PATIENCE_H

#include <atomic>
#include <cstdint>

namespace sluice {

/// Of one thread, or of several that wait for things of one kind. All times are
/// in nanoseconds; `usual` is what a thread looks at least.
class Patience {
public:
  /// How long to look.
  uint64_t get(uint64_t usual) const {
    return usual >= leastUsual && numSoon.load(relaxed) >= enough ? longest
                                                                  : usual;
  }
  /// Somebody looked for that long, slept for so long, and was woken.
  void slept(uint64_t usual, uint64_t time) {
    const uint32_t before = numSoon.load(relaxed);
    if (get(usual) + time >= longest)
      numSoon.store(0, relaxed);
    else if (before < enough)
      numSoon.store(before + 1, relaxed);
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  /// Threads that share a core look for less than `leastUsual`, and have no
  /// time to look longer.
  static constexpr uint64_t longest = 100'000, leastUsual = 5'000;
  static constexpr uint32_t enough = 2;

  std::atomic<uint32_t> numSoon{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_PATIENCE_H
