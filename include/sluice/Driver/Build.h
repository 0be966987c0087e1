//===- Build.h - From a program to an executable --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of `sluice build` and `sluice run`, from files to an executable;
// printing a stage instead; and compiling the variants that running programs
// request.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_BUILD_H
#define SLUICE_DRIVER_BUILD_H

#include "sluice/CodeGen/CodeGen.h"
#include "sluice/Driver/Program.h"
#include "sluice/Toolchain/CachedFile.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice {
struct ObjectJob;
} // namespace sluice

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
  /// With isStatic, for a program over regions: make the program that SMPI's
  /// launcher starts, which simulates ranks, instead of an executable.
  bool isSimulated = false;
  /// For a program over regions: make a shared object for processes that use
  /// the runtime's shared library. It exports its table as
  /// `sluice_region_program`.
  bool isShared = false;
  /// The oldest chip that the PTX supports, "sm_75". If empty: the result of
  /// `findChip`, which is called only if there are device kernels, or a common
  /// chip.
  std::string deviceChip;
  std::function<std::string()> findChip;
  /// Print this stage to stdout instead of building.
  Stage print = Stage::None;
};

/// The effect of clang's -f[no-]vectorize and -f[no-]slp-vectorize among the
/// flags; the last of each counts.
codegen::Vectorization
vectorizationOf(const std::vector<std::string> &compilerFlags);

/// The debug information that the leaves of a program need.
codegen::Debugging debuggingOf(const ProgramOptions &program);

/// The chip of the first usable NVIDIA GPU of this machine, "sm_90"; empty if
/// there is none.
std::string chipOfMachine();

/// Compiles and links a program to `output`, which must not be one of its
/// sources. Prints problems to stderr; unless the build succeeds, `output` is
/// not changed. `dependencies`, if given, receives the files from which the
/// program was made.
bool buildExecutable(const BuildOptions &options, llvm::StringRef output,
                     std::vector<std::string> *dependencies = nullptr);

/// Compiles a source of a program that others link to an object file. Prints
/// problems to stderr; returns whether there were none. None, and no
/// output, if the source has nothing for Sluice.
std::optional<bool> buildObject(const BuildOptions &options,
                                const ObjectJob &job);

/// Prints remarks about nodes of a checked program that cannot run on the
/// device in their hints. Prints an error and returns false if the program has
/// no plan. The program cannot be used afterwards.
bool checkDeviceNodes(Program &program, const BuildOptions &options);

/// Prints the requested stage.
bool printStage(const BuildOptions &options);

/// Returns the executable or shared object of a program from the cache. Builds
/// it if it is missing or if any of its sources has changed.
CachedFile cachedExecutable(const BuildOptions &options);

/// Compiles one variant of a node of a serialised program (see writeProgram)
/// to a shared object, written atomically.
llvm::Error buildVariant(llvm::StringRef code,
                         const codegen::VariantValues &request,
                         const codegen::CodeGenOptions &options,
                         llvm::StringRef output);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_BUILD_H
