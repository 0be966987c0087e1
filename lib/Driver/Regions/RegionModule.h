//===- RegionModule.h - The rdir module of a program ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module is checked and ordered once; then it is compiled, or written as
// source text in several languages.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONMODULE_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONMODULE_H

#include "RegionFile.h"
#include "sluice/CodeGen/RegionModel.h"
#include "sluice/Driver/Program.h"

namespace sluice::driver {

/// A program over regions, checked and in order. Refers to the file for its
/// locations.
struct CheckedRegions {
  /// The .mlir file.
  std::string path;
  RegionFile file = {};
  codegen::RegionModel program = {};
};

/// The only .mlir file among the files of a program; empty after an error.
std::string moduleOfRegions(const ProgramOptions &options);
/// Checks the rules of the module; false if one is broken.
bool checkRegionModule(const CheckedRegions &regions);
/// True if a module that passed the checks can become a program; some modules
/// can only be checked. Prints the reasons if not.
bool canBeProgram(const RegionFile &file);
/// Orders the tasks of the module and makes a program of it.
bool lowerRegionModule(CheckedRegions &regions,
                       const codegen::LoweringOptions &lowering);

/// Reads, checks and orders the only rdir module among the files. Prints every
/// problem to stderr; null if there was one.
std::unique_ptr<CheckedRegions>
readRegions(const ProgramOptions &options,
            const codegen::LoweringOptions &lowering = {});

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONMODULE_H
