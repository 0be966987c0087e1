//===- WriteProgram.h - Small region modules as files -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. Writes, for the tools, a module that fills its roots, runs its
// graph and compares the results, together with the C++ code of its functions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TESTING_WRITEPROGRAM_H
#define SLUICE_LIB_DRIVER_TESTING_WRITEPROGRAM_H

#include "SmallProgram.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::rdir::oracle {

/// Writes a module of three graphs; the second one is the program's.
void writeModule(const SmallProgram &program, llvm::raw_ostream &os);
/// Writes the functions of that module. It must be in `NAME.mlir` and run with
/// the program's value of the parameter 'n'.
void writeTasks(const SmallProgram &program, llvm::StringRef name,
                llvm::raw_ostream &os);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_DRIVER_TESTING_WRITEPROGRAM_H
