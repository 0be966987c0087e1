//===- KernelCall.cpp - Calling a kernel ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place from where user code is entered.
//
//===----------------------------------------------------------------------===//

#include "KernelCall.h"

#include "Pool.h"

#include "sluice/Base/Text.h"

#include <cxxabi.h>
#include <exception>

using namespace sluice;

/// Kept out of the way of kernels that end normally.
__attribute__((cold, noinline)) static Status
kernelError(Worker &worker, const SluicePlanNode &node, std::string_view what) {
  worker.insideKernel = false;
  worker.groupMemory.freeAll();
  return Status::error(StatusCode::NodeFailed,
                       concat(nodeText(node), ": ", what));
}

Status sluice::callKernel(Worker &worker, const SluicePlanNode &node,
                          SluiceKernel kernel,
                          const SluiceInvocation &invocation, UnitRange units) {
  worker.insideKernel = true;
  try {
    kernel(&invocation, units.begin, units.end);
    worker.insideKernel = false;
    return {};
  } catch (const KernelFailure &failure) {
    return kernelError(worker, node, failure.message);
  } catch (const std::exception &exception) {
    return kernelError(worker, node,
                       concat("an exception left it: ", exception.what()));
  } catch (abi::__forced_unwind &) {
    throw; // The thread is being ended from outside.
  } catch (...) {
    return kernelError(worker, node,
                       "an exception that is no std::exception left it");
  }
}
