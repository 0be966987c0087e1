//===- LowerHetero.h - Hetero-C++ to canonical HPVM IR ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of this folder for Frontend/Sources.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HETERO_LOWERHETERO_H
#define SLUICE_LIB_FRONTEND_HETERO_LOWERHETERO_H

#include "sluice/Frontend/Clang/Compile.h"

namespace sluice {

/// Turns the Hetero-C++ calls of all units into canonical form.
void lowerHetero(std::vector<CompiledUnit> &units, Diagnostics &diagnostics);

/// Notes that a module has launches of a front end.
void needRuntime(llvm::Module &module);

/// Starts and ends the runtime in a linked program with Hetero-C++ calls that
/// does not do so itself. `isUnit`: so may other units of the program.
void startHeteroPrograms(llvm::Module &module, bool isUnit = false);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HETERO_LOWERHETERO_H
