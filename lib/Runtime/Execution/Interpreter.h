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
  /// Its extents are known, three numbers a level, and its instances are about
  /// to run, if there are any.
  virtual void beginInstances(uint32_t node, const int64_t *extents,
                              bool isEmpty) {}
  /// They have run, or `status` says why not all of them. True: they are to run
  /// again, whose end is told to `endSecondRun` and does not count.
  virtual bool endNode(uint32_t node, const Status &status) { return false; }
  virtual void endSecondRun(uint32_t node, const Status &status) {}
};

/// Runs one graph instance: arguments stand in `frame`, and the outputs stand
/// there at the end. Every node runs in `numChunks` chunks at most. The
/// calling thread must be a worker.
Status interpretPlan(const PlanInfo &info, unsigned char *frame,
                     InstanceMemory &memory, uint32_t numChunks = 1,
                     PlanObserver *observer = nullptr);

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_INTERPRETER_H
