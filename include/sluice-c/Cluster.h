//===- Cluster.h - What the runtime asks of several processes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may run as several processes, its ranks, which MPI starts. The
// runtime knows no MPI: for each one that was found when Sluice was built there
// is a library (libsluice-cluster-openmpi.so and so on) with one function,
// which the runtime opens at start and from which it gets this table.
//
// Nothing here waits, except `gather`, `finish` and `wait`. Any thread may call
// the functions at any time; `finish` is called when no other one is in use.
//
// Ranks may also be simulated (libsluice-cluster-smpi.so): then all of them are
// in one process and take turns in one thread, each with a table of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_CLUSTER_H
#define SLUICE_C_CLUSTER_H

#include "sluice-c/Table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A message between two ranks that may be sent again and again.
typedef struct SluiceChannel SluiceChannel;

/// The ranks of a program, as one of them sees them.
typedef struct SluiceCluster {
  SluiceTableHead head; ///< of the kind SLUICE_CLUSTER_MAGIC
  const char *name;     ///< of the MPI, for messages: "Open MPI 4.1.4"
  void *context;        ///< handed to the functions
  uint32_t rank;        ///< this one, from 0 on
  uint32_t numRanks;    ///< all ranks
  /// This rank's share of the processors that it may run on, with the other
  /// ranks of its machine that may run on them as well; at least 1.
  uint32_t numProcessors;
  uint32_t maxTag; ///< the largest tag

  /// A message of `bytes` bytes from `data` to rank `peer`, or from it to
  /// there. Both sides open a channel with the same tag and size; what goes
  /// through channels with equal peers and tags arrives in order. Null: no
  /// memory.
  ///@{
  SluiceChannel *(*openSend)(void *context, uint32_t peer, uint32_t tag,
                             const void *data, uint64_t bytes);
  SluiceChannel *(*openReceive)(void *context, uint32_t peer, uint32_t tag,
                                void *data, uint64_t bytes);
  ///@}
  /// Begins to send or receive. The memory belongs to the channel until `test`
  /// names it.
  void (*start)(void *context, SluiceChannel *channel);
  /// Goes on with what was started; writes the indices of those of the channels
  /// that have ended to `ended`, and returns how many.
  uint32_t (*test)(void *context, SluiceChannel *const *channels,
                   uint32_t count, uint32_t *ended);
  /// Null, unless ranks are simulated: the same, but waits until a channel has
  /// ended, of which one at least is in use. Other ranks run meanwhile, which
  /// they do not while this one looks again and again.
  uint32_t (*wait)(void *context, SluiceChannel *const *channels,
                   uint32_t count, uint32_t *ended);
  /// The channel is not in use.
  void (*close)(void *context, SluiceChannel *channel);

  /// All ranks call this: `all` gets the `bytes` bytes of each, in their order.
  void (*gather)(void *context, const void *mine, uint32_t bytes, void *all);
  /// All ranks call this last.
  void (*finish)(void *context);
  /// Ends all ranks.
  void (*abort)(void *context, int status);
} SluiceCluster;

/// The name of the function of the library, which is called once.
#define SLUICE_OPEN_CLUSTER "sluiceOpenCluster"
/// Its type. It returns null after it has written why to `problem`.
typedef const SluiceCluster *(*SluiceOpenCluster)(const SluiceTableHead *wanted,
                                                  char *problem,
                                                  uint32_t problemSize);
/// The same for a process in which others call MPI at the same time.
#define SLUICE_OPEN_SHARED_CLUSTER "sluiceOpenSharedCluster"

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_CLUSTER_H
