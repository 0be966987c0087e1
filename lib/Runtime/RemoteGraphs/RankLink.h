//===- RankLink.h - Communication between ranks ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 sends orders to the others by messages that go down a tree, and errors
// come up the same tree. Bytes of the program's memory go directly from the
// rank that has them to the rank that needs them.
//
// An order may be announced: each rank of the tree copies it and continues,
// even if the ranks below are still busy. They return a credit for every few
// orders that they have taken, so no rank has to keep many orders.
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

/// Bytes that are sent to another rank, or received from it, in one message.
struct RankMessage {
  struct Piece {
    char *data; ///< null: bytes without meaning
    uint64_t bytes;
  };
  bool isSend;
  uint32_t peer;
  std::vector<Piece> pieces;
};

/// Increasing pauses of a waiting rank, so that ranks that share processors let
/// each other run.
class RankPause {
public:
  void take();

private:
  unsigned count = 0;
  long nanoseconds = 1000;
};

/// All ranks call every function, in the same order, each from one thread at a
/// time. A function returns when this rank's part is done. If there is no
/// memory for a message, for which other ranks wait, all ranks end.
class RankLink {
public:
  explicit RankLink(const SluiceCluster &cluster);
  ~RankLink();
  RankLink(const RankLink &) = delete;
  RankLink &operator=(const RankLink &) = delete;

  uint32_t rank() const { return cluster.rank; }
  uint32_t numRanks() const { return cluster.numRanks; }
  const SluiceCluster &table() const { return cluster; }
  /// From now on messages are recorded there; null: nowhere. All ranks begin
  /// and end this between the same two messages.
  void setTrace(Trace *all) { trace = all; }
  Trace *const &getTrace() const { return trace; }

  /// All ranks receive the bytes that rank 0 broadcasts or announces.
  Status broadcast(std::vector<char> &bytes);

  /// The maximum number of announced orders that a rank of the tree has not
  /// taken.
  static constexpr uint64_t maxAnnounced = 16;
  /// Rank 0 calls this instead of `broadcast`; it returns when the bytes are
  /// copied. It waits while a rank below has not taken `maxAnnounced` orders,
  /// or large ones; meanwhile it calls `meanwhile` repeatedly.
  void announce(std::span<const char> bytes,
                const std::function<void()> &meanwhile = {});
  /// Advances announced orders; any rank.
  void look() { copies.look(); }
  /// Waits until all announced orders have been taken; call it before the end.
  void settle();
  /// Memory for messages of this link, for the thread that uses it.
  MessageBuffers &getBuffers() { return buffers; }

  /// Both sides list the same messages between them, in the same order; no
  /// message may be empty.
  Status exchange(std::span<RankMessage> messages);
  /// Each rank passes its error or an empty text. Rank 0 receives the error of
  /// the lowest rank that has one; other ranks receive a meaningless text.
  std::string firstError(std::string own);

  /// The number of tags of its messages; other messages have greater tags.
  static constexpr uint32_t numTags = 5;
  [[noreturn]] void endForWantOfMemory(uint64_t bytes, uint32_t peer) const;
  /// Ends all ranks with a message because they do not agree any more.
  [[noreturn]] void endForDefect(const std::string &message) const;

private:
  /// Separates messages of different kinds between two ranks.
  enum Tag : uint32_t { Order, OrderRest, Outcome, Memory, OrderCredit };
  /// The beginning of a broadcast, with its size.
  struct Beginning {
    static constexpr uint64_t size = 496;
    uint64_t total;
    uint64_t isAnnounced;
    char bytes[size];
  };
  /// The number of orders per credit.
  static constexpr uint64_t ordersOfCredit = maxAnnounced / 2;
  /// Limit on copies of announced orders that have not been sent, unless there
  /// is only one.
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
  /// Made once: from the parent, and to each child; and upwards.
  SluiceChannel *fromParent = nullptr, *toParent = nullptr;
  std::vector<SluiceChannel *> toChildren, fromChildren;

  MessageBuffers buffers{cluster, [this](uint64_t bytes, uint32_t peer) {
                           endForWantOfMemory(bytes, peer);
                         }};
  CopiedMessages copies{cluster, trace, buffers};
  /// Announced orders: the number received from the parent, the number sent
  /// down, and for each child the number that it has confirmed.
  uint64_t numTaken = 0, numAnnounced = 0;
  std::vector<uint64_t> takenBelow;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_RANKLINK_H
