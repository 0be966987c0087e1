//===- WrittenGraphs.h - Graphs from .mlir files with host code -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code in C declares the root of a graph in a .mlir file as a function and
// launches it. The front end expects a node function there. So a stand-in with
// the same ports takes the place of the graph while the host code is imported;
// the graph replaces it afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_WRITTENGRAPHS_H
#define SLUICE_LIB_DRIVER_PROGRAMS_WRITTENGRAPHS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// Gives a body to every function that `host` only declares and that is a graph
/// in `graphs`. Returns the names of these functions.
std::vector<std::string> standInForGraphs(llvm::Module &host,
                                          mlir::ModuleOp graphs);

/// Moves all of `graphs` into `imported`, replacing the stand-ins. Fails, with
/// a diagnostic, if both hold another symbol of the same name.
mlir::LogicalResult replaceStandIns(mlir::ModuleOp imported,
                                    mlir::ModuleOp graphs,
                                    const std::vector<std::string> &standIns);

/// True if `module` contains calls that only host code or internal nodes may
/// contain.
bool hasHostCode(const llvm::Module &module);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_WRITTENGRAPHS_H
