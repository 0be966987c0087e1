//===- Channels.h - Messages that repeat, as persistent requests ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a SluiceCluster that move data. A channel is a persistent
// request of MPI: all that can be prepared is prepared once.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CLUSTER_CHANNELS_H
#define SLUICE_CLUSTER_CHANNELS_H

#include "sluice-c/Cluster.h"

#include <mpi.h>
#include <mutex>
#include <vector>

namespace sluice::cluster {

/// The MPI is SMPI, whose ranks take turns in one thread: another one runs when
/// this one waits in MPI, and no time passes between its calls but what the
/// program says.
#ifdef SLUICE_SIMULATED_RANKS
inline constexpr bool isSimulated = true;
#else
inline constexpr bool isSimulated = false;
#endif

/// The ranks of the program, in a communicator of their own.
struct Ranks {
  SluiceCluster table = {};
  /// MPI takes calls of several threads one after the other. Nobody waits for
  /// another rank while he has it.
  std::mutex mutex;
  MPI_Comm all = MPI_COMM_NULL;
  char name[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  /// MPI was not there before.
  bool isOwner = false;
  /// For `test`.
  std::vector<MPI_Request> requests;
  std::vector<int> ended;
};

/// Sets the functions of the table that concern channels.
void addChannels(SluiceCluster &table);

} // namespace sluice::cluster

#endif // SLUICE_CLUSTER_CHANNELS_H
