//===- RegionFunctions.h - Are all functions of tasks there? ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module declares the functions of its tasks, and nothing but the linker
// would notice that one is missing or has other types.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONFUNCTIONS_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONFUNCTIONS_H

#include "sluice/CodeGen/RegionProgram.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/IR/Module.h"

namespace sluice::driver {

/// Checks that `code`, the whole program, or the objects and libraries among
/// `linkerFlags` define every function that `program` calls, with the types of
/// its declaration as far as code can tell. Returns false after errors. With
/// `isLinked`, functions that a library named by -l might have defined, which
/// are left to the linker before, are reported as well.
bool checkTaskFunctions(const codegen::RegionProgram &program,
                        llvm::Module &code,
                        llvm::ArrayRef<std::string> linkerFlags, bool isLinked,
                        Diagnostics &diagnostics);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONFUNCTIONS_H
