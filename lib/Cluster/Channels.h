//===- Channels.h - Repeated messages as persistent requests --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a SluiceCluster that transfer data. A channel is a
// persistent MPI request: everything that can be prepared is prepared once.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CLUSTER_CHANNELS_H
#define SLUICE_CLUSTER_CHANNELS_H

#include "sluice-c/Cluster.h"

#include <mpi.h>
#include <mutex>
#include <vector>

namespace sluice::cluster {

/// The MPI is SMPI, whose ranks take turns in one thread: another rank runs
/// when this one waits in MPI. No time passes between its calls except what the
/// program specifies.
#ifdef SLUICE_SIMULATED_RANKS
inline constexpr bool isSimulated = true;
#else
inline constexpr bool isSimulated = false;
#endif

/// The ranks of the program, in a separate communicator.
struct Ranks {
  SluiceCluster table = {};
  /// MPI accepts calls of several threads only one after another. No thread
  /// waits for another rank while it holds the mutex.
  std::mutex mutex;
  MPI_Comm all = MPI_COMM_NULL;
  char name[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  /// Whether this code has initialized MPI.
  bool isOwner = false;
  /// Used by `test`.
  std::vector<MPI_Request> requests;
  std::vector<int> ended;
};

/// Sets the functions of the table that concern channels.
void addChannels(SluiceCluster &table);

} // namespace sluice::cluster

#endif // SLUICE_CLUSTER_CHANNELS_H
