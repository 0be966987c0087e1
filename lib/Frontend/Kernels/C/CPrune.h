//===- CPrune.h - C kernels without the HPVM program around them ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source of kernels may be a program of its own: it may have a main function,
// and graphs that this function launches. Kernels may also ask which instance
// they are. What is not for a task graph is left out.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CPRUNE_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CPRUNE_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/Analysis/Tasks.h"
#include "sluice/DFG/DFG.h"
#include "sluice/Frontend/Clang/Compile.h"
#include "llvm/IR/Module.h"

namespace sluice::driver {

/// "scale(double*)" of C++, or the name itself.
std::string demangledName(const llvm::Function &function);

/// Removes the program's main function; says so if `remarks` is given.
void dropMain(CompiledUnit &unit, Diagnostics *remarks);

/// Makes the front end leave these functions as C has them, although they look
/// like nodes.
void keepAsFunctions(CompiledUnit &unit, llvm::ArrayRef<std::string> names);

/// Removes functions that describe or run HPVM graphs, and nodes of them;
/// `kept` are kernels. An error for each that other code calls.
void pruneGraphs(llvm::Module &module, llvm::ArrayRef<std::string> kept,
                 Diagnostics &diagnostics);

/// Removes functions that run HPVM graphs, which no task does.
void dropHosts(llvm::Module &module);

/// Makes the function of a task ready to be a leaf's code: it may ask which
/// instance it is only if the task is replicated. False after errors.
bool prepareKernel(llvm::Function &function, dfg::TaskOp task);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CPRUNE_H
