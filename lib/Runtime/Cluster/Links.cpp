//===- Links.cpp - Times of messages between ranks ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses the same messages as programs: persistent ones that are polled. The time
// of a message is half of the round-trip time.
//
//===----------------------------------------------------------------------===//

#include "Links.h"

#include "OpenCluster.h"
#include "RankIdentity.h"

#include "sluice/Base/Process.h"
#include "sluice/Base/Text.h"
#include "sluice/Runtime/Cluster/DescribeRanks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sched.h>
#include <set>
#include <thread>
#include <unistd.h>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

std::string sluice::rangesText(const std::vector<unsigned> &numbers) {
  std::string text;
  for (size_t begin = 0, end; begin < numbers.size(); begin = end) {
    end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
      ++end;
    text += concat(text.empty() ? "" : ",", numbers[begin]);
    if (end - begin > 1)
      text += concat("-", numbers[end - 1]);
  }
  return text;
}

/// The processors on which the launcher lets this process run.
static std::vector<unsigned> ownProcessors() {
  std::vector<unsigned> numbers;
  for (size_t most = CPU_SETSIZE; most <= size_t(1) << 20; most *= 4) {
    std::unique_ptr<cpu_set_t, void (*)(cpu_set_t *)> set(
        CPU_ALLOC(most), [](cpu_set_t *each) { CPU_FREE(each); });
    const size_t bytes = CPU_ALLOC_SIZE(most);
    if (!set || ::sched_getaffinity(0, bytes, set.get()) != 0)
      continue;
    for (unsigned i = 0; i < most; ++i)
      if (CPU_ISSET_S(i, bytes, set.get()))
        numbers.push_back(i);
    break;
  }
  return numbers;
}

static std::set<unsigned> socketsOf(const std::vector<unsigned> &processors) {
  std::set<unsigned> sockets;
  for (unsigned processor : processors) {
    std::ifstream file(concat("/sys/devices/system/cpu/cpu", processor,
                              "/topology/physical_package_id"));
    int socket = -1;
    if (file >> socket && socket >= 0)
      sockets.insert(static_cast<unsigned>(socket));
  }
  return sockets;
}

unsigned sluice::numSockets() {
  return static_cast<unsigned>(socketsOf(ownProcessors()).size());
}

RankPlace RankPlace::ofThisProcess() {
  const RankIdentity identity = RankIdentity::ofThisProcess();
  const std::vector<unsigned> processors = ownProcessors();
  RankPlace place;
  place.host = identity.host;
  place.processor =
      identity.processor.substr(0, identity.processor.find(" (features "));
  place.processors = rangesText(processors);
  const std::set<unsigned> sockets = socketsOf(processors);
  place.sockets = rangesText({sockets.begin(), sockets.end()});
  place.numProcessors = static_cast<uint32_t>(processors.size());
  place.memoryBytes = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return place;
}

/// The places of all ranks, in rank order.
static std::vector<RankPlace> gatherRankPlaces(const SluiceCluster &cluster) {
  struct Record {
    char host[128], processor[128], processors[128], sockets[64];
    uint64_t memoryBytes;
    uint32_t numProcessors;
  };
  auto copy = [](auto &to, const std::string &from) {
    std::strncpy(to, from.c_str(), sizeof to - 1);
  };
  const RankPlace mine = RankPlace::ofThisProcess();
  Record record = {};
  copy(record.host, mine.host);
  copy(record.processor, mine.processor);
  copy(record.processors, mine.processors);
  copy(record.sockets, mine.sockets);
  record.memoryBytes = mine.memoryBytes;
  record.numProcessors = mine.numProcessors;
  std::vector<Record> all(cluster.numRanks);
  cluster.gather(cluster.context, &record, sizeof record, all.data());
  std::vector<RankPlace> ranks;
  for (const Record &each : all)
    ranks.push_back({each.host, each.processor, each.processors, each.sockets,
                     each.numProcessors, each.memoryBytes});
  return ranks;
}

