//===- OpenMPRaces.h - Races between turns of a loop, in words --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs in OpenMP know nothing of nodes, instances and arguments of graphs:
// what is found there is said of loops, turns and variables.
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

/// A race between turns, and the clause that mends it.
std::string describeTurns(const RaceFinding &finding, const OpenMPGraph &loop);
/// Why nothing is known.
std::string describeUnknownTurns(const RaceFinding &finding);
/// The other access of the two.
std::string describeOtherTurn(const RaceFinding &finding);

/// Something that a proof takes for granted.
struct LoopAssumption {
  const OpenMPGraph *loop = nullptr;
  /// "'a' and 'b' do not overlap".
  std::string text;
  /// It is known to be doubtful.
  bool isDoubtful = false;
};

/// What the proofs of loops take for granted of pointers.
std::vector<LoopAssumption> assumptionsOf(const RaceReport &report,
                                          const OpenMPSummary &openMP);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_REPORTS_OPENMPRACES_H
