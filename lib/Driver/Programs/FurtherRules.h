//===- FurtherRules.h - Further errors of a program -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error in one graph must not hide errors in others: the rest of the program
// is checked as well.
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

/// Imports the graphs of `code` that no error in `diagnostics` concerns and
/// that use nothing that was left out. Adds the importer's errors. Consumes
/// `code`.
void findFurtherErrors(llvm::Module &code, mlir::MLIRContext &context,
                       llvm::ArrayRef<LeftOut> leftOut,
                       Diagnostics &diagnostics);

/// Adds the races of those graphs. Consumes `code`, which may be what
/// findFurtherErrors has left.
void findFurtherRaces(llvm::Module &code, mlir::MLIRContext &context,
                      llvm::ArrayRef<LeftOut> leftOut,
                      Diagnostics &diagnostics);

/// Adds the errors of `found`, starting with number `first`, that are not
/// consequences of the code that was left out.
void addErrors(const Diagnostics &found, size_t first,
               llvm::ArrayRef<LeftOut> leftOut, Diagnostics &diagnostics);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_FURTHERRULES_H
