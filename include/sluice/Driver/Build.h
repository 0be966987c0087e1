//===- Build.h - From a program to an executable --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `sluice build` and `sluice run` do: all phases from files to an
// executable, printing a stage instead, and the variants that running programs
// ask for.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_BUILD_H
#define SLUICE_DRIVER_BUILD_H

#include "sluice/CodeGen/CodeGen.h"
#include "sluice/Driver/Program.h"
#include "sluice/Toolchain/CachedFile.h"

#include <functional>
#include <string>
#include <vector>

namespace sluice::driver {

/// A stage of compilation that `--print` shows.
enum class Stage {
  None,
  Tasks,
  Canonical,
  Graph,
  Regions,
  Transformed,
  Plan,
  Device,
  SPIRV,
  PTX,
  Kernels,
  Optimized,
  Assembly
};

struct BuildOptions {
  ProgramOptions program;
  /// Link the runtime into the executable instead of its shared library.
  bool isStatic = false;
  /// With isStatic, of a program over regions: make what SMPI's launcher
  /// starts, which simulates ranks, instead of an executable.
  bool isSimulated = false;
  /// Of a program over regions: make a shared object for processes that have
  /// the runtime's shared library. It shows `sluice_region_program`, its table.
  bool isShared = false;
  /// The minimum chip that PTX is made for, "sm_75". Empty: the result of
  /// `findChip`, which is called only if there are device kernels, or a common
  /// chip.
  std::string deviceChip;
  std::function<std::string()> findChip;
  /// Print this stage to stdout instead of building.
  Stage print = Stage::None;
};

/// What clang's -f[no-]vectorize and -f[no-]slp-vectorize among the flags ask
/// for; the last of each counts.
codegen::Vectorization
vectorizationOf(const std::vector<std::string> &compilerFlags);

/// What debuggers are to see of the leaves of a program.
codegen::Debugging debuggingOf(const ProgramOptions &program);

/// The chip of the first NVIDIA GPU that programs can use here, "sm_90"; empty
/// if there is none.
std::string chipOfMachine();

/// Compiles and links a program to `output`, which must not be one of the files
/// it is made from. Prints problems to stderr; `output` is left as it was
/// unless all went well. `dependencies`, if
/// given, receives the files the program was made from.
bool buildExecutable(const BuildOptions &options, llvm::StringRef output,
                     std::vector<std::string> *dependencies = nullptr);

/// Says as remarks which nodes of a checked program cannot run on the device
/// that their hints ask for. Prints an error and returns false if the program
/// has no plan. The program is of no use afterwards.
bool checkDeviceNodes(Program &program, const BuildOptions &options);

/// Prints the stage that `options` asks for.
bool printStage(const BuildOptions &options);

/// The executable, or shared object, of a program in the cache, built if it is
/// not there or if anything it was made from has changed.
CachedFile cachedExecutable(const BuildOptions &options);

/// Compiles one variant of a node of a serialised program (see writeProgram)
/// to a shared object, written atomically.
llvm::Error buildVariant(llvm::StringRef code,
                         const codegen::VariantRequest &request,
                         const codegen::CodeGenOptions &options,
                         llvm::StringRef output);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_BUILD_H
