//===- Links.h - Times of messages between ranks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ranks at a time send each other messages while all others wait, so the
// measurement is of a link without other traffic.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_LINKS_H
#define SLUICE_RUNTIME_CLUSTER_LINKS_H

#include "sluice-c/Cluster.h"
#include "sluice/Runtime/Cluster/DescribeRanks.h"

#include <cstdint>
#include <vector>

namespace sluice {

/// The host and processors of a rank.
struct RankPlace {
  std::string host;
  std::string processor;  ///< its name
  std::string processors; ///< usable processors: "0-3,8"
  std::string sockets;    ///< the sockets of these: "0-1"
  uint32_t numProcessors = 0;
  uint64_t memoryBytes = 0; ///< of the host

  static RankPlace ofThisProcess();
};

/// "0-3,8"; `numbers` must ascend.
std::string rangesText(const std::vector<unsigned> &numbers);

/// The link from one rank to another.
struct LinkTimes {
  double latency = 0;   ///< of a short message, in seconds
  double bandwidth = 0; ///< of long messages, in bytes per second
};

/// The ranks between which to measure links: all ranks, or, if there are more
/// than `most`, the first two of each host, up to `most`.
std::vector<uint32_t> ranksToMeasure(const std::vector<RankPlace> &ranks,
                                     uint32_t most);

/// All ranks call this. Measures the links between all pairs of `ranks`, and
/// returns them row by row, with the same result on all ranks.
Result<std::vector<LinkTimes>> measureLinks(const SluiceCluster &cluster,
                                            const std::vector<uint32_t> &ranks);

/// All data as text. `measured`: see ranksToMeasure.
std::string ranksText(const std::string &mpi,
                      const std::vector<RankPlace> &ranks,
                      const std::vector<uint32_t> &measured,
                      const std::vector<LinkTimes> &links);

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_LINKS_H
