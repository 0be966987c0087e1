//===- TaskNodes.h - Task graphs to graphs of nodes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task graph becomes a dfg.graph with the tasks as nodes. The leaf of each
// node calls the task's kernel with the kernel's own calling interface. Tables
// (sluice-c/TaskProgram.h) describe the memory for the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_TASKNODES_H
#define SLUICE_CODEGEN_TASKNODES_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/Analysis/TaskOrder.h"
#include "sluice/DFG/DFG.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace sluice::codegen {

/// How a C function is called. The types are those of its prototype. For a
/// function without a prototype, uses the form that always works: 64-bit
/// offsets, extents and strides.
struct CSignature {
  struct Parameter {
    enum class Kind { Base, First, Offset, Extent, Stride, Value, Pointer };
    Kind kind = Kind::Value;
    /// The argument of the task, and the dimension for extents and strides.
    unsigned argument = 0, dimension = 0;
    /// Integers narrower than 32 bits are extended by the caller.
    llvm::Type *type = nullptr;
    bool isSigned = false;
  };
  std::vector<Parameter> parameters;
  /// The return type; null: void.
  llvm::Type *result = nullptr;
  /// The result is a status: values other than 0 fail the task.
  bool isStatus = false;
};

/// A compiled Halide function: one variant of a task.
struct HalideFunction {
  std::string symbol;
  /// One per argument of the task.
  struct Parameter {
    bool isBuffer = false;
    /// The required innermost stride; 0: any.
    int innermostStride = 1;
    /// The type of a buffer's elements or of a scalar in Halide; 1 bit: bool.
    /// Its size is that of the data. Integers passed by value are converted
    /// instead, and the task fails if the value does not fit.
    bool isFloat = false, isSigned = true;
    unsigned bits = 0;
  };
  std::vector<Parameter> parameters;
  /// "p1=4 p2=8", for the tables.
  std::string text;
};

/// The resolved kernel of a task.
struct ResolvedTask {
  CSignature c;                         ///< C
  std::vector<HalideFunction> variants; ///< Halide; at least one
  dfg::GraphOp root;                    ///< HPVM: a graph of the module
};

/// Turns the graph of `order` into nodes. Adds a dfg.graph with the same name,
/// kernels and their leaves to `module` and `code`, and the tables as the
/// global `sluice_task_program`; erases the task graph. `resolved` has one
/// entry per task. The symbols of kernels are declared or defined in `code`.
/// Fails with diagnostics for values that do not fit a kernel's parameters.
/// With `isChecked`, the program is checked while it runs.
mlir::LogicalResult lowerTaskGraph(const TaskOrder &order,
                                   llvm::ArrayRef<ResolvedTask> resolved,
                                   mlir::ModuleOp module, llvm::Module &code,
                                   bool isChecked);

/// Attribute of functions that contain kernels and that several tasks call.
inline constexpr const char *sharedRunnerAttribute = "sluice-shared-runner";

/// Instruments the code of a checked program to report its accesses.
void instrumentTasks(llvm::Module &code);

/// Defines `main`, which runs `sluice_task_program`.
void addTaskMain(llvm::Module &code);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_TASKNODES_H
