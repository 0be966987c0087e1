//===- KernelCall.h - Calling a kernel ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User code runs in kernels and may leave them by any exception. Here it is
// caught and becomes an error that names the node.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_KERNELCALL_H
#define SLUICE_RUNTIME_KERNELCALL_H

#include "Partition.h"

#include "sluice-c/Plan.h"
#include "sluice/Base/Status.h"

#include <string>

namespace sluice {

class Worker;

/// What support functions throw to end a kernel; see sluiceFail.
struct KernelFailure {
  std::string message;
};

/// Runs units of a node; `worker` is the calling thread.
Status callKernel(Worker &worker, const SluicePlanNode &node,
                  SluiceKernel kernel, const SluiceInvocation &invocation,
                  UnitRange units);

} // namespace sluice

#endif // SLUICE_RUNTIME_KERNELCALL_H
