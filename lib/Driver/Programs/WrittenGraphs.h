//===- WrittenGraphs.h - Graphs from .mlir files beside host code ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code in C declares the root of a graph that stands in a .mlir file as a
// function and launches it. The front end wants to see a node function then,
// so one of the same ports stands in for the graph while the host code is
// imported, and gives way to the graph afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_WRITTENGRAPHS_H
#define SLUICE_LIB_DRIVER_PROGRAMS_WRITTENGRAPHS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// Gives every function that `host` only declares and `graphs` holds as a
/// graph a body. Returns their names.
std::vector<std::string> standInForGraphs(llvm::Module &host,
                                          mlir::ModuleOp graphs);

/// Puts all of `graphs` into `imported`, in place of the stand-ins. Fails, with
/// a diagnostic, if both hold another symbol of the same name.
mlir::LogicalResult replaceStandIns(mlir::ModuleOp imported,
                                    mlir::ModuleOp graphs,
                                    const std::vector<std::string> &standIns);

/// True if `module` has calls that only host code or internal nodes may have.
bool hasHostCode(const llvm::Module &module);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_WRITTENGRAPHS_H
