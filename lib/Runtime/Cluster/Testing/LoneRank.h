//===- LoneRank.h - A rank among others that are not there ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one of very many ranks plans can be looked at without the others: its
// channels lead nowhere.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_TESTING_LONERANK_H
#define SLUICE_RUNTIME_CLUSTER_TESTING_LONERANK_H

#include "sluice-c/Cluster.h"
#include "sluice/Base/TableHead.h"

namespace sluice::test {

inline SluiceCluster loneRank(uint32_t rank, uint32_t numRanks) {
  SluiceCluster table = {};
  table.head = tableHead<SluiceCluster>;
  table.name = "nobody";
  table.rank = rank;
  table.numRanks = numRanks;
  table.numProcessors = 1;
  table.maxTag = 1 << 20;
  static char anything;
  table.openSend = [](void *, uint32_t, uint32_t, const void *, uint64_t) {
    return reinterpret_cast<SluiceChannel *>(&anything);
  };
  table.openReceive = [](void *, uint32_t, uint32_t, void *, uint64_t) {
    return reinterpret_cast<SluiceChannel *>(&anything);
  };
  table.close = [](void *, SluiceChannel *) {};
  return table;
}

} // namespace sluice::test

#endif // SLUICE_RUNTIME_CLUSTER_TESTING_LONERANK_H
