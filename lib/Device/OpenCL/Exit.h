//===- Exit.h - What is under way when the process ends --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver for CPUs compiles a kernel in one of its threads, when it is
// launched first. If the process ends meanwhile, the objects of the driver's
// compiler are destroyed while that thread uses them, and the process crashes.
// So an exit handler waits for the operations that were enqueued, for a limited
// time.
//
// Some of those objects are constructed when the compiler first runs. They are
// destroyed before exit handlers run that were registered earlier, ours among
// them. So the first kernel of the process is waited for at once, until it
// runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_EXIT_H
#define SLUICE_LIB_DEVICE_OPENCL_EXIT_H

#include "API.h"

#include <memory>

namespace sluice::device::opencl {

class Context;
struct QueueState;

/// Makes the exit handler wait for this queue, as long as the queue exists or
/// until `forgetAtExit`.
void waitForAtExit(const std::shared_ptr<QueueState> &queue);
/// To be called before the context goes away.
void forgetAtExit(const Context &context);

/// To be called after each kernel was enqueued, without locks that its end
/// needs.
void enqueuedKernel(QueueState &queue, EventID kernel);

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_EXIT_H
