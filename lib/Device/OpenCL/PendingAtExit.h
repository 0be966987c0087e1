//===- PendingAtExit.h - Operations in progress at the end of the process -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CPU driver compiles a kernel in one of its threads, on the first launch. If
// the process ends meanwhile, the objects of the driver's compiler are
// destroyed while that thread uses them, and the process crashes. So an exit
// handler waits for the enqueued operations, for a limited time.
//
// Some of those objects are constructed when the compiler first runs. They are
// destroyed before exit handlers run that were registered earlier, including
// this one. So for the first kernel of the process, the enqueuing thread waits
// until it runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_PENDINGATEXIT_H
#define SLUICE_LIB_DEVICE_OPENCL_PENDINGATEXIT_H

#include "API.h"

#include <memory>

namespace sluice::device::opencl {

class OpenCLContext;
struct QueueState;

/// Makes the exit handler wait for this queue, as long as the queue exists or
/// until `forgetAtExit`.
void waitForAtExit(const std::shared_ptr<QueueState> &queue);
/// Call it before the context is destroyed.
void forgetAtExit(const OpenCLContext &context);

/// Call it after each kernel was enqueued, without holding locks that its
/// completion needs.
void enqueuedKernel(QueueState &queue, EventID kernel);

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_PENDINGATEXIT_H
