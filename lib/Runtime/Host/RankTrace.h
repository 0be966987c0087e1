//===- RankTrace.h - One timeline of several ranks ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 gets the events of all ranks. Clocks of different machines differ, so
// each rank compares its clock with that of rank 0, at the start and at the
// end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_HOST_RANKTRACE_H
#define SLUICE_RUNTIME_HOST_RANKTRACE_H

#include "../Trace/Trace.h"

#include "sluice-c/Cluster.h"

namespace sluice {

/// All ranks create one at the same time, with the same clock.
class RankTrace final : public TraceRanks {
public:
  using Clock = uint64_t (*)();
  /// `areClocksOne`: all ranks read the clock of the same machine.
  RankTrace(const SluiceCluster &cluster, std::string host, bool areClocksOne,
            Clock readClock);

  std::string name() const override;
  uint32_t rank() const override { return cluster.rank; }
  TraceClock clock(uint64_t origin) override;
  std::string merge(std::string text) override;
  std::vector<RunTotals> gather(const RunTotals &own) override;

  /// Whether all ranks run on this machine, without a reboot in between.
  static bool isOneMachine(const SluiceCluster &cluster);

private:
  /// How far this clock was ahead of that of rank 0, and when.
  struct Comparison {
    int64_t ahead = 0;
    uint64_t time = 0;
  };
  Comparison compareClocks();
  void answerOthers();

  const SluiceCluster &cluster;
  const std::string host;
  const bool areClocksOne;
  const Clock readClock;
  const Comparison first;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_HOST_RANKTRACE_H
