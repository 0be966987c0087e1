//===- RaceReports.h - What the race check found, in words ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the race check found as diagnostics with places, in the words of the
// program that was checked.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_REPORTS_RACEREPORTS_H
#define SLUICE_FRONTEND_REPORTS_RACEREPORTS_H

#include "sluice/Analysis/Races.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Diagnostics/Proof.h"
#include "sluice/Frontend/OpenMP/LowerOpenMP.h"

namespace sluice::driver {

/// Races of loops of OpenMP that depend on numbers which the host computes are
/// not known to be some: it may never pass such numbers.
void weighArguments(RaceReport &report, const OpenMPSummary &openMP);

/// Races of iterations that one thread runs in order, as the loop says, are not
/// known to be some. Programs that are only run have none such: their loops
/// stay as clang has written them.
void weighChunks(RaceReport &report, const OpenMPSummary &openMP);

/// Adds errors for races and, with `hasRemarks`, remarks about what is not
/// known and about stages of streams that cannot overlap. Races between turns
/// of loops of OpenMP, which programs have always had, are warnings without.
void describeRaces(const RaceReport &report, bool hasRemarks,
                   Diagnostics &diagnostics,
                   const OpenMPSummary *openMP = nullptr);

/// Whether nothing is open that following the program might decide.
bool isDecided(const RaceReport &report, const OpenMPSummary &openMP);

/// Leaves out races of loops that do not race in the only run that the program
/// has: graphs know less of what is in memory.
void settleByFollowing(RaceReport &report, const OpenMPSummary &openMP);

/// What the check of `numLeaves` leaves has shown.
ProofReport proofOf(const RaceReport &report, size_t numLeaves,
                    const OpenMPSummary *openMP = nullptr);

/// Takes the races of loops of OpenMP out of a report; the graphs that have
/// some.
std::vector<OpenMPGraph> takeRacyLoops(RaceReport &report,
                                       const OpenMPSummary &openMP);

} // namespace sluice::driver

#endif // SLUICE_FRONTEND_REPORTS_RACEREPORTS_H
