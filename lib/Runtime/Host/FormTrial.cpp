//===- FormTrial.cpp - Which form of a kernel is faster -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two forms take turns for a few calls. The shortest time of a unit counts,
// since the first calls find their data in no cache, and other programs may
// interrupt a call.
//
// Units may differ: some take long, and the form that is faster there need not
// be so for others. So trials come again, at first soon, and the differences
// that they find are added: where units take long, much is at stake.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/FormTrial.h"

#include "../Scheduling/Clock.h"

#include <algorithm>
#include <atomic>
#include <bit>

static constexpr auto relaxed = std::memory_order_relaxed;

/// Calls of each form in a trial.
static constexpr uint32_t numCalls = 2;
/// Calls that begin before a trial ends without a result, as all of them threw
/// exceptions or had nothing to do.
static constexpr uint32_t maxBegun = 64;
/// Calls between two trials.
static constexpr uint32_t minPause = 8, maxPause = 1 << 16;
/// Pauses grow by this, and by more where a trial has found again that one form
/// is far better: then trials cost much.
static constexpr uint32_t growth = 2, fastGrowth = 8;
/// What remains of former differences after a trial: data may have changed.
static constexpr float kept = 0.75f;
/// The usual form is preferred if it takes no longer than this times the other.
static constexpr float preference = 1.0625f;
/// Parts of a unit of the clock in times.
static constexpr uint64_t precision = 1024;

template <typename Number> static std::atomic_ref<Number> shared(Number &own) {
  return std::atomic_ref(own);
}

static bool isFarFrom(uint64_t a, uint64_t b) {
  return std::min(a, b) + std::min(a, b) / 2 < std::max(a, b);
}

static void decide(SluiceFormTrial &trial) {
  const uint64_t usual = shared(trial.best[0]).load(relaxed);
  const uint64_t plain = shared(trial.best[1]).load(relaxed);
  float lead = shared(trial.lead).load(relaxed);
  if (usual != 0 && plain != 0)
    lead = lead * kept + (float(usual) - float(plain) * preference);
  shared(trial.lead).store(lead, relaxed);
  const bool isClear = isFarFrom(usual, plain) && (lead > 0) == (usual > plain);
  const uint32_t last = shared(trial.pause).load(relaxed);
  const uint32_t pause = std::clamp(std::max(last, minPause / growth) *
                                        (isClear ? fastGrowth : growth),
                                    minPause, maxPause);
  for (int form : {0, 1}) {
    shared(trial.numEnded[form]).store(0, relaxed);
    shared(trial.best[form]).store(0, relaxed);
  }
  shared(trial.numBegun).store(0, relaxed);
  shared(trial.pause).store(pause, relaxed);
  shared(trial.state).store(4 * pause | 2 | uint32_t(lead > 0), relaxed);
}

uint64_t sluiceBeginTrial(SluiceFormTrial *trial) {
  const uint32_t number = shared(trial->numBegun).fetch_add(1, relaxed);
  if (number >= maxBegun)
    decide(*trial);
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
  if (count >= numCalls &&
      shared(trial->numEnded[1 - form]).load(relaxed) >= numCalls)
    decide(*trial);
}
