//===- RegionModule.h - The rdir module of a program ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is checked and put in order once is compiled, or written out as source
// text in several languages.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONMODULE_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONMODULE_H

#include "RegionFile.h"
#include "sluice/CodeGen/RegionProgram.h"
#include "sluice/Driver/Program.h"

namespace sluice::driver {

/// A program over regions, checked and in order. It refers to the file for its
/// places.
struct CheckedRegions {
  /// The .mlir file.
  std::string path;
  RegionFile file = {};
  codegen::RegionProgram program = {};
};

/// The only .mlir file among the files of a program; empty after an error.
std::string moduleOfRegions(const ProgramOptions &options);
/// Checks its rules; false if one is broken.
bool checkRegionModule(const CheckedRegions &regions);
/// True if a program can be made of a module that passed the checks, leaving
/// aside what may be checked only. Prints what is wrong.
bool canBeProgram(const RegionFile &file);
/// Puts its tasks in order, as a program.
bool lowerRegionModule(CheckedRegions &regions,
                       const codegen::LoweringOptions &lowering);

/// Reads, checks and orders the one rdir module among the files. Prints every
/// problem to stderr; null if there was one.
std::unique_ptr<CheckedRegions>
readRegions(const ProgramOptions &options,
            const codegen::LoweringOptions &lowering = {});

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONMODULE_H
