//===- HostAPI.h - What the C entry points share --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one runtime object of the process, and the way in which errors end it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_HOST_HOSTAPI_H
#define SLUICE_RUNTIME_HOST_HOSTAPI_H

#include "sluice-c/Cluster.h"

#include <string>

namespace sluice {

class RankLink;
class Runtime;

/// Prints "sluice: error: MESSAGE" and ends the process with exit code 1.
[[noreturn]] void endProcess(const std::string &message);
/// Whether that was called.
bool endsByError();
/// sluiceInit() of one rank of several; `numProcessors` are
/// its share; 0: all that the process may run on.
void initRank(unsigned rank, unsigned numProcessors, bool isAlone = false);
/// All ranks call this after init: their timelines become one, if all of them
/// have any.
void joinTraces(const SluiceCluster &cluster);
/// From now on sluiceInit() is that of one of these ranks, of which rank 0 runs
/// the host program; null: of a process that runs alone.
void setRanks(RankLink *ranks);
/// The runtime; ends the process where there is none.
Runtime &runtimeFor(const char *call);
/// The same, or null before init and after cleanup.
Runtime *runtimeIfAny(const char *call);
/// The same for host code; null in node code and in a forked process as well.
Runtime *runtimeOfHost();
/// Whether node code calls this.
bool isInNode();
/// What a process that ends without cleanup leaves of its trace. Unless
/// `isAlone`, one that is part of a timeline of several ranks comes later.
void writeTraceAtExit(bool isAlone = false);

} // namespace sluice

#endif // SLUICE_RUNTIME_HOST_HOSTAPI_H
