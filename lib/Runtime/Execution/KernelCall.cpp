//===- KernelCall.cpp - Calling a kernel ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an exception that left a kernel says.
//
//===----------------------------------------------------------------------===//

#include "KernelCall.h"

#include "../Scheduling/CodeOwner.h"

#include "sluice/Base/Text.h"

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>

using namespace sluice;

__attribute__((cold)) Status sluice::kernelError(Worker &worker,
                                                 std::string_view who) {
  auto errorOf = [&](std::string_view what) {
    worker.insideKernel = false;
    worker.groupMemory.freeAll();
    return Status::error(StatusCode::NodeFailed, concat(who, ": ", what));
  };
  try {
    throw;
  } catch (const KernelFailure &failure) {
    return errorOf(failure.message);
  } catch (const std::exception &exception) {
    return errorOf(concat("an exception left it: ", exception.what()));
  } catch (abi::__forced_unwind &) {
    // Nobody could finish the work of this thread, or wait for its end.
    std::fflush(nullptr);
    std::fprintf(stderr, "sluice: error: %s\n",
                 concat(who,
                        ": it ended its thread, by pthread_exit or because "
                        "the thread was cancelled")
                     .c_str());
    std::_Exit(1);
  } catch (...) {
    return errorOf("an exception that is no std::exception left it");
  }
}

Status sluice::kernelError(Worker &worker, const SluicePlanNode &node) {
  CodeOwner *owner = CodeOwner::current();
  if (!owner)
    return kernelError(worker, nodeText(node));
  Status status = kernelError(worker, owner->text());
  owner->failed(status);
  return status;
}

std::string sluice::taskText(const TableTask &task) {
  std::string text = concat("task ", quoted(task.name));
  if (task.task->rank == 0)
    return text;
  text += " at point (";
  for (int d = 0; d < task.task->rank; ++d)
    text += concat(d ? ", " : "", task.task->point[d]);
  return text + ")";
}
