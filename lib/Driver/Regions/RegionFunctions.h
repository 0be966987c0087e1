//===- RegionFunctions.h - Finding missing task functions -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module declares the functions of its tasks. Otherwise only the linker would
// notice a missing function, and nothing would notice wrong types.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONFUNCTIONS_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONFUNCTIONS_H

#include "sluice/CodeGen/RegionModel.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/IR/Module.h"

namespace sluice::driver {

/// The place in the module's text.
SourcePlace writtenPlace(std::optional<mlir::Location> location);

/// Checks that every function that `program` calls is defined by `code`, the
/// whole program, or by the objects and libraries among `linkerFlags`. Also
/// checks the types of the declarations where the code reveals them. Returns
/// false after errors. Functions that a library named by -l might define are
/// normally left to the linker; with `isLinked`, they are reported as well.
bool checkTaskFunctions(const codegen::RegionModel &program, llvm::Module &code,
                        llvm::ArrayRef<std::string> linkerFlags, bool isLinked,
                        Diagnostics &diagnostics);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONFUNCTIONS_H