std::vector<uint32_t>
sluice::ranksToMeasure(const std::vector<RankPlace> &ranks, uint32_t most) {
  std::vector<uint32_t> chosen;
  std::map<std::string, int> numOfHost;
  for (uint32_t rank = 0; rank < ranks.size() && chosen.size() < most; ++rank)
    if (ranks.size() <= most || numOfHost[ranks[rank].host]++ < 2)
      chosen.push_back(rank);
  return chosen;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

namespace {
/// A message to the peer and one back, of the same size.
class PingPong {
public:
  PingPong(const SluiceCluster &cluster, uint32_t peer, uint32_t tag,
           uint64_t bytes)
      : cluster(cluster), isFirst(cluster.rank < peer), sent(bytes),
        received(bytes),
        send(cluster.openSend(cluster.context, peer, tag, sent.data(), bytes)),
        receive(cluster.openReceive(cluster.context, peer, tag, received.data(),
                                    bytes)) {}
  ~PingPong() {
    for (SluiceChannel *channel : {send, receive})
      if (channel)
        cluster.close(cluster.context, channel);
  }
  PingPong(const PingPong &) = delete;

  bool hasMemory() const { return send && receive; }
  /// The minimum time of a message over `rounds` rounds, in seconds.
  double run(int rounds) {
    double least = 1e9;
    for (int round = 0; round < rounds; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      for (bool sends : {isFirst, !isFirst})
        transfer(sends ? send : receive);
      const std::chrono::duration<double> time =
          std::chrono::steady_clock::now() - begin;
      least = std::min(least, time.count() / 2);
    }
    return least;
  }

private:
  void transfer(SluiceChannel *channel) {
    cluster.start(cluster.context, channel);
    uint32_t ended = 0;
    for (unsigned looks = 0;
         !cluster.test(cluster.context, &channel, 1, &ended); ++looks)
      if (looks % 64 == 63) // there may be more ranks than processors
        std::this_thread::yield();
  }

  const SluiceCluster &cluster;
  const bool isFirst;
  std::vector<char> sent, received;
  SluiceChannel *const send, *const receive;
};
} // namespace

static constexpr uint64_t shortBytes = 8, longBytes = 4 << 20;

/// The link between this rank and `peer`, which measures at the same time.
static Result<LinkTimes> measureLink(const SluiceCluster &cluster,
                                     uint32_t peer, uint32_t tag) {
  PingPong brief(cluster, peer, tag, shortBytes),
      large(cluster, peer, tag + 1, longBytes);
  if (!brief.hasMemory() || !large.hasMemory())
    return Status::error(StatusCode::Exhausted, "no memory for messages");
  brief.run(20); // connections are made at first use
  LinkTimes times;
  times.latency = brief.run(500);
  large.run(2);
  times.bandwidth = double(longBytes) / large.run(10);
  return times;
}

Result<std::vector<LinkTimes>>
sluice::measureLinks(const SluiceCluster &cluster,
                     const std::vector<uint32_t> &ranks) {
  const size_t count = ranks.size();
  std::vector<LinkTimes> links(count * count);
  std::vector<char> all(cluster.numRanks);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = i + 1; j < count; ++j) {
      // Ranks that take no part wait for the others.
      cluster.gather(cluster.context, "", 1, all.data());
      const bool isFirst = cluster.rank == ranks[i];
      if (!isFirst && cluster.rank != ranks[j])
        continue;
      Result<LinkTimes> times =
          measureLink(cluster, isFirst ? ranks[j] : ranks[i],
                      2 * uint32_t(i * count + j) % 1024);
      if (!times.ok())
        return times.takeStatus();
      links[i * count + j] = *times;
    }
  // The beginning rank knows when to start; the other rank may poll only after
  // the message has arrived.
  const auto bytes = static_cast<uint32_t>(links.size() * sizeof(LinkTimes));
  std::vector<LinkTimes> ofAll(links.size() * cluster.numRanks);
  cluster.gather(cluster.context, links.data(), bytes, ofAll.data());
  for (size_t i = 0; i < count; ++i)
    for (size_t j = i + 1; j < count; ++j)
      links[i * count + j] = links[j * count + i] =
          ofAll[ranks[i] * links.size() + i * count + j];
  return links;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Columns with the width of their texts; numbers are right-aligned, other
/// texts left-aligned.
static std::string tableText(const std::vector<std::vector<std::string>> &rows,
                             const std::vector<bool> &isNumber) {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t column = 0; column < row.size(); ++column) {
      widths.resize(std::max(widths.size(), row.size()));
      widths[column] = std::max(widths[column], row[column].size());
    }
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      const std::string space(widths[column] - row[column].size(), ' ');
      line += column ? "  " : "";
      line += isNumber[std::min(column, isNumber.size() - 1)]
                  ? space + row[column]
                  : row[column] + space;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

static std::string linkNumberText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, number < 100 ? "%.2f" : "%.0f", number);
  return text;
}

