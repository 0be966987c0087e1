//===- RegionModule.h - The rdir module of a program ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONMODULE_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONMODULE_H

#include "sluice/CodeGen/RegionProgram.h"
#include "sluice/Driver/Program.h"

namespace sluice::driver {

/// A program over regions, checked and in order. It refers to the context for
/// its places.
struct CheckedRegions {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  codegen::RegionProgram program;
  /// The .mlir file.
  std::string path;
};

/// Reads, checks and orders the one rdir module among the files. Prints every
/// problem to stderr; null if there was one.
std::unique_ptr<CheckedRegions>
readRegions(const ProgramOptions &options,
            const codegen::LoweringOptions &lowering = {});

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONMODULE_H
