//===- Exit.h - What is under way when the process ends --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver for CPUs compiles a kernel in one of its threads when it is first
// launched. A process that ends meanwhile destroys the objects of the driver's
// compiler under it, and crashes. So the end of the process waits for what was
// enqueued, though not for long.
//
// Some of those objects are made when the compiler first runs, and destroyed
// before anything waits that was registered earlier. So the first kernel of the
// process is waited for at once, until it runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_EXIT_H
#define SLUICE_LIB_DEVICE_OPENCL_EXIT_H

#include "API.h"

#include <memory>

namespace sluice::device::opencl {

class Context;
struct QueueState;

/// The end of the process waits for this queue as long as the queue is there,
/// or until `forgetAtExit`.
void waitForAtExit(const std::shared_ptr<QueueState> &queue);
/// To be called before the context goes away.
void forgetAtExit(const Context &context);

/// To be called after each kernel was enqueued, without locks that its end
/// needs.
void enqueuedKernel(QueueState &queue, EventID kernel);

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_EXIT_H
