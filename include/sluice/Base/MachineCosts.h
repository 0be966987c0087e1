//===- MachineCosts.h - What machines take for small things ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few times from which the runtime's limits follow: below which cost work
// is not measured, not shared, or not waited for.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_MACHINECOSTS_H
#define SLUICE_BASE_MACHINECOSTS_H

#include <cstdint>

namespace sluice {

/// Nanoseconds on today's processors: reading the clock; handing work to a
/// worker that is awake; waking one that sleeps, at most.
inline constexpr uint64_t clockTime = 50, handOverTime = 1'000,
                          wakingTime = 50'000;

} // namespace sluice

#endif // SLUICE_BASE_MACHINECOSTS_H
