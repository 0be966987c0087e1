//===- OpenMPRaces.h - Races between iterations, in words -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs in OpenMP know nothing of nodes, instances and arguments of graphs:
// what is found there is said of loops, iterations and variables.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_REPORTS_OPENMPRACES_H
#define SLUICE_LIB_FRONTEND_REPORTS_OPENMPRACES_H

#include "sluice/Analysis/Races.h"
#include "sluice/Frontend/OpenMP/LowerOpenMP.h"

namespace sluice::driver {

/// The loop that a finding is about; null if it is no loop of OpenMP.
const OpenMPGraph *loopOf(const RaceFinding &finding,
                          const OpenMPSummary *openMP);

/// A race between iterations, and the clause that mends it.
std::string describeIterations(const RaceFinding &finding,
                               const OpenMPGraph &loop);
/// The change that adds that clause to the directive, if it is one.
std::optional<Fix> addClause(const RaceFinding &finding,
                             const OpenMPGraph &loop);
/// Of two that meet for some numbers of the host, which may pass no such ones.
std::string describeSomeNumbers(const RaceFinding &finding,
                                const OpenMPGraph &loop);
/// Whether two that meet may be of one chunk, which one thread runs in order.
bool mayShareChunk(const RaceFinding &finding, const OpenMPGraph &loop);
/// The same in words.
std::string describeOneChunk(const RaceFinding &finding);
/// Why nothing is known.
std::string describeUnknownIterations(const RaceFinding &finding);
/// The other access of the two.
std::string describeOtherIteration(const RaceFinding &finding);

/// An assumption of a proof.
struct LoopAssumption {
  const OpenMPGraph *loop = nullptr;
  /// "'a' and 'b' do not overlap".
  std::string text;
  /// It is known to be doubtful.
  bool isDoubtful = false;
};

/// The assumptions in the proofs of loops about pointers and tables.
std::vector<LoopAssumption> assumptionsOf(const RaceReport &report,
                                          const OpenMPSummary &openMP);

/// Says what nobody has checked.
void describeLeft(const OpenMPSummary &openMP, Diagnostics &diagnostics);

/// Says why following a program does not decide about it.
void describeEnd(const Rehearsal &rehearsal, Diagnostics &diagnostics);

/// Adds an error for each race that following the program has found, but for
/// those that the report already names.
void describeRehearsal(const RaceReport &report, const OpenMPSummary &openMP,
                       Diagnostics &diagnostics);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_REPORTS_OPENMPRACES_H
