//===- HostThreads.h - Distinguishing host threads from the runtime's -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pop from an empty stream can wait only if another host thread may still
// push. Threads of the runtime never push; they are identified by name.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_HOSTTHREADS_H
#define SLUICE_RUNTIME_SCHEDULING_HOSTTHREADS_H

#include <string>
#include <thread>

namespace sluice {

/// Gives a thread of the runtime a name: "sluice-" and `role`, which has at
/// most 8 characters. The thread that starts it calls this at once: if the new
/// thread did so itself, it would count as a host thread until then.
void nameRuntimeThread(std::thread &thread, const std::string &role);

/// Whether the process has host threads besides the calling one that are not
/// about to end.
bool hasOtherHostThreads();

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_HOSTTHREADS_H
