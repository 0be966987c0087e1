//===- HostAPI.h - Common parts of the C entry points ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime object of the process, and the way in which errors end the
// process.
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
/// Whether endProcess was called.
bool endsByError();
/// sluiceInit() of one of several ranks; `numProcessors` is its share; 0: all
/// processors on which the process may run.
void initRank(unsigned rank, unsigned numProcessors, bool isAlone = false);
/// Ends the runtime, if there is one, and starts it with the ranks that are
/// known now.
void restartRuntime();
/// All ranks call this after init: it joins their timelines to one, if all
/// ranks have timelines.
void joinTraces(const SluiceCluster &cluster);
/// Sets the ranks that later calls of sluiceInit() use; rank 0 runs the host
/// program. Null: the process runs alone.
void setRanks(RankLink *ranks);
/// The runtime; ends the process if there is none.
Runtime &runtimeFor(const char *call);
/// The same, but null before init and after cleanup.
Runtime *runtimeIfAny(const char *call);
/// The same for host code; also null in node code and in a forked process.
Runtime *runtimeOfHost();
/// Whether node code is calling.
bool isInNode();
/// From now on sluiceServesTeam answers no; but if threads other than the
/// caller have asked it, it goes on as before, and the result is false.
bool refuseTeams();
/// Takes that and leaveTeams back.
void serveTeams();
/// From now on sluiceServesTeam does not ask the library whose teams it serves.
void leaveTeams();
/// Writes the trace of a process that ends without cleanup. Unless `isAlone`, a
/// trace that is part of a timeline of several ranks is written later.
void writeTraceAtExit(bool isAlone = false);

} // namespace sluice

#endif // SLUICE_RUNTIME_HOST_HOSTAPI_H
