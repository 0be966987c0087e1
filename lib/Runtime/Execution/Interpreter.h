//===- Interpreter.h - Running plans in one thread ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of a plan in a few readable lines: nodes in the order of the
// table, one after another. Tests compare the executor with it, and
// SLUICE_EXECUTOR=sequential runs whole programs through it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_INTERPRETER_H
#define SLUICE_RUNTIME_EXECUTION_INTERPRETER_H

#include "../KernelMemory/InstanceMemory.h"
#include "../Plan/PlanInfo.h"

namespace sluice {

/// Is told what the interpreter does.
class PlanObserver {
public:
  virtual ~PlanObserver() = default;
  /// The plan's node `node` runs from now on.
  virtual void beginNode(uint32_t node) = 0;
};

/// Runs one graph instance: arguments stand in `frame`, and the outputs stand
/// there at the end. Every node runs in `numChunks` chunks at most. The
/// calling thread must be a worker.
Status interpretPlan(const PlanInfo &info, unsigned char *frame,
                     InstanceMemory &memory, uint32_t numChunks = 1,
                     PlanObserver *observer = nullptr);

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_INTERPRETER_H
