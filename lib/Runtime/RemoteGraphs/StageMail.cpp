//===- StageMail.cpp - Messages between the stages of a stream ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a rank waits for one thing, it takes results that have come: otherwise
// the rank that sent them could wait for a credit, and this one for that rank.
//
//===----------------------------------------------------------------------===//

#include "StageMail.h"

#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"

#include "sluice/Base/Text.h"

#include <cstring>
#include <new>

using namespace sluice;

/// Those of RankLink come before.
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

StageMail::~StageMail() {
  const SluiceCluster &cluster = link.table();
  // What is under way is left to the end of the process.
  for (Sent &message : sent)
    if (hasEnded(message.channel))
      cluster.close(cluster.context, message.channel);
    else
      (void)message.bytes.release();
}

std::unique_ptr<char[]> StageMail::room(uint64_t bytes, uint32_t peer) const {
  std::unique_ptr<char[]> result(new (std::nothrow) char[bytes]);
  if (!result)
    link.endForWantOfMemory(bytes, peer);
  return result;
}

bool StageMail::hasEnded(SluiceChannel *channel) {
  const SluiceCluster &cluster = link.table();
  uint32_t ended = 0;
  return cluster.test(cluster.context, &channel, 1, &ended) == 1;
}

StageMail::Noted StageMail::begin(Kind kind, uint32_t peer, uint64_t bytes,
                                  bool isSend) {
  Noted noted = {{peer, tagOf(kind, /*isCredit=*/false), bytes, isSend}};
  if (Trace *trace = link.getTrace()) {
    noted.number = trace->beginMessage(noted.info);
    noted.time = clockNanoseconds();
  }
  return noted;
}

/// The message has ended.
void StageMail::note(const Noted &noted) {
  if (Trace *trace = link.getTrace(); trace && noted.time)
    trace->addMessage(noted.info, noted.number, noted.time, clockNanoseconds());
}

/// Goes on with what is under way.
void StageMail::look() {
  const SluiceCluster &cluster = link.table();
  while (!sent.empty() && hasEnded(sent.front().channel)) {
    cluster.close(cluster.context, sent.front().channel);
    note(sent.front().noted);
    sent.pop_front();
  }
  while (!expected.empty() && hasEnded(expected.front().channel)) {
    const Expected message = std::move(expected.front());
    expected.pop_front();
    cluster.close(cluster.context, message.channel);
    note(message.noted);
    unpack(message.bytes.get(), message.peer, message.item, message.pieces);
    giveCredit(Result, message.peer);
    ++come;
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
  const SluiceCluster &cluster = link.table();
  Sent &credit = sent.emplace_back(Sent{nullptr, room(1, peer), {}});
  credit.bytes[0] = 0;
  credit.channel =
      cluster.openSend(cluster.context, peer, tagOf(kind, /*isCredit=*/true),
                       credit.bytes.get(), 1);
  if (!credit.channel)
    link.endForWantOfMemory(1, peer);
  cluster.start(cluster.context, credit.channel);
}

void StageMail::takeCredit(Kind kind, uint32_t peer, Lane &lane) {
  const SluiceCluster &cluster = link.table();
  char credit = 0;
  SluiceChannel *channel = cluster.openReceive(
      cluster.context, peer, tagOf(kind, /*isCredit=*/true), &credit, 1);
  if (!channel)
    link.endForWantOfMemory(1, peer);
  cluster.start(cluster.context, channel);
  waitUntil([&] { return hasEnded(channel); });
  cluster.close(cluster.context, channel);
  ++lane.numTaken;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void StageMail::send(Kind kind, uint32_t peer, uint64_t item,
                     std::span<const Piece> pieces) {
  const SluiceCluster &cluster = link.table();
  look();
  Lane &lane = lanes[{peer, kind}];
  while (lane.numSent - lane.numTaken >= maxUntaken)
    takeCredit(kind, peer, lane);
  const uint64_t bytes = sizeOf(pieces);
  Sent &message = sent.emplace_back(Sent{
      nullptr, room(bytes, peer), begin(kind, peer, bytes, /*isSend=*/true)});
  char *to = message.bytes.get();
  std::memcpy(to, &item, sizeof item);
  to += sizeof item;
  for (const Piece &piece : pieces) {
    std::memcpy(to, piece.data, piece.bytes);
    to += piece.bytes;
  }
  message.channel =
      cluster.openSend(cluster.context, peer, tagOf(kind, /*isCredit=*/false),
                       message.bytes.get(), bytes);
  if (!message.channel)
    link.endForWantOfMemory(bytes, peer);
  cluster.start(cluster.context, message.channel);
  ++lane.numSent;
}

void StageMail::receive(uint32_t peer, uint64_t item,
                        std::span<const Piece> pieces) {
  const SluiceCluster &cluster = link.table();
  const uint64_t bytes = sizeOf(pieces);
  const std::unique_ptr<char[]> all = room(bytes, peer);
  SluiceChannel *channel =
      cluster.openReceive(cluster.context, peer,
                          tagOf(ToStage, /*isCredit=*/false), all.get(), bytes);
  if (!channel)
    link.endForWantOfMemory(bytes, peer);
  const Noted noted = begin(ToStage, peer, bytes, /*isSend=*/false);
  cluster.start(cluster.context, channel);
  waitUntil([&] { return hasEnded(channel); });
  cluster.close(cluster.context, channel);
  note(noted);
  unpack(all.get(), peer, item, pieces);
  giveCredit(ToStage, peer);
}

void StageMail::expect(uint32_t peer, uint64_t item,
                       std::vector<Piece> pieces) {
  const SluiceCluster &cluster = link.table();
  const uint64_t bytes = sizeOf(pieces);
  Expected &message = expected.emplace_back(
      Expected{peer, item, std::move(pieces), nullptr, room(bytes, peer),
               begin(Result, peer, bytes, /*isSend=*/false)});
  message.channel = cluster.openReceive(cluster.context, peer,
                                        tagOf(Result, /*isCredit=*/false),
                                        message.bytes.get(), bytes);
  if (!message.channel)
    link.endForWantOfMemory(bytes, peer);
  cluster.start(cluster.context, message.channel);
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
    while (lane.numTaken < lane.numSent)
      takeCredit(to.second, to.first, lane);
  waitUntil([&] { return sent.empty(); });
}
