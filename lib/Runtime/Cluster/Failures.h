//===- Failures.h - When a rank does not come to its end ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank that ends early takes the others along. One that stands still is
// noticed by others (Watch.h), of which one says which it was and what it last
// did, and all end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_FAILURES_H
#define SLUICE_RUNTIME_CLUSTER_FAILURES_H

#include "Watch.h"

#include "sluice/Base/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace sluice {

/// Ends the process with `status` and a message, if it has one, when more than
/// `seconds` pass before it is destroyed. For calls that may not come back.
class EndGuard {
public:
  /// Without effect if `seconds` is 0.
  EndGuard(double seconds, int status, std::string message);
  ~EndGuard();
  EndGuard(const EndGuard &) = delete;

private:
  struct State;
  std::shared_ptr<State> state;
};

/// The exit status of a program of which a rank was lost, as `timeout` has it.
inline constexpr int lostRankStatus = 124;

/// For how long a rank may be silent, in seconds: SLUICE_CLUSTER_DEADLINE; 0:
/// nobody listens.
Result<double> clusterDeadline();

/// Three digits: "10", "0.25".
std::string secondsText(double seconds);

/// The number of this process among all, by the variables of its launcher.
uint32_t rankByEnvironment();

/// "rank 1 on 'node07' has not answered for 10 s: it is stopped; it was last in
/// task 'sweep' at point (1, 2)". `ownHost` is this rank's, `host` the lost
/// one's.
std::string lossText(const Watch::Loss &loss, const std::string &host,
                     const std::string &ownHost);

/// Watches the ranks of `cluster`, whose hosts are given, from now on.
void watchRanks(const SluiceCluster &cluster, double seconds,
                std::vector<std::string> hosts);
/// This rank waits for that one, and for it in turn; any thread.
void watchRank(uint32_t rank);
/// All ranks call this before they leave the cluster.
void stopWatching();

/// Ends all ranks, at the end of one that ends early, and this process. Says
/// so, unless an error has been named: of rank 0, whose end is the program's,
/// only if `status` is one of an error. The program's status is an error's
/// then.
[[noreturn]] void endAllRanks(const SluiceCluster &cluster, int status,
                              bool isNamed);

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_FAILURES_H