static std::string linksTable(const std::vector<uint32_t> &ranks,
                              const std::vector<LinkTimes> &links,
                              double (*number)(const LinkTimes &)) {
  std::vector<std::vector<std::string>> rows = {{""}};
  for (uint32_t rank : ranks)
    rows[0].push_back(concat(rank));
  for (size_t i = 0; i < ranks.size(); ++i) {
    std::vector<std::string> &row = rows.emplace_back();
    row.push_back(concat(ranks[i]));
    for (size_t j = 0; j < ranks.size(); ++j)
      row.push_back(
          i == j ? "-" : linkNumberText(number(links[i * ranks.size() + j])));
  }
  return tableText(rows, {true});
}

std::string sluice::ranksText(const std::string &mpi,
                              const std::vector<RankPlace> &ranks,
                              const std::vector<uint32_t> &measured,
                              const std::vector<LinkTimes> &links) {
  std::set<std::string> hosts;
  for (const RankPlace &place : ranks)
    hosts.insert(place.host);
  std::vector<std::vector<std::string>> rows = {
      {"rank", "host", "cores", "which", "sockets", "GiB", "processor"}};
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankPlace &place = ranks[rank];
    char memory[32];
    std::snprintf(memory, sizeof memory, "%.1f",
                  double(place.memoryBytes) / (1 << 30));
    rows.push_back({concat(rank), place.host, concat(place.numProcessors),
                    place.processors, place.sockets, memory, place.processor});
  }
  std::string text =
      concat(countOf(ranks.size(), "rank", "ranks"), " on ",
             countOf(hosts.size(), "host", "hosts"), ", ", mpi, "\n\n",
             tableText(rows, {true, false, true, false, false, true, false}));
  if (ranks.size() < 2)
    return text;
  text += concat("\nlatency, us a message of ", shortBytes, " bytes",
                 measured.size() < ranks.size()
                     ? concat(", between ", measured.size(), " of the ranks")
                     : "",
                 "\n", linksTable(measured, links, [](const LinkTimes &times) {
                   return times.latency * 1e6;
                 }));
  text +=
      concat("\nbandwidth, GB/s with messages of ", longBytes >> 20, " MiB\n",
             linksTable(measured, links, [](const LinkTimes &times) {
               return times.bandwidth * 1e-9;
             }));
  return text;
}

/// Lets a single rank consider itself a rank even though its launcher has
/// started no others.
static void allowSingleRank() {
  std::string mpi = launchingMPI([](const char *name) {
    const char *value = std::getenv(name);
    return value && std::string_view(name).ends_with("_SIZE") ? "2" : value;
  });
  if (!mpi.empty())
    ::setenv("SLUICE_CLUSTER", mpi.c_str(), /*overwrite=*/0);
}

Result<std::optional<std::string>> sluice::describeRanks(bool isAlone) {
  if (isAlone)
    allowSingleRank();
  // For programs, a single rank is not a cluster.
  Result<const SluiceCluster *> opened =
      isAlone ? openSharedCluster() : openCluster();
  if (!opened.ok())
    return opened.takeStatus();
  if (!*opened)
    return std::optional<std::string>();
  const SluiceCluster &cluster = **opened;
  constexpr uint32_t mostMeasured = 16;
  const std::vector<RankPlace> ranks = gatherRankPlaces(cluster);
  const std::vector<uint32_t> measured = ranksToMeasure(ranks, mostMeasured);
  Result<std::vector<LinkTimes>> links = measureLinks(cluster, measured);
  if (!links.ok())
    return links.takeStatus();
  closeCluster(cluster);
  return std::optional<std::string>(
      cluster.rank == 0 ? ranksText(cluster.name, ranks, measured, *links)
                        : "");
}
