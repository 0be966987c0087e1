//===- Processors.h - Sharing the processors of a machine -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of workers of a rank when launchers bind ranks to cores, to
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

/// The maximum number of processors that Linux supports.
using ProcessorSet = std::array<cpu_set_t, 8>;

/// The share of a rank that may run on the processors in `mine`: a processor on
/// which several of the machine's ranks may run is divided equally between
/// them. At least 1. `all` contains the sets of all ranks of the machine,
/// including this one.
uint32_t shareOf(const ProcessorSet &mine,
                 const std::vector<ProcessorSet> &all);

/// The same for the calling rank. All ranks of `ranks` must call it.
uint32_t shareOfProcessors(MPI_Comm ranks);

} // namespace sluice::cluster

#endif // SLUICE_CLUSTER_PROCESSORS_H
