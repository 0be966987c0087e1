//===- StageMail.cpp - Messages between the stages of a stream ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a rank waits, it takes arrived results: otherwise their sender could
// wait for a credit, and this rank for the sender.
//
//===----------------------------------------------------------------------===//

#include "StageMail.h"

#include "sluice/Base/Text.h"

#include <cstring>

using namespace sluice;

/// The tags of RankLink come first.
static uint32_t tagOf(StageMail::Kind kind, bool isCredit) {
  constexpr uint32_t firstTag = RankLink::numTags;
  return firstTag + 2 * kind + isCredit;
}

static uint64_t sizeOf(std::span<const StageMail::Piece> pieces) {
  uint64_t bytes = sizeof(uint64_t); // the item's number
  for (const StageMail::Piece &piece : pieces)
    bytes += piece.bytes;
  return bytes;
}

bool StageMail::hasEnded(SluiceChannel *channel) {
  const SluiceCluster &cluster = link.table();
  uint32_t ended = 0;
  return cluster.test(cluster.context, &channel, 1, &ended) == 1;
}

/// Advances messages in progress.
void StageMail::look() {
  link.look();
  sent.look();
  while (numAsked != 0 && hasEnded(expected.front().buffer.channel)) {
    Expected message = std::move(expected.front());
    expected.pop_front();
    --numAsked;
    askedBytes -= message.bytes;
    message.noted.end(link.getTrace());
    unpack(message.buffer.data.get(), message.peer, message.item,
           message.pieces);
    giveCredit(Result, message.peer);
    link.getBuffers().give(std::move(message.buffer));
    ++come;
    askForExpected();
  }
}

template <typename Condition> void StageMail::waitUntil(Condition isMet) {
  RankPause pause;
  while (!isMet()) {
    look();
    pause.take();
  }
}

void StageMail::unpack(const char *bytes, uint32_t peer, uint64_t item,
                       std::span<const Piece> pieces) {
  uint64_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
  if (number != item)
    link.endForDefect(concat("rank ", peer, " sent item ", number,
                             " of a stream where item ", item, " is due"));
  bytes += sizeof number;
  for (const Piece &piece : pieces) {
    std::memcpy(piece.data, bytes, piece.bytes);
    bytes += piece.bytes;
  }
}

//===----------------------------------------------------------------------===//
// Credits
//===----------------------------------------------------------------------===//

void StageMail::giveCredit(Kind kind, uint32_t peer) {
  sent.send(peer, tagOf(kind, /*isCredit=*/true), 1, /*isNoted=*/false,
            [](char *to) { *to = 0; });
}

void StageMail::takeCredit(Kind kind, uint32_t peer, Lane &lane) {
  const SluiceCluster &cluster = link.table();
  MessageBuffer credit =
      link.getBuffers().take({false, peer, tagOf(kind, /*isCredit=*/true), 1});
  cluster.start(cluster.context, credit.channel);
  waitUntil([&] { return hasEnded(credit.channel); });
  link.getBuffers().give(std::move(credit));
  lane.bytes -= lane.untaken.front();
  lane.untaken.pop_front();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void StageMail::send(Kind kind, uint32_t peer, uint64_t item,
                     std::span<const Piece> pieces) {
  look();
  const uint64_t bytes = sizeOf(pieces);
  Lane &lane = lanes[{peer, kind}];
  while (lane.untaken.size() >= maxUntaken ||
         (!lane.untaken.empty() && lane.bytes + bytes > maxUntakenBytes))
    takeCredit(kind, peer, lane);
  sent.send(peer, tagOf(kind, /*isCredit=*/false), bytes, /*isNoted=*/true,
            [&](char *to) {
              std::memcpy(to, &item, sizeof item);
              to += sizeof item;
              for (const Piece &piece : pieces) {
                std::memcpy(to, piece.data, piece.bytes);
                to += piece.bytes;
              }
            });
  lane.untaken.push_back(bytes);
  lane.bytes += bytes;
}

void StageMail::receive(uint32_t peer, uint64_t item,
                        std::span<const Piece> pieces) {
  const SluiceCluster &cluster = link.table();
  const MessageShape shape = {false, peer, tagOf(ToStage, /*isCredit=*/false),
                              sizeOf(pieces)};
  MessageBuffer buffer = link.getBuffers().take(shape);
  const NotedMessage noted = NotedMessage::begin(
      link.getTrace(), {peer, shape.tag, shape.bytes, /*isSend=*/false});
  cluster.start(cluster.context, buffer.channel);
  waitUntil([&] { return hasEnded(buffer.channel); });
  noted.end(link.getTrace());
  unpack(buffer.data.get(), peer, item, pieces);
  link.getBuffers().give(std::move(buffer));
  giveCredit(ToStage, peer);
}

void StageMail::expect(uint32_t peer, uint64_t item,
                       std::vector<Piece> pieces) {
  const uint64_t bytes = sizeOf(pieces);
  expected.push_back({peer, item, std::move(pieces), bytes});
  askForExpected();
}

/// The number of results with memory is the number that may be sent.
void StageMail::askForExpected() {
  const SluiceCluster &cluster = link.table();
  while (numAsked < expected.size() && numAsked < maxUntaken) {
    Expected &message = expected[numAsked];
    if (numAsked != 0 && askedBytes + message.bytes > maxUntakenBytes)
      return;
    const MessageShape shape = {
        false, message.peer, tagOf(Result, /*isCredit=*/false), message.bytes};
    message.buffer = link.getBuffers().take(shape);
    message.noted = NotedMessage::begin(
        link.getTrace(), {shape.peer, shape.tag, shape.bytes, false});
    cluster.start(cluster.context, message.buffer.channel);
    ++numAsked;
    askedBytes += message.bytes;
  }
}

uint64_t StageMail::numCome() {
  look();
  return come;
}

void StageMail::waitForExpected() {
  waitUntil([&] { return expected.empty(); });
}

void StageMail::finish() {
  waitForExpected();
  for (auto &[to, lane] : lanes)
    while (!lane.untaken.empty())
      takeCredit(to.second, to.first, lane);
  waitUntil([&] { return sent.isEmpty(); });
}
