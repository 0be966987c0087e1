//===- OpenCluster.h - Running as one of several ranks --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects whether MPI has started this process as a rank, opens the library for
// that MPI, and ensures that all ranks run the same code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_OPENCLUSTER_H
#define SLUICE_RUNTIME_CLUSTER_OPENCLUSTER_H

#include "sluice-c/Cluster.h"
#include "sluice/Base/Status.h"

#include <functional>
#include <string>

namespace sluice {

/// The MPI that started this process as one of several ranks, from its
/// launcher's variables: "openmpi", "mpich", or nothing.
std::string
launchingMPI(const std::function<const char *(const char *)> &environment);

/// The ranks of this program, which have compared their identities; null if it
/// runs alone. SLUICE_CLUSTER overrides the detected MPI, or is "off". The
/// ranks watch each other from then on.
Result<const SluiceCluster *> openCluster();
/// The same for a program in which other code calls MPI from its own threads;
/// it may be the only rank.
Result<const SluiceCluster *> openSharedCluster();

/// Stops the ranks from watching each other. All ranks call this when none of
/// their messages is in progress.
void endWatch(const SluiceCluster &cluster);
/// All ranks call this last, after endWatch.
void leaveMPI(const SluiceCluster &cluster);
/// Calls both functions.
void closeCluster(const SluiceCluster &cluster);

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_OPENCLUSTER_H
