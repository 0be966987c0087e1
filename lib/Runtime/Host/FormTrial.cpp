//===- FormTrial.cpp - Which form of a kernel is faster -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two forms take turns. The shortest time of a unit counts, since the first
// calls find their data in no cache, and other programs may interrupt a call.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/FormTrial.h"

#include "../Scheduling/Clock.h"

#include <algorithm>
#include <atomic>
#include <bit>

static constexpr auto relaxed = std::memory_order_relaxed;

/// Calls of each form, if one of them is far better, and at most.
static constexpr uint32_t numFew = 2, numMany = 6;
/// Calls that begin before a trial ends without a result, as all of them threw
/// exceptions or had nothing to do.
static constexpr uint32_t maxBegun = 64;
/// Calls between two trials: data may have changed.
static constexpr uint32_t minPause = 1024, maxPause = 64 * minPause;
/// Parts of a unit of the clock in times.
static constexpr uint64_t precision = 1024;

template <typename Number> static std::atomic_ref<Number> shared(Number &own) {
  return std::atomic_ref(own);
}

static bool isFarFrom(uint64_t a, uint64_t b) {
  return std::min(a, b) + std::min(a, b) / 2 < std::max(a, b);
}

static void decide(SluiceFormTrial &trial, bool isPlain) {
  const uint32_t pause =
      std::clamp(2 * shared(trial.pause).load(relaxed), minPause, maxPause);
  for (int form : {0, 1}) {
    shared(trial.numEnded[form]).store(0, relaxed);
    shared(trial.best[form]).store(0, relaxed);
  }
  shared(trial.numBegun).store(0, relaxed);
  shared(trial.pause).store(pause, relaxed);
  shared(trial.state).store(4 * pause | 2 | uint32_t(isPlain), relaxed);
}

uint64_t sluiceBeginTrial(SluiceFormTrial *trial) {
  const uint32_t number = shared(trial->numBegun).fetch_add(1, relaxed);
  if (number >= maxBegun)
    decide(*trial, false);
  // In the order of Thue and Morse: data that alternate, or have some other
  // short period, meet both forms.
  return sluice::clockNanoseconds() << 1 | (std::popcount(number) & 1);
}

void sluiceEndTrial(SluiceFormTrial *trial, uint64_t begun, uint64_t units) {
  if (units == 0)
    return;
  const uint64_t time = sluice::clockNanoseconds() - (begun >> 1);
  const uint64_t sample = (time + 1) * precision / units;
  const uint32_t form = begun & 1;
  const uint64_t old = shared(trial->best[form]).load(relaxed);
  const uint64_t own = old ? std::min(old, sample) : sample;
  shared(trial->best[form]).store(own, relaxed);
  const uint32_t count =
      shared(trial->numEnded[form]).fetch_add(1, relaxed) + 1;
  const uint32_t fewest =
      std::min(count, shared(trial->numEnded[1 - form]).load(relaxed));
  const uint64_t other = shared(trial->best[1 - form]).load(relaxed);
  if (fewest < numFew || (fewest < numMany && !isFarFrom(own, other)))
    return;
  const uint64_t usual = form ? other : own, plain = form ? own : other;
  decide(*trial, plain + plain / 16 < usual);
}
