//===- RankTrace.cpp - One timeline of several ranks ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank asks rank 0 for the time. The answer was given between the request and
// the arrival of the answer; of many requests, the fastest one is the most
// precise.
//
//===----------------------------------------------------------------------===//

#include "RankTrace.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>
#include <vector>

using namespace sluice;

/// No other messages are sent while clocks are compared and texts are gathered.
static constexpr uint32_t theTag = 0;
static constexpr unsigned numQuestions = 16;

namespace {
/// Two channels to the same rank.
struct MessagePair {
  SluiceChannel *send = nullptr, *receive = nullptr;
};
} // namespace

static bool hasEnded(const SluiceCluster &cluster, SluiceChannel *channel) {
  uint32_t ended = 0;
  return cluster.test(cluster.context, &channel, 1, &ended) == 1;
}

static void wait(const SluiceCluster &cluster, SluiceChannel *channel) {
  while (!hasEnded(cluster, channel))
    std::this_thread::yield();
}

static void close(const SluiceCluster &cluster, const MessagePair &pair) {
  cluster.close(cluster.context, pair.send);
  cluster.close(cluster.context, pair.receive);
}

RankTrace::RankTrace(const SluiceCluster &cluster, std::string host,
                     bool areClocksOne, Clock readClock)
    : cluster(cluster), host(std::move(host)), areClocksOne(areClocksOne),
      readClock(readClock), first(compareClocks()) {}

std::string RankTrace::name() const {
  return concat("rank ", cluster.rank, " on ", quoted(host));
}

bool RankTrace::isOneMachine(const SluiceCluster &cluster) {
  using Id = std::array<char, 40>;
  Id mine = {};
  std::ifstream("/proc/sys/kernel/random/boot_id")
      .read(mine.data(), mine.size());
  std::vector<Id> all(cluster.numRanks);
  cluster.gather(cluster.context, mine.data(), sizeof mine, all.data());
  return mine.front() &&
         std::all_of(all.begin(), all.end(),
                     [&](const Id &other) { return other == mine; });
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

void RankTrace::answerOthers() {
  struct Asking : MessagePair {
    char question = 0;
    uint64_t answer = 0;
    unsigned numLeft = numQuestions;
  };
  std::vector<Asking> others(cluster.numRanks - 1);
  for (uint32_t i = 0; i < others.size(); ++i) {
    Asking &other = others[i];
    other.send = cluster.openSend(cluster.context, i + 1, theTag, &other.answer,
                                  sizeof other.answer);
    other.receive =
        cluster.openReceive(cluster.context, i + 1, theTag, &other.question, 1);
    cluster.start(cluster.context, other.receive);
  }
  for (size_t numBusy = others.size(); numBusy > 0;)
    for (Asking &other : others) {
      if (other.numLeft == 0 || !hasEnded(cluster, other.receive))
        continue;
      other.answer = readClock();
      cluster.start(cluster.context, other.send);
      wait(cluster, other.send);
      if (--other.numLeft == 0)
        --numBusy;
      else
        cluster.start(cluster.context, other.receive);
    }
  for (const Asking &other : others)
    close(cluster, other);
}

RankTrace::Comparison RankTrace::compareClocks() {
  if (areClocksOne || cluster.rank == 0) {
    if (!areClocksOne)
      answerOthers();
    return {0, readClock()};
  }
  Comparison best;
  uint64_t shortest = UINT64_MAX, answer = 0;
  char question = 0;
  MessagePair pair = {
      cluster.openSend(cluster.context, 0, theTag, &question, 1),
      cluster.openReceive(cluster.context, 0, theTag, &answer, sizeof answer)};
  for (unsigned i = 0; i < numQuestions; ++i) {
    const uint64_t asked = readClock();
    cluster.start(cluster.context, pair.receive);
    cluster.start(cluster.context, pair.send);
    wait(cluster, pair.receive);
    const uint64_t heard = readClock();
    wait(cluster, pair.send);
    if (heard - asked >= shortest)
      continue;
    shortest = heard - asked;
    const uint64_t middle = asked + shortest / 2;
    best = {static_cast<int64_t>(middle - answer), middle};
  }
  close(cluster, pair);
  return best;
}

TraceClock RankTrace::clock(uint64_t origin) {
  const Comparison last = compareClocks();
  std::vector<uint64_t> origins(cluster.numRanks);
  cluster.gather(cluster.context, &origin, sizeof origin, origins.data());
  const auto passed = static_cast<double>(last.time - first.time);
  // Short runs do not allow estimating the drift.
  constexpr double leastPassed = 1e9;
  return {origins[0], first.ahead, first.time,
          passed < leastPassed
              ? 0.0
              : static_cast<double>(last.ahead - first.ahead) / passed};
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string RankTrace::merge(std::string text) {
  const uint64_t own = text.size();
  std::vector<uint64_t> sizes(cluster.numRanks);
  cluster.gather(cluster.context, &own, sizeof own, sizes.data());
  if (cluster.rank != 0) {
    SluiceChannel *send =
        cluster.openSend(cluster.context, 0, theTag, text.data(), text.size());
    cluster.start(cluster.context, send);
    wait(cluster, send);
    cluster.close(cluster.context, send);
    return "";
  }
  std::vector<std::string> texts(cluster.numRanks);
  texts[0] = std::move(text);
  for (uint32_t other = 1; other < cluster.numRanks; ++other) {
    texts[other].resize(sizes[other]);
    SluiceChannel *receive = cluster.openReceive(
        cluster.context, other, theTag, texts[other].data(), sizes[other]);
    cluster.start(cluster.context, receive);
    wait(cluster, receive);
    cluster.close(cluster.context, receive);
  }
  return TraceText::merge(texts);
}

std::vector<RunTotals> RankTrace::gather(const RunTotals &own) {
  std::vector<RunTotals> all(cluster.numRanks);
  cluster.gather(cluster.context, &own, sizeof own, all.data());
  return all;
}
