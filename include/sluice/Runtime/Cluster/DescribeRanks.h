//===- DescribeRanks.h - The ranks of a job and the links between them ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the tool that starts ranks, and lists them: then it is started as the
// ranks themselves.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_DESCRIBERANKS_H
#define SLUICE_RUNTIME_CLUSTER_DESCRIBERANKS_H

#include "sluice/Base/Status.h"

#include <optional>
#include <string>

namespace sluice {

/// If MPI has started this process as one of several ranks: on rank 0 a table
/// of the ranks, their hosts and the processors that they may use, and what
/// messages between them take, measured now; on others an empty text. Nothing
/// if the process runs alone, unless `isAlone`: then MPI has started this rank
/// only, which is described. Called once, and no MPI can be used afterwards.
Result<std::optional<std::string>> describeRanks(bool isAlone = false);

/// The sockets of this machine that have a processor on which this process may
/// run; 0: the system does not tell.
unsigned numSockets();

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_DESCRIBERANKS_H
