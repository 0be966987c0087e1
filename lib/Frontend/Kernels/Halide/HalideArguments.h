//===- HalideArguments.h - Arguments of tasks against generators ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dats are row-major and Halide counts dimensions from the innermost: its
// dimension k is the Dat's dimension N - 1 - k. Messages count the Dat's.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEARGUMENTS_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEARGUMENTS_H

#include "HalideCode.h"
#include "sluice/CodeGen/Tasks.h"

namespace sluice::driver {

/// "a", "a or b", "a, b or c"...
std::string listed(llvm::ArrayRef<std::string> words);

/// A task of Halide, and what its diagnostics begin with.
struct HalideTask {
  dfg::TaskOp op;
  std::string name;

  mlir::InFlightDiagnostic error() {
    return op->emitError("task '") << name << "': ";
  }
  mlir::InFlightDiagnostic warning() {
    return op->emitWarning("task '") << name << "': ";
  }
};

/// What is known of a task's arguments whenever it runs: not the values of
/// scalars that are written, or given when it runs.
halide::KnownCall knownCall(HalideTask &task);

/// True if an index of 32 bits cannot reach all elements of a buffer.
bool needsLargeBuffers(const halide::KnownCall &call);

/// Checks number, kinds, types, ranks and access modes, with an error for each
/// that is wrong.
bool checkArguments(HalideTask &task, const HalideCode &code,
                    const halide::KnownCall &call);

/// Says what `violation` means.
void explainViolation(mlir::InFlightDiagnostic &diagnostic, HalideTask &task,
                      const HalideCode &code,
                      const halide::Violation &violation);

/// How code generation calls it.
codegen::HalideFunction functionOf(const HalideCode &code);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEARGUMENTS_H
