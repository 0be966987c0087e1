//===- RegionPrograms.h - Programs over regions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of the rdir dialect consists of one .mlir file and the C and C++
// files with the functions of its tasks. The driver checks it, orders it and
// writes it as source code, either for the user or to be compiled with the
// tasks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_REGIONPROGRAMS_H
#define SLUICE_DRIVER_REGIONPROGRAMS_H

#include "sluice/CodeGen/RegionModel.h"
#include "sluice/Driver/Build.h"
#include "llvm/ADT/StringRef.h"

namespace sluice::driver {

/// True if one of the files is a module of the rdir dialect. Files that cannot
/// be read do not count.
bool hasRegions(const ProgramOptions &options);

/// The language of generated source code.
enum class SourceLanguage { Header, Cpp, Legion, StarPU, StarPUMPI };

struct EmitOptions {
  SourceLanguage language = SourceLanguage::Cpp;
  codegen::LegionOptions legion;
};

/// Writes the program as source code to `output`, atomically, or to standard
/// output if `output` is empty. Prints problems to stderr.
bool emitRegions(const ProgramOptions &options, const EmitOptions &emit,
                 llvm::StringRef output);

/// Compiles the tasks of a program, and checks what they certainly access.
/// Prints problems to stderr.
bool checkRegionCode(const BuildOptions &options);

/// buildExecutable for programs over regions.
bool buildRegions(const BuildOptions &options, llvm::StringRef output,
                  std::vector<std::string> *dependencies);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_REGIONPROGRAMS_H
