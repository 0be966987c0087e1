//===- HostThreads.h - Telling the host's threads from the runtime's ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream that is empty may get items from another thread of the host, or
// never again. The runtime's own threads, known by their names, push nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_HOSTTHREADS_H
#define SLUICE_RUNTIME_SCHEDULING_HOSTTHREADS_H

#include <string>
#include <thread>

namespace sluice {

/// Gives a thread of the runtime a name: "sluice-" and `role`, which has at
/// most 8 characters. Whoever starts the thread calls this at once: one that
/// named itself would be taken for a thread of the host until it first runs.
void nameRuntimeThread(std::thread &thread, const std::string &role);

/// Whether the process has threads besides the calling one, a thread of the
/// host, that are neither the runtime's nor about to end.
bool hasOtherHostThreads();

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_HOSTTHREADS_H
