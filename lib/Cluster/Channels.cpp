//===- Channels.cpp - Repeated messages as persistent requests ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI counts with int: longer messages consist of a number of blocks and a
// rest.
//
//===----------------------------------------------------------------------===//

#include "Channels.h"

#include <climits>
#include <new>

using namespace sluice::cluster;

struct SluiceChannel {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL; ///< of a long message
};

static MPI_Datatype longType(uint64_t bytes) {
  constexpr uint64_t blockBytes = uint64_t(1) << 20;
  MPI_Datatype block, blocks, type;
  MPI_Type_contiguous(static_cast<int>(blockBytes), MPI_BYTE, &block);
  MPI_Type_contiguous(static_cast<int>(bytes / blockBytes), block, &blocks);
  int counts[] = {1, static_cast<int>(bytes % blockBytes)};
  MPI_Aint offsets[] = {0,
                        static_cast<MPI_Aint>(bytes / blockBytes * blockBytes)};
  MPI_Datatype types[] = {blocks, MPI_BYTE};
  MPI_Type_create_struct(2, counts, offsets, types, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&blocks);
  MPI_Type_free(&block);
  return type;
}

static SluiceChannel *open(void *context, bool isSend, uint32_t peer,
                           uint32_t tag, void *data, uint64_t bytes) {
  auto &ranks = *static_cast<Ranks *>(context);
  auto *channel = new (std::nothrow) SluiceChannel;
  if (!channel)
    return nullptr;
  std::lock_guard lock(ranks.mutex);
  MPI_Datatype type = MPI_BYTE;
  int count = static_cast<int>(bytes);
  if (bytes > INT_MAX) {
    type = channel->type = longType(bytes);
    count = 1;
  }
  if (isSend)
    MPI_Send_init(data, count, type, static_cast<int>(peer),
                  static_cast<int>(tag), ranks.all, &channel->request);
  else
    MPI_Recv_init(data, count, type, static_cast<int>(peer),
                  static_cast<int>(tag), ranks.all, &channel->request);
  return channel;
}

static SluiceChannel *openSend(void *context, uint32_t peer, uint32_t tag,
                               const void *data, uint64_t bytes) {
  return open(context, true, peer, tag, const_cast<void *>(data), bytes);
}

static SluiceChannel *openReceive(void *context, uint32_t peer, uint32_t tag,
                                  void *data, uint64_t bytes) {
  return open(context, false, peer, tag, data, bytes);
}

static void start(void *context, SluiceChannel *channel) {
  std::lock_guard lock(static_cast<Ranks *>(context)->mutex);
  MPI_Start(&channel->request);
}

/// `look` is MPI_Testsome or MPI_Waitsome.
static uint32_t ends(void *context, SluiceChannel *const *channels,
                     uint32_t count, uint32_t *ended,
                     decltype(MPI_Testsome) *look) {
  auto &ranks = *static_cast<Ranks *>(context);
  std::lock_guard lock(ranks.mutex);
  ranks.requests.resize(count);
  ranks.ended.resize(count);
  for (uint32_t i = 0; i < count; ++i)
    ranks.requests[i] = channels[i]->request;
  int numEnded = 0;
  look(static_cast<int>(count), ranks.requests.data(), &numEnded,
       ranks.ended.data(), MPI_STATUSES_IGNORE);
  if (numEnded == MPI_UNDEFINED)
    return 0;
  for (int i = 0; i < numEnded; ++i)
    ended[i] = static_cast<uint32_t>(ranks.ended[i]);
  return static_cast<uint32_t>(numEnded);
}

static uint32_t test(void *context, SluiceChannel *const *channels,
                     uint32_t count, uint32_t *ended) {
  return ends(context, channels, count, ended, MPI_Testsome);
}

static uint32_t wait(void *context, SluiceChannel *const *channels,
                     uint32_t count, uint32_t *ended) {
  return ends(context, channels, count, ended, MPI_Waitsome);
}

static void close(void *context, SluiceChannel *channel) {
  {
    std::lock_guard lock(static_cast<Ranks *>(context)->mutex);
    MPI_Request_free(&channel->request);
    if (channel->type != MPI_DATATYPE_NULL)
      MPI_Type_free(&channel->type);
  }
  delete channel;
}

void sluice::cluster::addChannels(SluiceCluster &table) {
  table.openSend = openSend;
  table.openReceive = openReceive;
  table.start = start;
  table.test = test;
  table.wait = isSimulated ? wait : nullptr;
  table.close = close;
}
