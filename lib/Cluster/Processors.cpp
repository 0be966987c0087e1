//===- Processors.cpp - Sharing the processors of a machine ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launchers bind ranks to cores, to sockets, or not at all; the process that
// started the launcher may have bound it as well.
//
//===----------------------------------------------------------------------===//

#include "Processors.h"

#include <algorithm>

using namespace sluice::cluster;

static bool has(const ProcessorSet &set, size_t processor) {
  return CPU_ISSET_S(processor, sizeof(ProcessorSet), set.data());
}

uint32_t sluice::cluster::shareOf(const ProcessorSet &mine,
                                  const std::vector<ProcessorSet> &all) {
  // Equal parts add up to slightly less than the whole.
  double share = 1e-6;
  for (size_t i = 0; i < 8 * sizeof mine; ++i)
    if (has(mine, i))
      share += 1.0 / static_cast<double>(std::count_if(
                         all.begin(), all.end(),
                         [&](const ProcessorSet &set) { return has(set, i); }));
  return std::max(1u, static_cast<uint32_t>(share));
}

uint32_t sluice::cluster::shareOfProcessors(MPI_Comm ranks) {
  MPI_Comm here;
  MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int size = 1;
  MPI_Comm_size(here, &size);
  ProcessorSet mine = {};
  ::sched_getaffinity(0, sizeof mine, mine.data());
  std::vector<ProcessorSet> all(static_cast<size_t>(size));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                here);
  MPI_Comm_free(&here);
  return shareOf(mine, all);
}
