//===- KernelCall.cpp - Calling a kernel ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts exceptions from kernels to errors.
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

constinit thread_local RunningCode sluice::runningCode = {};
constinit thread_local std::atomic<const char *> sluice::runningProblem{
    nullptr};

__attribute__((cold)) Status sluice::exceptionError(std::string_view who) {
  auto errorOf = [&](std::string_view what) {
    return Status::error(StatusCode::NodeFailed, concat(who, ": ", what));
  };
  try {
    throw;
  } catch (const KernelFailure &failure) {
    return errorOf(failure.message);
  } catch (const std::exception &exception) {
    return errorOf(concat("an exception left it: ", exception.what()));
  } catch (abi::__forced_unwind &) {
    // Nobody could complete the work of this thread, or wait for its end.
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

__attribute__((cold)) Status sluice::kernelError(Worker &worker,
                                                 std::string_view who) {
  Status status = exceptionError(who);
  worker.insideKernel = false;
  worker.groupMemory.freeAll();
  return status;
}

Status sluice::kernelError(Worker &worker, const SluicePlanNode &node) {
  CodeOwner *owner = CodeOwner::current();
  if (!owner)
    return kernelError(worker, nodeText(node));
  Status status = kernelError(worker, owner->text());
  owner->failed(status);
  return status;
}

std::string sluice::textOf(const UserCode &code) {
  std::string text = concat(code.what, " ", quoted(code.name));
  if (code.rank == 0)
    return text;
  text += concat(" at ", code.place, " (");
  for (int d = 0; d < code.rank; ++d)
    text += concat(d ? ", " : "", code.at[d]);
  return text + ")";
}

UserCode sluice::codeOf(const TableTask &task) {
  if (task.foldOf)
    return {"the fold of task", task.foldOf, "", 0, nullptr};
  return {"task", task.name, "point", task.task->rank, task.task->point};
}
