//===- HalideArguments.h - Matching arguments with generators -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datasets (Dats) are row-major, and Halide counts dimensions from the
// innermost: its dimension k is the Dat's dimension N - 1 - k. Messages use the
// Dat's numbers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEARGUMENTS_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEARGUMENTS_H

#include "HalideCode.h"
#include "sluice/CodeGen/TaskNodes.h"

namespace sluice::driver {

/// "a", "a or b", "a, b or c"...
std::string listed(llvm::ArrayRef<std::string> words);

/// A Halide task, and the prefix of its diagnostics.
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

/// The facts about a task's arguments that hold for every run: not the values
/// of scalars that are written, or given at run time.
halide::KnownCall knownCall(HalideTask &task);

/// True if a 32-bit index cannot reach all elements of a buffer.
bool needsLargeBuffers(const halide::KnownCall &call);

/// Checks number, kinds, types, ranks and access modes, and reports each error.
bool checkArguments(HalideTask &task, const HalideCode &code,
                    const halide::KnownCall &call);

/// Says what `violation` means.
void explainViolation(mlir::InFlightDiagnostic &diagnostic, HalideTask &task,
                      const HalideCode &code,
                      const halide::Violation &violation);

/// The function as code generation calls it.
codegen::HalideFunction functionOf(const HalideCode &code);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEARGUMENTS_H
