//===- Tasks.h - Task graphs to graphs of nodes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task graph becomes a dfg.graph whose nodes are its tasks. The leaf of each
// calls the task's kernel in the way that kernel wants to be called; tables
// (sluice-c/TaskGraph.h) tell the runtime what memory there is.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_TASKS_H
#define SLUICE_CODEGEN_TASKS_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/Analysis/Tasks.h"
#include "sluice/DFG/DFG.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace sluice::codegen {

/// How a C function is called. Types are those of its prototype, or for a
/// function of which nothing is known the form that always works: 64-bit
/// offsets, extents and strides.
struct CSignature {
  struct Parameter {
    enum class Kind { Base, First, Offset, Extent, Stride, Value, Pointer };
    Kind kind = Kind::Value;
    /// Argument of the task, and dimension for extents and strides.
    unsigned argument = 0, dimension = 0;
    /// Integers narrower than 32 bits are extended by the caller.
    llvm::Type *type = nullptr;
    bool isSigned = false;
  };
  std::vector<Parameter> parameters;
  /// What the function returns; null: nothing.
  llvm::Type *result = nullptr;
  /// The result is a status: other values than 0 fail the task.
  bool isStatus = false;
};

/// A compiled Halide function: one variant of a task.
struct HalideFunction {
  std::string symbol;
  /// One per argument of the task.
  struct Parameter {
    bool isBuffer = false;
    /// What the innermost stride must be; 0: anything.
    int innermostStride = 1;
    /// The type of a buffer's elements or of a scalar, as Halide knows it; 1
    /// bit: bool. It has the data's size, or the data is an integer by value,
    /// which is converted, and which the task fails on if it does not fit.
    bool isFloat = false, isSigned = true;
    unsigned bits = 0;
  };
  std::vector<Parameter> parameters;
  /// "p1=4 p2=8", for the tables.
  std::string text;
};

/// What was found behind a task's kernel.
struct ResolvedTask {
  CSignature c;                         ///< C
  std::vector<HalideFunction> variants; ///< Halide; at least one
  dfg::GraphOp root;                    ///< HPVM: a graph of the module
};

/// Turns the graph of `order` into nodes: adds a dfg.graph named after it,
/// kernels and their leaves to `module` and `code`, and the tables, the global
/// `sluice_task_program`; erases the task graph. `resolved` has one entry per
/// task. The symbols of kernels are declared in `code`, or defined there. Fails
/// with diagnostics for values that do not fit where a kernel wants them. The
/// program is checked while it runs if `isChecked`.
mlir::LogicalResult lowerTaskGraph(const TaskOrder &order,
                                   llvm::ArrayRef<ResolvedTask> resolved,
                                   mlir::ModuleOp module, llvm::Module &code,
                                   bool isChecked);

/// Of functions that several tasks call, in which their kernels are.
inline constexpr const char *sharedRunnerAttribute = "sluice-shared-runner";

/// Makes the code of a program that is checked report what it accesses.
void instrumentTasks(llvm::Module &code);

/// Defines `main`, which runs `sluice_task_program`.
void addTaskMain(llvm::Module &code);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_TASKS_H
