//===- RankLink.cpp - Communication between ranks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree is binomial: the parent of a rank is the rank without its lowest set
// bit. A waiting rank polls at increasing intervals, so that ranks that share
// processors let each other run.
//
//===----------------------------------------------------------------------===//

#include "RankLink.h"

#include "../Cluster/Failures.h"
#include "../Trace/Trace.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <sched.h>
#include <time.h>

using namespace sluice;

void RankPause::take() {
  constexpr unsigned numSpins = 200, numYields = 200;
  constexpr long longest = 200 * 1000;
  if (++count <= numSpins)
    return;
  if (count <= numSpins + numYields) {
    ::sched_yield();
    return;
  }
  const timespec time = {0, nanoseconds};
  ::nanosleep(&time, nullptr);
  nanoseconds = std::min(longest, 2 * nanoseconds);
}

RankLink::RankLink(const SluiceCluster &cluster) : cluster(cluster) {
  const uint32_t own = rank();
  parent = own & (own - 1);
  for (uint32_t bit = 1; bit != 0 && (own & bit) == 0; bit <<= 1)
    if (uint64_t(own | bit) < numRanks() && (own | bit) != own)
      children.push_back(own | bit);
  takenBelow.resize(children.size());
  outcomes.resize((children.size() + 1) * outcomeBytes);
  void *context = cluster.context;
  if (own != 0) {
    fromParent = cluster.openReceive(context, parent, Order, &beginning,
                                     sizeof beginning);
    toParent = cluster.openSend(context, parent, Outcome, outcomes.data(),
                                outcomeBytes);
  }
  for (size_t i = 0; i < children.size(); ++i) {
    toChildren.push_back(cluster.openSend(context, children[i], Order,
                                          &beginning, sizeof beginning));
    fromChildren.push_back(cluster.openReceive(
        context, children[i], Outcome, outcomes.data() + (i + 1) * outcomeBytes,
        outcomeBytes));
  }
}

RankLink::~RankLink() {
  for (auto *channels : {&toChildren, &fromChildren})
    for (SluiceChannel *channel : *channels)
      cluster.close(cluster.context, channel);
  for (SluiceChannel *channel : {fromParent, toParent})
    if (channel)
      cluster.close(cluster.context, channel);
}

void RankLink::endForWantOfMemory(uint64_t bytes, uint32_t peer) const {
  endForDefect(concat("no memory for a message of ", bytes,
                      " bytes between ranks ", rank(), " and ", peer));
}

void RankLink::endForDefect(const std::string &message) const {
  std::fflush(stdout);
  std::fprintf(stderr, "sluice: error: %s\n", message.c_str());
  endAllRanks(cluster, 1, /*isNamed=*/true);
}

void RankLink::startAndWait(std::vector<Started> messages) {
  std::vector<SluiceChannel *> channels;
  for (Started &message : messages) {
    message.noted = NotedMessage::begin(trace, message.noted.info);
    channels.push_back(message.channel);
    cluster.start(cluster.context, message.channel);
  }
  RankPause pause;
  std::vector<uint32_t> ended(channels.size());
  while (!channels.empty()) {
    uint32_t count = cluster.test(cluster.context, channels.data(),
                                  channels.size(), ended.data());
    if (count == 0) {
      look();
      pause.take();
      continue;
    }
    // Iterates backwards, because the last entry moves to the freed position.
    std::sort(ended.begin(), ended.begin() + count, std::greater<>());
    for (uint32_t i = 0; i < count; ++i) {
      messages[ended[i]].noted.end(trace);
      channels[ended[i]] = channels.back();
      channels.pop_back();
      messages[ended[i]] = messages.back();
      messages.pop_back();
    }
  }
}

/// Messages to or from all children.
std::vector<RankLink::Started>
RankLink::withChildren(const std::vector<SluiceChannel *> &all, Tag tag,
                       uint64_t bytes, bool isSend) const {
  std::vector<Started> messages;
  for (size_t i = 0; i < children.size(); ++i)
    messages.push_back({all[i], {{children[i], tag, bytes, isSend}}});
  return messages;
}

//===----------------------------------------------------------------------===//
// Down and up the tree
//===----------------------------------------------------------------------===//

Status RankLink::broadcast(std::vector<char> &bytes) {
  if (rank() != 0) {
    startAndWait({{fromParent, {{parent, Order, sizeof beginning, false}}}});
    bytes.resize(beginning.total);
  } else {
    beginning.total = bytes.size();
    beginning.isAnnounced = false;
  }
  const uint64_t first = std::min<uint64_t>(beginning.total, Beginning::size);
  if (first != 0 && rank() != 0)
    std::memcpy(bytes.data(), beginning.bytes, first);
  else if (first != 0)
    std::memcpy(beginning.bytes, bytes.data(), first);
  const std::span<char> rest = std::span(bytes).subspan(first);
  if (beginning.isAnnounced) {
    takeRest(rest);
    announceBelow(bytes, {});
    giveCredit();
    return {};
  }
  startAndWait(withChildren(toChildren, Order, sizeof beginning, true));
  takeRest(rest);
  forward(rest);
  return {};
}

/// The part that did not fit into the first message.
void RankLink::takeRest(std::span<char> rest) {
  if (rest.empty() || rank() == 0)
    return;
  SluiceChannel *channel = cluster.openReceive(
      cluster.context, parent, OrderRest, rest.data(), rest.size());
  if (!channel)
    endForWantOfMemory(rest.size(), parent);
  startAndWait({{channel, {{parent, OrderRest, rest.size(), false}}}});
  cluster.close(cluster.context, channel);
}

