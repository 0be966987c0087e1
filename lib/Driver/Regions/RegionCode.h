//===- RegionCode.h - The code of a program over regions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source text of a region program, or its code together with the sources of
// its tasks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONCODE_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONCODE_H

#include "RegionModule.h"
#include "sluice/Driver/RegionPrograms.h"

namespace sluice::driver {

/// Prints an error, and returns false, for a program that the language cannot
/// express.
bool canEmit(const CheckedRegions &regions, const EmitOptions &emit);
/// The program in the requested language.
std::string sourceText(const codegen::RegionModel &program,
                       const EmitOptions &emit);

/// The whole program, with its tasks, as one module for `machine`; null after
/// printing errors. Adds the files it was made from to `dependencies`, and the
/// functions in Python to the program.
std::unique_ptr<llvm::Module>
compileRegions(const ProgramOptions &options, CheckedRegions &regions,
               llvm::TargetMachine &machine, llvm::LLVMContext &context,
               std::vector<std::string> &dependencies);

/// Finds what tasks certainly access although they must not. Prints problems;
/// false if there are any.
bool checkAccesses(const CheckedRegions &regions, const llvm::Module &code);

/// Turns the code of a program into code for a shared object, which exports the
/// table as `sluice_region_program` and has no `main`.
void shareRegions(llvm::Module &code);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONCODE_H
