//===- StageMail.h - Messages between the stages of a stream --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage sends its results for an item and continues with the next item,
// without waiting for the rank of the next stage. That rank returns a credit
// for each message that it has taken. Without credits a sender waits, so that
// no rank has to keep more than a few items, or one large item, of another
// rank. Messages contain the number of their item, which the receiver checks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_STAGEMAIL_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_STAGEMAIL_H

#include "RankLink.h"

#include <deque>
#include <map>
#include <span>
#include <utility>

namespace sluice {

/// Used by one thread at a time. Both ranks of a message know its size and its
/// position among the messages between them. If there is no memory for a
/// message, all ranks end.
class StageMail {
public:
  explicit StageMail(RankLink &link)
      : link(link), sent(link.table(), link.getTrace(), link.getBuffers()) {}
  StageMail(const StageMail &) = delete;
  StageMail &operator=(const StageMail &) = delete;

  using Piece = RankMessage::Piece;
  /// `send` sends a message; `receive` or `expect` receives it.
  enum Kind : uint32_t { ToStage, Result };

  /// The maximum number of untaken messages to one rank. Their size is limited,
  /// too, unless there is only one.
  static constexpr uint64_t maxUntaken = 8;
  static constexpr uint64_t maxUntakenBytes = uint64_t(1) << 20;

  /// Copies the pieces; waits only while the limit of untaken messages is
  /// reached.
  void send(Kind kind, uint32_t peer, uint64_t item,
            std::span<const Piece> pieces);
  /// Waits for a message of kind ToStage.
  void receive(uint32_t peer, uint64_t item, std::span<const Piece> pieces);

  /// Expects a Result; `pieces` are filled when it arrives, during any call of
  /// this object.
  void expect(uint32_t peer, uint64_t item, std::vector<Piece> pieces);
  /// How many of the expected results have arrived, in order.
  uint64_t numCome();
  /// Waits until all of them have.
  void waitForExpected();

  /// Waits until others have taken all messages. Before ranks communicate in
  /// other ways, all expected results must have arrived; before the end, this
  /// must be called, too.
  void finish();

private:
  struct Expected {
    uint32_t peer;
    uint64_t item;
    std::vector<Piece> pieces;
    uint64_t bytes;
    /// Set when it is requested.
    MessageBuffer buffer = {};
    NotedMessage noted = {};
  };
  /// Messages of one kind to one rank.
  struct Lane {
    /// The sizes of untaken messages.
    std::deque<uint64_t> untaken;
    uint64_t bytes = 0;
  };

  bool hasEnded(SluiceChannel *channel);
  void look();
  void askForExpected();
  template <typename Condition> void waitUntil(Condition isMet);
  void giveCredit(Kind kind, uint32_t peer);
  void takeCredit(Kind kind, uint32_t peer, Lane &lane);
  void unpack(const char *bytes, uint32_t peer, uint64_t item,
              std::span<const Piece> pieces);

  RankLink &link;
  std::map<std::pair<uint32_t, Kind>, Lane> lanes;
  CopiedMessages sent;
  /// In order; the first ones have memory for their data.
  std::deque<Expected> expected;
  size_t numAsked = 0;
  uint64_t askedBytes = 0;
  uint64_t come = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_STAGEMAIL_H
