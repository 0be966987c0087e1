//===- StageMail.h - Messages between the stages of a stream --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage sends what it made of an item and goes on with the next one, without
// waiting for the rank of the next stage. That one gives a credit back for each
// message that it has taken; without credits a sender waits, so that no rank
// has to keep more than a few items of another one, or one that is large.
// Messages carry the number of their item, which the receiver compares with its
// own.
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

/// One thread at a time. Both ranks of a message know its size and its place
/// among the messages between them. Where there is no memory for one, all ranks
/// end.
class StageMail {
public:
  explicit StageMail(RankLink &link)
      : link(link), sent(link.table(), link.getTrace(), link.getBuffers()) {}
  StageMail(const StageMail &) = delete;
  StageMail &operator=(const StageMail &) = delete;

  using Piece = RankMessage::Piece;
  /// What `send` sends, `receive` or `expect` gets.
  enum Kind : uint32_t { ToStage, Result };

  /// Messages to one rank that it has not taken yet, and their bytes unless
  /// there is one only.
  static constexpr uint64_t maxUntaken = 8;
  static constexpr uint64_t maxUntakenBytes = uint64_t(1) << 20;

  /// Copies the pieces; waits only while more would not be taken than may be.
  void send(Kind kind, uint32_t peer, uint64_t item,
            std::span<const Piece> pieces);
  /// Waits for a message of kind ToStage.
  void receive(uint32_t peer, uint64_t item, std::span<const Piece> pieces);

  /// A Result will come; `pieces` are filled when it does, at any call of this
  /// object.
  void expect(uint32_t peer, uint64_t item, std::vector<Piece> pieces);
  /// How many of those that were expected have come, in their order.
  uint64_t numCome();
  /// Waits until all of them have.
  void waitForExpected();

  /// Waits until others have taken all that was sent. Before ranks say anything
  /// to each other that is no mail, all of what is expected has come; before
  /// the end, this as well.
  void finish();

private:
  struct Expected {
    uint32_t peer;
    uint64_t item;
    std::vector<Piece> pieces;
    uint64_t bytes;
    /// Once it is asked for.
    MessageBuffer buffer = {};
    NotedMessage noted = {};
  };
  /// Messages of one kind to one rank.
  struct Lane {
    /// The sizes of those that it has not said to have taken.
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
  /// In their order; the first ones have memory to come to.
  std::deque<Expected> expected;
  size_t numAsked = 0;
  uint64_t askedBytes = 0;
  uint64_t come = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_STAGEMAIL_H
