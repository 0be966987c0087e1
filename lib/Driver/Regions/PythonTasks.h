//===- PythonTasks.h - Tasks over regions in Python -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds functions of tasks in the Python files among a program's sources.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_PYTHONTASKS_H
#define SLUICE_LIB_DRIVER_REGIONS_PYTHONTASKS_H

#include "sluice/CodeGen/RegionModel.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/IR/Module.h"

namespace sluice::driver {

/// Adds to `program` the functions of tasks, host statements, colorings and
/// projections that the .py files among `files` define. Returns false after
/// errors.
bool addPythonFunctions(codegen::RegionModel &program,
                        llvm::ArrayRef<std::string> files,
                        Diagnostics &diagnostics);

/// Refuses functions that are also defined by `code`; false if there is one.
bool checkPythonFunctions(const codegen::RegionModel &program,
                          const llvm::Module &code, Diagnostics &diagnostics);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_PYTHONTASKS_H
