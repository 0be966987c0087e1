//===- Processors.h - What ranks of one machine share ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many workers a rank is to have where launchers bind ranks to cores, to
// sockets, or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CLUSTER_PROCESSORS_H
#define SLUICE_CLUSTER_PROCESSORS_H

#include <array>
#include <cstdint>
#include <mpi.h>
#include <sched.h>
#include <vector>

namespace sluice::cluster {

/// As many processors as Linux can have.
using ProcessorSet = std::array<cpu_set_t, 8>;

/// The share of a rank that may run on those of `mine`: a processor on which
/// several of the machine's ranks may run counts as equal parts of one. At
/// least
/// 1. `all` has the sets of all ranks of the machine, this one's among them.
uint32_t shareOf(const ProcessorSet &mine,
                 const std::vector<ProcessorSet> &all);

/// The same of the calling rank. All ranks of `ranks` call it.
uint32_t shareOfProcessors(MPI_Comm ranks);

} // namespace sluice::cluster

#endif // SLUICE_CLUSTER_PROCESSORS_H
