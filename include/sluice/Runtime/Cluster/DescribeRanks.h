//===- DescribeRanks.h - The ranks of a job and the links between them ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the tool that starts ranks and lists them: it is started in the same way
// as the ranks themselves.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_DESCRIBERANKS_H
#define SLUICE_RUNTIME_CLUSTER_DESCRIBERANKS_H

#include "sluice/Base/Status.h"

#include <optional>
#include <string>

namespace sluice {

/// If MPI has started this process as one of several ranks: on rank 0, a table
/// of the ranks, their hosts, the processors that they may use, and the
/// measured cost of messages between them; on other ranks an empty text.
/// Returns nothing if the process runs alone, unless `isAlone`: then MPI has
/// started only this rank, which is described. May be called once; MPI cannot
/// be used afterwards.
Result<std::optional<std::string>> describeRanks(bool isAlone = false);

/// The number of sockets of this machine that have a processor on which this
/// process may run; 0 if the system does not provide it.
unsigned numSockets();

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_DESCRIBERANKS_H
