//===- WriteProgram.h - Small region modules as files -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. The text of a module that fills its roots, runs its graph and
// compares what they hold, and the C++ of its functions, for the tools.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TESTING_WRITEPROGRAM_H
#define SLUICE_LIB_DRIVER_TESTING_WRITEPROGRAM_H

#include "SmallProgram.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::rdir::oracle {

/// A module of three graphs, of which the second one is the program's.
void writeModule(const SmallProgram &program, llvm::raw_ostream &os);
/// The functions of that module, which must be in `NAME.mlir` and run with the
/// parameter 'n' that the program has.
void writeTasks(const SmallProgram &program, llvm::StringRef name,
                llvm::raw_ostream &os);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_DRIVER_TESTING_WRITEPROGRAM_H
