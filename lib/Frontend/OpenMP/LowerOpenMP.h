//===- LowerOpenMP.h - Loops of OpenMP to canonical HPVM IR -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works on a linked program, since whether a loop can be taken over depends on
// all that it calls.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_OPENMP_LOWEROPENMP_H
#define SLUICE_LIB_FRONTEND_OPENMP_LOWEROPENMP_H

#include "sluice/Diagnostics/Diagnostics.h"

#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// Makes graphs of the parallel loops that are understood, and has the program
/// launch them. The others stay as clang has written them; with `hasRemarks`,
/// one remark for each says why.
void lowerOpenMP(std::unique_ptr<llvm::Module> &program, bool hasRemarks,
                 Diagnostics &diagnostics);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_OPENMP_LOWEROPENMP_H
