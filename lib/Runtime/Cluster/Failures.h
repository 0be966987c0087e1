//===- Failures.h - Handling ranks that do not complete -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank that ends early ends all other ranks. If a rank hangs, other ranks
// notice it (Watch.h). One of them reports which rank it was and what it last
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

/// Ends the process with `status` and a message, if given, if more than
/// `seconds` pass before the object is destroyed. For calls that may not
/// return.
class EndGuard {
public:
  /// Has no effect if `seconds` is 0.
  EndGuard(double seconds, int status, std::string message);
  ~EndGuard();
  EndGuard(const EndGuard &) = delete;

private:
  struct State;
  std::shared_ptr<State> state;
};

/// The exit status of a program that lost a rank; as for `timeout`.
inline constexpr int lostRankStatus = 124;

/// How long a rank may be silent, in seconds: SLUICE_CLUSTER_DEADLINE; 0
/// disables the watch.
Result<double> clusterDeadline();

/// Three digits: "10", "0.25".
std::string secondsText(double seconds);

/// The rank number of this process, from the launcher's variables.
uint32_t rankByEnvironment();

/// "rank 1 on 'node07' has not answered for 10 s: it is stopped; it was last in
/// task 'sweep' at point (1, 2)". `ownHost` is the host of this rank, `host`
/// that of the lost rank.
std::string lossText(const Watch::Loss &loss, const std::string &host,
                     const std::string &ownHost);

/// Starts to watch the ranks of `cluster`, which run on the given hosts.
void watchRanks(const SluiceCluster &cluster, double seconds,
                std::vector<std::string> hosts);
/// Declares that this rank and the given rank may wait for each other; any
/// thread.
void watchRank(uint32_t rank);
/// All ranks call this before they leave the cluster.
void stopWatching();

/// Ends all ranks, and this process, because this rank ends early. Prints a
/// message unless an error has already been reported; for rank 0, whose end is
/// the program's end, only if `status` is an error. The program's status is
/// then that of an error.
[[noreturn]] void endAllRanks(const SluiceCluster &cluster, int status,
                              bool isNamed);

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_FAILURES_H
