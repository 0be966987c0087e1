//===- RankLink.h - What ranks say to each other --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 tells the others what to do by messages that go down a tree, and
// errors come up the same tree. Bytes of the program's memory go straight from
// the rank that has them to the one that needs them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_RANKLINK_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_RANKLINK_H

#include "../Plan/OutsideTasks.h"

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
  Trace *getTrace() const { return trace; }

  /// All ranks get the bytes of rank 0. `meanwhile` is called again and again
  /// while others have not taken them.
  Status broadcast(std::vector<char> &bytes,
                   const std::function<void()> &meanwhile = {});
  /// Both sides name the same messages between them, in the same order; none
  /// is empty.
  Status exchange(std::span<RankMessage> messages);
  /// Each rank gives its error or nothing. Rank 0 gets that of the least rank
  /// that has one; others something that means nothing.
  std::string firstError(std::string own);

  /// Of its messages; those of others have greater ones.
  static constexpr uint32_t numTags = 4;
  [[noreturn]] void endForWantOfMemory(uint64_t bytes, uint32_t peer) const;
  /// Ends all ranks with a message: they do not agree any more.
  [[noreturn]] void endForDefect(const std::string &message) const;

private:
  /// Messages of different kinds between two ranks do not meet.
  enum Tag : uint32_t { Order, OrderRest, Outcome, Memory };
  /// The beginning of what is broadcast, and how much there is.
  struct Beginning {
    static constexpr uint64_t size = 504;
    uint64_t total;
    char bytes[size];
  };
  static constexpr uint64_t outcomeBytes = 256;

  struct Started {
    SluiceChannel *channel;
    MessageInfo info;
    uint64_t number = 0, time = 0; ///< for the timeline
  };
  void startAndWait(std::vector<Started> messages,
                    const std::function<void()> &meanwhile = {});
  std::vector<Started> withChildren(const std::vector<SluiceChannel *> &all,
                                    Tag tag, uint64_t bytes, bool isSend) const;
  Status forward(std::vector<char> &bytes, uint64_t first,
                 const std::function<void()> &meanwhile);

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
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_RANKLINK_H
