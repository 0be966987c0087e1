//===- OpenCluster.h - Being one of several ranks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out whether MPI has started this process as a rank, opens the library
// for that MPI, and sees that all ranks run the same code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_OPENCLUSTER_H
#define SLUICE_RUNTIME_CLUSTER_OPENCLUSTER_H

#include "sluice-c/Cluster.h"
#include "sluice/Base/Status.h"

#include <functional>
#include <string>

namespace sluice {

/// The MPI that started this process as one of several ranks, by the variables
/// that its launcher sets: "openmpi", "mpich", or nothing.
std::string
launchingMPI(const std::function<const char *(const char *)> &environment);

/// The ranks of this program, which have compared what they are; null if it
/// runs alone. SLUICE_CLUSTER says which MPI it is instead, or "off".
/// The ranks watch each other from then on.
Result<const SluiceCluster *> openCluster();
/// The same for a program in which others call MPI, from threads of their own;
/// it may be the only rank.
Result<const SluiceCluster *> openSharedCluster();

/// All ranks call this when none of their messages is under way: they no longer
/// watch each other.
void endWatch(const SluiceCluster &cluster);
/// All ranks call this after that, last.
void leaveMPI(const SluiceCluster &cluster);
/// Both.
void closeCluster(const SluiceCluster &cluster);

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_OPENCLUSTER_H
