//===- HelperThreads.h - Threads for work that may block ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage of a Halide pipeline may wait for another one, so it runs on a thread
// for which no worker waits.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_HELPERTHREADS_H
#define SLUICE_RUNTIME_SCHEDULING_HELPERTHREADS_H

#include <functional>

namespace sluice {

/// Starts `work` immediately on a thread of its own; false if the system has no
/// more threads.
bool runOnHelper(std::function<void()> work);

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_HELPERTHREADS_H