void RankLink::forward(std::span<char> rest) {
  if (rest.empty())
    return;
  std::vector<SluiceChannel *> channels;
  for (uint32_t child : children) {
    channels.push_back(cluster.openSend(cluster.context, child, OrderRest,
                                        rest.data(), rest.size()));
    if (!channels.back())
      endForWantOfMemory(rest.size(), child);
  }
  startAndWait(withChildren(channels, OrderRest, rest.size(), true));
  for (SluiceChannel *channel : channels)
    cluster.close(cluster.context, channel);
}

//===----------------------------------------------------------------------===//
// Orders that are announced
//===----------------------------------------------------------------------===//

void RankLink::announce(std::span<const char> bytes,
                        const std::function<void()> &meanwhile) {
  announceBelow(bytes, meanwhile);
}

void RankLink::announceBelow(std::span<const char> bytes,
                             const std::function<void()> &meanwhile) {
  look();
  for (size_t i = 0; i < children.size(); ++i)
    while (numAnnounced - takenBelow[i] >= maxAnnounced)
      takeCredit(i, meanwhile);
  const uint64_t first = std::min<uint64_t>(bytes.size(), Beginning::size);
  const std::span<const char> rest = bytes.subspan(first);
  RankPause pause;
  while (!copies.isEmpty() &&
         copies.bytes() + rest.size() * children.size() > maxCopied) {
    look();
    if (meanwhile)
      meanwhile();
    pause.take();
  }
  for (uint32_t child : children) {
    copies.send(child, Order, sizeof(Beginning), /*isNoted=*/true,
                [&](char *to) {
                  Beginning head = {bytes.size(), true, {}};
                  if (first != 0)
                    std::memcpy(head.bytes, bytes.data(), first);
                  std::memcpy(to, &head, sizeof head);
                });
    if (!rest.empty())
      copies.send(child, OrderRest, rest.size(), /*isNoted=*/true,
                  [&](char *to) { std::memcpy(to, rest.data(), rest.size()); });
  }
  ++numAnnounced;
}

/// Waits until a child has taken some more orders.
void RankLink::takeCredit(size_t child,
                          const std::function<void()> &meanwhile) {
  MessageBuffer credit = buffers.take({false, children[child], OrderCredit, 1});
  cluster.start(cluster.context, credit.channel);
  RankPause pause;
  uint32_t ended = 0;
  while (!cluster.test(cluster.context, &credit.channel, 1, &ended)) {
    look();
    if (meanwhile)
      meanwhile();
    pause.take();
  }
  buffers.give(std::move(credit));
  takenBelow[child] += ordersOfCredit;
}

/// An order has been taken.
void RankLink::giveCredit() {
  if (++numTaken % ordersOfCredit == 0)
    copies.send(parent, OrderCredit, 1, /*isNoted=*/false,
                [](char *to) { *to = 0; });
}

void RankLink::settle() {
  for (size_t i = 0; i < children.size(); ++i)
    while (numAnnounced - takenBelow[i] >= ordersOfCredit)
      takeCredit(i, {});
  RankPause pause;
  for (look(); !copies.isEmpty(); look())
    pause.take();
}

std::string RankLink::firstError(std::string own) {
  startAndWait(withChildren(fromChildren, Outcome, outcomeBytes, false));
  // An empty text means no error. Later ranks come later.
  std::string error = std::move(own);
  for (size_t i = 1; i <= children.size() && error.empty(); ++i)
    error = outcomes.data() + i * outcomeBytes;
  if (rank() == 0)
    return error;
  std::memset(outcomes.data(), 0, outcomeBytes);
  std::memcpy(outcomes.data(), error.data(),
              std::min<uint64_t>(error.size(), outcomeBytes - 1));
  startAndWait({{toParent, {{parent, Outcome, outcomeBytes, true}}}});
  return error;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status RankLink::exchange(std::span<RankMessage> messages) {
  struct Open {
    RankMessage *message;
    SluiceChannel *channel;
    std::unique_ptr<char[]> packed;
  };
  std::vector<Open> open;
  std::vector<Started> started;
  for (RankMessage &message : messages) {
    uint64_t bytes = 0;
    for (const RankMessage::Piece &piece : message.pieces)
      bytes += piece.bytes;
    Open &entry = open.emplace_back(Open{&message, nullptr, nullptr});
    char *data = message.pieces.front().data;
    if (message.pieces.size() > 1) {
      entry.packed = std::unique_ptr<char[]>(new (std::nothrow) char[bytes]);
      if (!entry.packed)
        endForWantOfMemory(bytes, message.peer);
      data = entry.packed.get();
      char *to = data;
      for (const RankMessage::Piece &piece : message.pieces) {
        if (message.isSend && piece.data)
          std::memcpy(to, piece.data, piece.bytes);
        to += piece.bytes;
      }
    }
    entry.channel = message.isSend
                        ? cluster.openSend(cluster.context, message.peer,
                                           Memory, data, bytes)
                        : cluster.openReceive(cluster.context, message.peer,
                                              Memory, data, bytes);
    if (!entry.channel)
      endForWantOfMemory(bytes, message.peer);
    started.push_back(
        {entry.channel, {{message.peer, Memory, bytes, message.isSend}}});
  }
  startAndWait(std::move(started));
  for (const Open &entry : open) {
    cluster.close(cluster.context, entry.channel);
    const char *from = entry.packed.get();
    if (!from || entry.message->isSend)
      continue;
    for (const RankMessage::Piece &piece : entry.message->pieces) {
      if (piece.data)
        std::memcpy(piece.data, from, piece.bytes);
      from += piece.bytes;
    }
  }
  return {};
}
