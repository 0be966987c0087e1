//===- ThreadCluster.h - Ranks that are threads of a test -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster whose messages go through queues in memory. It counts them, and
// reports channels that are used wrongly.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_TESTING_THREADCLUSTER_H
#define SLUICE_RUNTIME_CLUSTER_TESTING_THREADCLUSTER_H

#include "sluice-c/Cluster.h"
#include "sluice/Base/TableHead.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::test {

class ThreadCluster {
public:
  explicit ThreadCluster(uint32_t numRanks) : numMessagesOf(numRanks, 0) {
    for (uint32_t rank = 0; rank < numRanks; ++rank) {
      Rank &context = *ranks.emplace_back(std::make_unique<Rank>());
      context.all = this;
      context.rank = rank;
      SluiceCluster &table = context.table;
      table.head = tableHead<SluiceCluster>;
      table.name = "threads";
      table.context = &context;
      table.rank = rank;
      table.numRanks = numRanks;
      table.numProcessors = 1;
      table.maxTag = 1 << 20;
      table.openSend = [](void *context, uint32_t peer, uint32_t tag,
                          const void *data, uint64_t bytes) {
        return open(context, true, peer, tag, const_cast<void *>(data), bytes);
      };
      table.openReceive = [](void *context, uint32_t peer, uint32_t tag,
                             void *data, uint64_t bytes) {
        return open(context, false, peer, tag, data, bytes);
      };
      table.start = start;
      table.test = testAll;
      table.close = [](void *context, SluiceChannel *channel) {
        ThreadCluster &all = *static_cast<Rank *>(context)->all;
        std::lock_guard lock(all.mutex);
        all.channels.erase(reinterpret_cast<Channel *>(channel));
      };
      table.gather = gather;
    }
  }
  const SluiceCluster &of(uint32_t rank) const { return ranks[rank]->table; }

  /// Longer messages stay at their sender until they are received.
  uint64_t eagerBytes = UINT64_MAX;
  uint64_t numMessages = 0, numBytes = 0;
  /// Of each rank, from others and to others.
  std::vector<uint64_t> numMessagesOf;
  /// Nothing is under way.
  bool isQuiet() const {
    for (const auto &[key, queue] : queues)
      if (!queue.empty())
        return false;
    return true;
  }

private:
  struct Rank {
    ThreadCluster *all;
    uint32_t rank;
    SluiceCluster table = {};
    uint64_t numGathers = 0;
  };
  struct Channel {
    bool isSend;
    uint32_t from, to, tag;
    char *data;
    uint64_t bytes;
    /// Ends that came late, for the order of a real network.
    unsigned delay = 0;
    /// Of a long message.
    std::shared_ptr<bool> isReceived = nullptr;
  };
  struct Message {
    std::string bytes;
    std::shared_ptr<bool> isReceived;
  };
  static SluiceChannel *open(void *context, bool isSend, uint32_t peer,
                             uint32_t tag, void *data, uint64_t bytes) {
    uint32_t own = static_cast<Rank *>(context)->rank;
    EXPECT_NE(own, peer);
    EXPECT_NE(bytes, 0u);
    std::unique_ptr<Channel> channel(
        new Channel{isSend, isSend ? own : peer, isSend ? peer : own, tag,
                    static_cast<char *>(data), bytes});
    ThreadCluster &all = *static_cast<Rank *>(context)->all;
    std::lock_guard lock(all.mutex);
    Channel *result = channel.get();
    all.channels[result] = std::move(channel);
    return reinterpret_cast<SluiceChannel *>(result);
  }
  static void start(void *context, SluiceChannel *given) {
    auto &channel = *reinterpret_cast<Channel *>(given);
    ThreadCluster &all = *static_cast<Rank *>(context)->all;
    std::lock_guard lock(all.mutex);
    channel.delay = all.numStarts++ % 4;
    if (!channel.isSend)
      return;
    channel.isReceived =
        std::make_shared<bool>(channel.bytes <= all.eagerBytes);
    all.queues[{channel.from, channel.to, channel.tag}].push_back(
        {std::string(channel.data, channel.bytes), channel.isReceived});
    ++all.numMessages;
    ++all.numMessagesOf[channel.from];
    ++all.numMessagesOf[channel.to];
    all.numBytes += channel.bytes;
  }
  static uint32_t testAll(void *context, SluiceChannel *const *channels,
                          uint32_t count, uint32_t *ended) {
    ThreadCluster &all = *static_cast<Rank *>(context)->all;
    std::lock_guard lock(all.mutex);
    uint32_t numEnded = 0;
    for (uint32_t i = 0; i < count; ++i) {
      auto &channel = *reinterpret_cast<Channel *>(channels[i]);
      if (channel.delay) {
        --channel.delay;
        continue;
      }
      if (channel.isSend && !*channel.isReceived)
        continue;
      if (!channel.isSend) {
        auto &queue = all.queues[{channel.from, channel.to, channel.tag}];
        if (queue.empty())
          continue;
        const Message &message = queue.front();
        EXPECT_EQ(message.bytes.size(), channel.bytes);
        std::memcpy(channel.data, message.bytes.data(),
                    std::min<size_t>(channel.bytes, message.bytes.size()));
        *message.isReceived = true;
        queue.pop_front();
      }
      ended[numEnded++] = i;
    }
    return numEnded;
  }

  /// The k-th call of each rank belongs to the k-th of the others.
  static void gather(void *context, const void *mine, uint32_t bytes,
                     void *all) {
    Rank &rank = *static_cast<Rank *>(context);
    ThreadCluster &cluster = *rank.all;
    std::unique_lock lock(cluster.mutex);
    const uint64_t number = rank.numGathers++;
    if (cluster.gathered.size() <= number)
      cluster.gathered.resize(number + 1);
    std::map<uint32_t, std::string> &parts = cluster.gathered[number];
    parts[rank.rank] = std::string(static_cast<const char *>(mine), bytes);
    cluster.hasGathered.notify_all();
    cluster.hasGathered.wait(lock, [&] {
      return cluster.gathered[number].size() == cluster.ranks.size();
    });
    for (const auto &[from, part] : cluster.gathered[number])
      std::memcpy(static_cast<char *>(all) + from * bytes, part.data(), bytes);
  }

  std::vector<std::unique_ptr<Rank>> ranks;
  std::mutex mutex;
  /// Those that nobody has closed yet: a rank that is lost does not.
  std::map<Channel *, std::unique_ptr<Channel>> channels;
  std::condition_variable hasGathered;
  std::deque<std::map<uint32_t, std::string>> gathered;
  uint64_t numStarts = 0;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::deque<Message>>
      queues;
};

} // namespace sluice::test

#endif // SLUICE_RUNTIME_CLUSTER_TESTING_THREADCLUSTER_H
