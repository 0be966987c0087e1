//===- Messages.h - Messages as tasks of a table --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each message between two ranks is a task on both sides that completes
// externally. The channels are made once and used each time the task runs.
// Contiguous memory is sent directly; other memory goes through a packed copy.
//
// Room: the other ranks of a program. May include Base, Pack, Scheduling for
// its threads, and Plan.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_MESSAGES_H
#define SLUICE_RUNTIME_CLUSTER_MESSAGES_H

#include "../Plan/OutsideTasks.h"

#include "sluice-c/Cluster.h"
#include "sluice-c/Tasks.h"
#include "sluice/Base/Status.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace farc {
class Datatype;
}

namespace sluice {

/// Elements of one array, as sorted runs of positions.
struct MessagePart {
  char *base; ///< address of element 0, even if it does not exist
  uint64_t elementBytes;
  std::vector<SluiceRun> runs;
  /// Resets elements after they were sent; null: they stay unchanged.
  std::function<void(void *elements, int64_t count)> reset;
};

class Messages final : public OutsideTasks {
public:
  explicit Messages(const SluiceCluster &cluster);
  ~Messages() override;

  /// Adds a task. The parts of a message are stored one after the other; both
  /// sides have the same numbers of elements. Tasks must be added in the order
  /// of their numbers.
  Status add(uint32_t task, bool isSend, uint32_t peer, uint32_t tag,
             std::vector<MessagePart> parts);

  void start(uint32_t task) override;
  void poll(const std::function<void(uint32_t task)> &setEnded) override;
  bool wait(const std::function<void(uint32_t task)> &setEnded) override;
  bool isBusy() const override {
    return numBusy.load(std::memory_order_acquire) != 0;
  }
  MessageInfo messageOf(uint32_t task) const override;

private:
  struct Part;
  struct Message {
    uint32_t task;
    MessageInfo info;
    SluiceChannel *channel = nullptr;
    /// Empty if the memory itself is sent.
    std::unique_ptr<char[]> packed;
    std::vector<Part> parts;
  };
  Message &find(uint32_t task);
  const Message &find(uint32_t task) const;
  /// `look`: the cluster's function that returns completed channels.
  void end(decltype(SluiceCluster::test) look,
           const std::function<void(uint32_t task)> &setEnded);
  static void pack(Message &message);
  static void unpack(const Message &message);

  const SluiceCluster &cluster;
  std::vector<Message> messages;
  std::atomic<uint32_t> numBusy{0};
  /// Guards calls of the cluster's functions and the following members.
  std::mutex mutex;
  /// Messages in progress: indices of messages, and their channels.
  std::vector<uint32_t> busy;
  std::vector<SluiceChannel *> channels;
  /// The result of a poll, kept so that polls allocate no memory.
  std::vector<uint32_t> endedPlaces;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_MESSAGES_H
