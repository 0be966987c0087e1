//===- CPrune.h - C kernels without the HPVM program around them ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source of kernels may be a complete program, with a main function and
// graphs that this function launches. Kernels may also query their instance.
// Everything that a task graph cannot use is removed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CPRUNE_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CPRUNE_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/Analysis/TaskOrder.h"
#include "sluice/DFG/DFG.h"
#include "sluice/Frontend/Clang/Compile.h"
#include "llvm/IR/Module.h"

namespace sluice::driver {

/// "scale(double*)" for C++, or the name itself.
std::string demangledName(const llvm::Function &function);

/// Removes the program's main function; reports this if `remarks` is given.
void dropMain(CompiledUnit &unit, Diagnostics *remarks);

/// Makes the front end keep these functions in their C form, although they look
/// like nodes.
void keepAsFunctions(CompiledUnit &unit, llvm::ArrayRef<std::string> names);

/// Removes functions that describe or run HPVM graphs, and their nodes; `kept`
/// are kernels. Reports an error for each removed function that other code
/// calls.
void pruneGraphs(llvm::Module &module, llvm::ArrayRef<std::string> kept,
                 Diagnostics &diagnostics);

/// Removes functions that run HPVM graphs, since no task does this.
void dropHosts(llvm::Module &module);

/// Makes the function of a task usable as a leaf's code: it may query its
/// instance only if the task is replicated. False after errors.
bool prepareKernel(llvm::Function &function, dfg::TaskOp task);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CPRUNE_H
