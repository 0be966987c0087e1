//===- Cluster.h - What the runtime asks of several processes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may run as several processes, its ranks, which MPI starts. The
// runtime itself does not link MPI. For each MPI that was found when Sluice was
// built there is a library (libsluice-cluster-openmpi.so and so on) with one
// function. The runtime opens one of these libraries at start, and its function
// returns the table below.
//
// Only `gather`, `finish` and `wait` block. Any thread may call the functions
// at any time, except `finish`: no other function may be in use when it is
// called.
//
// Ranks may also be simulated (libsluice-cluster-smpi.so). Then all ranks are
// in one process and take turns in one thread, each with its own table.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_CLUSTER_H
#define SLUICE_C_CLUSTER_H

#include "sluice-c/Table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A message between two ranks that may be sent repeatedly.
typedef struct SluiceChannel SluiceChannel;

/// The ranks of a program, as one of them sees them.
typedef struct SluiceCluster {
  SluiceTableHead head; ///< of the kind SLUICE_CLUSTER_MAGIC
  const char *name;     ///< of the MPI, for messages: "Open MPI 4.1.4"
  void *context;        ///< passed to the functions
  uint32_t rank;        ///< this rank; ranks count from 0
  uint32_t numRanks;    ///< number of ranks
  /// Number of processors that this rank may use: its share of the processors
  /// that it and other ranks of its machine may run on; at least 1.
  uint32_t numProcessors;
  uint32_t maxTag; ///< the largest tag

  /// Opens a channel for a message of `bytes` bytes that is sent from `data` to
  /// rank `peer`, or received from `peer` into `data`. Both sides open a
  /// channel with the same tag and size. Messages through channels with equal
  /// peers and tags arrive in order. Returns null if memory is out.
  ///@{
  SluiceChannel *(*openSend)(void *context, uint32_t peer, uint32_t tag,
                             const void *data, uint64_t bytes);
  SluiceChannel *(*openReceive)(void *context, uint32_t peer, uint32_t tag,
                                void *data, uint64_t bytes);
  ///@}
  /// Begins to send or receive. The memory belongs to the channel until `test`
  /// reports its index.
  void (*start)(void *context, SluiceChannel *channel);
  /// Advances the started transfers, writes the indices of the channels that
  /// have completed to `ended`, and returns their number.
  uint32_t (*test)(void *context, SluiceChannel *const *channels,
                   uint32_t count, uint32_t *ended);
  /// Null, unless ranks are simulated. Like `test`, but waits until a channel
  /// has completed; at least one of the channels must be in use. Other
  /// simulated ranks run only while this rank waits here, not while it polls
  /// with `test`.
  uint32_t (*wait)(void *context, SluiceChannel *const *channels,
                   uint32_t count, uint32_t *ended);
  /// Closes a channel that is not in use.
  void (*close)(void *context, SluiceChannel *channel);

  /// All ranks call this: `all` receives the `bytes` bytes of each rank, in
  /// rank order.
  void (*gather)(void *context, const void *mine, uint32_t bytes, void *all);
  /// All ranks call this last.
  void (*finish)(void *context);
  /// Ends all ranks.
  void (*abort)(void *context, int status);
} SluiceCluster;

/// The name of the library's function, which is called once.
#define SLUICE_OPEN_CLUSTER "sluiceOpenCluster"
/// The type of this function. If it fails, it writes the reason to `problem`
/// and returns null.
typedef const SluiceCluster *(*SluiceOpenCluster)(const SluiceTableHead *wanted,
                                                  char *problem,
                                                  uint32_t problemSize);
/// The same for a process in which other code calls MPI at the same time.
#define SLUICE_OPEN_SHARED_CLUSTER "sluiceOpenSharedCluster"

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_CLUSTER_H
