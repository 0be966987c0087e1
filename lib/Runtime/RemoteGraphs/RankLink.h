//===- RankLink.h - What ranks say to each other --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 tells the others what to do by messages that go down a tree, and
// errors come up the same tree. Bytes of the program's memory go straight from
// the rank that has them to the one that needs them.
//
// An order may be announced: it is copied at each rank of the tree, which goes
// on while those below do something else. They give a credit back for every few
// orders that they have taken, so no rank has to keep many of them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_RANKLINK_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_RANKLINK_H

#include "../Plan/OutsideTasks.h"
#include "MessageBuffers.h"

#include "sluice-c/Cluster.h"
#include "sluice/Base/Status.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sluice {

class Trace;

/// Bytes that go to another rank, or come from it, in one message.
struct RankMessage {
  struct Piece {
    char *data; ///< null: bytes that mean nothing
    uint64_t bytes;
  };
  bool isSend;
  uint32_t peer;
  std::vector<Piece> pieces;
};

/// Ever longer pauses of a rank that waits, so that ranks that share processors
/// let each other run.
class RankPause {
public:
  void take();

private:
  unsigned count = 0;
  long nanoseconds = 1000;
};

/// Every function is called by all ranks, in the same order, by one thread of
/// each at a time. It returns when this rank's part is done. Where there is no
/// memory for a message, which others wait for, all ranks end.
class RankLink {
public:
  explicit RankLink(const SluiceCluster &cluster);
  ~RankLink();
  RankLink(const RankLink &) = delete;
  RankLink &operator=(const RankLink &) = delete;

  uint32_t rank() const { return cluster.rank; }
  uint32_t numRanks() const { return cluster.numRanks; }
  const SluiceCluster &table() const { return cluster; }
  /// From now on messages are noted there; null: nowhere. All ranks begin and
  /// end with it between the same two messages.
  void setTrace(Trace *all) { trace = all; }
  Trace *const &getTrace() const { return trace; }

  /// All ranks get the bytes of rank 0, which broadcasts or announces them.
  Status broadcast(std::vector<char> &bytes);

  /// Announced orders that a rank of the tree has not taken yet.
  static constexpr uint64_t maxAnnounced = 16;
  /// Rank 0 calls this instead of `broadcast`, and goes on when the bytes are
  /// copied. It waits while a rank below has not taken `maxAnnounced` orders,
  /// or large ones; `meanwhile` is called again and again then.
  void announce(std::span<const char> bytes,
                const std::function<void()> &meanwhile = {});
  /// Goes on with announced orders; any rank.
  void look() { copies.look(); }
  /// Waits until all that was announced has been taken; before the end.
  void settle();
  /// Memory for messages of this link; for the thread that uses it.
  MessageBuffers &getBuffers() { return buffers; }

  /// Both sides name the same messages between them, in the same order; none
  /// is empty.
  Status exchange(std::span<RankMessage> messages);
  /// Each rank gives its error or nothing. Rank 0 gets that of the least rank
  /// that has one; others something that means nothing.
  std::string firstError(std::string own);

  /// Of its messages; those of others have greater ones.
  static constexpr uint32_t numTags = 5;
  [[noreturn]] void endForWantOfMemory(uint64_t bytes, uint32_t peer) const;
  /// Ends all ranks with a message: they do not agree any more.
  [[noreturn]] void endForDefect(const std::string &message) const;

private:
  /// Messages of different kinds between two ranks do not meet.
  enum Tag : uint32_t { Order, OrderRest, Outcome, Memory, OrderCredit };
  /// The beginning of what is broadcast, and how much there is.
  struct Beginning {
    static constexpr uint64_t size = 496;
    uint64_t total;
    uint64_t isAnnounced;
    char bytes[size];
  };
  /// One credit is for so many orders.
  static constexpr uint64_t ordersOfCredit = maxAnnounced / 2;
  /// Copies of announced orders that have not left, unless there is one only.
  static constexpr uint64_t maxCopied = uint64_t(2) << 20;
  static constexpr uint64_t outcomeBytes = 256;

  struct Started {
    SluiceChannel *channel;
    NotedMessage noted;
  };
  void startAndWait(std::vector<Started> messages);
  std::vector<Started> withChildren(const std::vector<SluiceChannel *> &all,
                                    Tag tag, uint64_t bytes, bool isSend) const;
  void takeRest(std::span<char> rest);
  void forward(std::span<char> rest);
  void announceBelow(std::span<const char> bytes,
                     const std::function<void()> &meanwhile);
  void takeCredit(size_t child, const std::function<void()> &meanwhile);
  void giveCredit();

  const SluiceCluster &cluster;
  Trace *trace = nullptr;
  /// In the tree; rank 0 has no parent.
  uint32_t parent = 0;
  std::vector<uint32_t> children;
  Beginning beginning = {};
  std::vector<char> outcomes;
  /// Made once: from the parent, and to each child; likewise upwards.
  SluiceChannel *fromParent = nullptr, *toParent = nullptr;
  std::vector<SluiceChannel *> toChildren, fromChildren;

  MessageBuffers buffers{cluster, [this](uint64_t bytes, uint32_t peer) {
                           endForWantOfMemory(bytes, peer);
                         }};
  CopiedMessages copies{cluster, trace, buffers};
  /// Announced orders: those that came from the parent, those that went down,
  /// and by child how many of them it has said to have taken.
  uint64_t numTaken = 0, numAnnounced = 0;
  std::vector<uint64_t> takenBelow;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_RANKLINK_H
