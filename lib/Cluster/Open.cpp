//===- Open.cpp - Becoming a rank -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that the runtime calls, and operations on all ranks.
//
//===----------------------------------------------------------------------===//

#include "Channels.h"
#include "Processors.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#ifdef SLUICE_SIMULATED_RANKS
#include <sys/prctl.h>
#include <xbt/config.h>
#endif

using namespace sluice::cluster;

/// For a simulation, in which no other code calls MPI meanwhile. Goes through
/// rank 0, since SMPI's own implementation sends a message from each rank to
/// every other rank.
static void gatherInTurn(const Ranks &ranks, const void *mine, uint32_t bytes,
                         void *all) {
  const int count = static_cast<int>(bytes);
  MPI_Gather(mine, count, MPI_BYTE, all, count, MPI_BYTE, 0, ranks.all);
  MPI_Bcast(all, count * static_cast<int>(ranks.table.numRanks), MPI_BYTE, 0,
            ranks.all);
}

/// Other threads may call MPI while this thread waits for other ranks.
static void gather(void *context, const void *mine, uint32_t bytes, void *all) {
  auto &ranks = *static_cast<Ranks *>(context);
  if (isSimulated)
    return gatherInTurn(ranks, mine, bytes, all);
  MPI_Request request;
  {
    std::lock_guard lock(ranks.mutex);
    MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, all,
                   static_cast<int>(bytes), MPI_BYTE, ranks.all, &request);
  }
  constexpr unsigned patience = 4096;
  for (unsigned numLooks = 0;; ++numLooks) {
    {
      int isThere = 0;
      std::lock_guard lock(ranks.mutex);
      MPI_Test(&request, &isThere, MPI_STATUS_IGNORE);
      if (isThere)
        return;
    }
    if (numLooks < patience)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// Whether other code in the process has already finalized MPI.
static bool hasEnded() {
  int hasEnded = 0;
  MPI_Finalized(&hasEnded);
  return hasEnded;
}

static void finish(void *context) {
  auto &ranks = *static_cast<Ranks *>(context);
  if (hasEnded())
    return;
  MPI_Comm_free(&ranks.all);
  if (ranks.isOwner)
    MPI_Finalize();
}

static void abort(void *, int status) {
  if (!hasEnded())
    MPI_Abort(MPI_COMM_WORLD, status);
}

/// The first line of MPI's version text, up to the first comma.
static void setName(Ranks &ranks) {
  int length = 0;
  MPI_Get_library_version(ranks.name, &length);
  ranks.name[std::strcspn(ranks.name, ",\n\r")] = 0;
  for (char *at = ranks.name; *at; ++at)
    if (*at == '\t')
      *at = ' ';
  ranks.table.name = ranks.name;
}

static uint32_t maxTag(const Ranks &ranks) {
  int *limit = nullptr, isThere = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void *>(&limit),
                    &isThere);
  return isThere ? static_cast<uint32_t>(*limit) : 32767u;
}

static bool isWanted(const SluiceTableHead &wanted) {
  return wanted.magic == SLUICE_CLUSTER_MAGIC &&
         wanted.version == SLUICE_TABLE_VERSION && wanted.numSizes == 1 &&
         wanted.sizes[0] == sizeof(SluiceCluster);
}

/// SMPI lets 0.1 ms pass in each test of a message, so that programs that only
/// poll terminate. Here the time is about that of a real test. And a rank that
/// accesses a few rows of a root must not get 2 MiB for each row, which would
/// be too much for a thousand ranks.
static void beginSimulation() {
#ifdef SLUICE_SIMULATED_RANKS
  ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  constexpr double seconds = 1e-8;
  if (sg_cfg_get_double("smpi/test") == seconds)
    return;
  sg_cfg_set_double("smpi/test", seconds);
  sg_cfg_set_boolean("smpi/grow-injected-times", "no");
#endif
}

/// The data of this rank. It is never destroyed; in a simulation, there are
/// several in one process.
static Ranks &makeRanks() {
  static Ranks *ranks = nullptr;
  if (!ranks || isSimulated)
    ranks = new Ranks;
  return *ranks;
}

/// `wantedLevel`: the required thread support of MPI.
static const SluiceCluster *open(const SluiceTableHead *wanted, int wantedLevel,
                                 char *problem, uint32_t problemSize) {
  if (!isWanted(*wanted)) {
    std::snprintf(problem, problemSize, "it is of another version of Sluice");
    return nullptr;
  }
  Ranks &ranks = makeRanks();
  SluiceCluster &table = ranks.table;
  int isThere = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&isThere);
  if (isThere) {
    MPI_Query_thread(&level);
  } else {
    MPI_Init_thread(nullptr, nullptr, wantedLevel, &level);
    ranks.isOwner = true;
  }
  setName(ranks);
  beginSimulation();
  if (level < wantedLevel && !isSimulated) {
    std::snprintf(problem, problemSize,
                  "%s does not let several threads call it %s", ranks.name,
                  wantedLevel == MPI_THREAD_MULTIPLE ? "at the same time"
                                                     : "in turn");
    return nullptr;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &ranks.all);
  int rank = 0, numRanks = 1;
  MPI_Comm_rank(ranks.all, &rank);
  MPI_Comm_size(ranks.all, &numRanks);
  table.head = *wanted;
  table.context = &ranks;
  table.rank = static_cast<uint32_t>(rank);
  table.numRanks = static_cast<uint32_t>(numRanks);
  table.numProcessors = isSimulated ? 1 : shareOfProcessors(ranks.all);
  table.maxTag = maxTag(ranks);
  addChannels(table);
  table.gather = gather;
  table.finish = finish;
  table.abort = abort;
  return &table;
}

extern "C" __attribute__((visibility("default"))) const SluiceCluster *
sluiceOpenCluster(const SluiceTableHead *wanted, char *problem,
                  uint32_t problemSize) {
  return open(wanted, MPI_THREAD_SERIALIZED, problem, problemSize);
}

extern "C" __attribute__((visibility("default"))) const SluiceCluster *
sluiceOpenSharedCluster(const SluiceTableHead *wanted, char *problem,
                        uint32_t problemSize) {
  return open(wanted, MPI_THREAD_MULTIPLE, problem, problemSize);
}
