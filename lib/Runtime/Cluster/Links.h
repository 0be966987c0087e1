//===- Links.h - What messages between ranks take -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ranks at a time send each other messages while all others wait, so what
// is measured is a link without other traffic.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_LINKS_H
#define SLUICE_RUNTIME_CLUSTER_LINKS_H

#include "sluice-c/Cluster.h"
#include "sluice/Runtime/Cluster/DescribeRanks.h"

#include <cstdint>
#include <vector>

namespace sluice {

/// Where a rank runs, and on what.
struct RankPlace {
  std::string host;
  std::string processor;  ///< its name
  std::string processors; ///< which it may use: "0-3,8"
  std::string sockets;    ///< of those: "0-1"
  uint32_t numProcessors = 0;
  uint64_t memoryBytes = 0; ///< of the host

  static RankPlace ofThisProcess();
};

/// "0-3,8"; `numbers` ascend.
std::string rangesText(const std::vector<unsigned> &numbers);

/// From one rank to another.
struct LinkTimes {
  double latency = 0;   ///< of a short message, in seconds
  double bandwidth = 0; ///< of long ones, in bytes a second
};

/// Those of the ranks between which links are measured: all, or of more than
/// `most` the first two of each host, as many as `most`.
std::vector<uint32_t> ranksToMeasure(const std::vector<RankPlace> &ranks,
                                     uint32_t most);

/// All ranks call this. Measures the links between each two of `ranks`, and
/// returns them row by row, on all ranks alike.
Result<std::vector<LinkTimes>> measureLinks(const SluiceCluster &cluster,
                                            const std::vector<uint32_t> &ranks);

/// All of it as text. `measured`: see ranksToMeasure.
std::string ranksText(const std::string &mpi,
                      const std::vector<RankPlace> &ranks,
                      const std::vector<uint32_t> &measured,
                      const std::vector<LinkTimes> &links);

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_LINKS_H
