//===- PlanInterpreter.h - Running plans in one thread --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The semantics of a plan in a few readable lines: nodes run in table order,
// one after another. Tests compare the executor with it, and
// SLUICE_EXECUTOR=sequential runs whole programs with it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_PLANINTERPRETER_H
#define SLUICE_RUNTIME_EXECUTION_PLANINTERPRETER_H

#include "../KernelMemory/InstanceMemory.h"
#include "../Plan/PlanInfo.h"

namespace sluice {

/// Receives notifications from the interpreter.
class PlanObserver {
public:
  virtual ~PlanObserver() = default;
  /// The plan's node `node` begins.
  virtual void beginNode(uint32_t node) = 0;
  /// The node's extents are known, three numbers per level, and its instances,
  /// if there are any, are about to run.
  virtual void beginInstances(uint32_t node, const int64_t *extents,
                              bool isEmpty) {}
  /// The instances have run, or `status` gives the reason why not all have.
  /// Returns true to run them again; `endSecondRun` is notified of the end of
  /// that run, which does not count.
  virtual bool endNode(uint32_t node, const Status &status) { return false; }
  virtual void endSecondRun(uint32_t node, const Status &status) {}
};

/// Runs one graph instance: `frame` contains the arguments, and the outputs at
/// the end. Every node runs in at most `numChunks` chunks. The calling thread
/// must be a worker.
Status interpretPlan(const PlanInfo &info, unsigned char *frame,
                     InstanceMemory &memory, uint32_t numChunks = 1,
                     PlanObserver *observer = nullptr);

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_PLANINTERPRETER_H
