//===- FurtherRules.h - What else is wrong with a program -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error in one graph must not hide those of the others: after it, the rest
// of the program is looked at as well.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_FURTHERRULES_H
#define SLUICE_LIB_DRIVER_PROGRAMS_FURTHERRULES_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Frontend/Clang/Compile.h"
#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Module;
} // namespace llvm
namespace mlir {
class MLIRContext;
} // namespace mlir

namespace sluice::driver {

/// Adds what the importer finds wrong with those graphs of `code`, which is
/// used up, that no error in `diagnostics` is about, and that use nothing that
/// was left out.
void findFurtherErrors(llvm::Module &code, mlir::MLIRContext &context,
                       llvm::ArrayRef<LeftOut> leftOut,
                       Diagnostics &diagnostics);

/// Adds the errors of `found`, from number `first` on, that do not follow from
/// what was left out.
void addErrors(const Diagnostics &found, size_t first,
               llvm::ArrayRef<LeftOut> leftOut, Diagnostics &diagnostics);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_FURTHERRULES_H
