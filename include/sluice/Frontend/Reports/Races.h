//===- Races.h - What the race check found, in words ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the race check found as diagnostics with places, in the words of the
// program that was checked.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_REPORTS_RACES_H
#define SLUICE_FRONTEND_REPORTS_RACES_H

#include "sluice/Analysis/Races.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Diagnostics/Proof.h"

namespace sluice::driver {

/// Adds errors for races and, with `hasRemarks`, remarks about what is not
/// known and about stages of streams that cannot overlap.
void describeRaces(const RaceReport &report, bool hasRemarks,
                   Diagnostics &diagnostics);

/// What the check of `numLeaves` leaves has shown.
ProofReport proofOf(const RaceReport &report, size_t numLeaves);

} // namespace sluice::driver

#endif // SLUICE_FRONTEND_REPORTS_RACES_H
