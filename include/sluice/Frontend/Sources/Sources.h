//===- Sources.h - The files of a program to canonical HPVM IR ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical HPVM IR is where the front ends meet: calls of llvm.hpvm.*
// intrinsics, and node functions with one parameter for every input and one
// field of the result for every output, with the types of the source. A source
// may hold both HPVM-C and Hetero-C++; here both are read and lowered.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_SOURCES_SOURCES_H
#define SLUICE_FRONTEND_SOURCES_SOURCES_H

#include "sluice/Frontend/Clang/Compile.h"
#include "sluice/Frontend/OpenMP/LowerOpenMP.h"

namespace sluice {

/// Compiles one C or C++ file to unoptimised IR with debug information.
/// Clang's messages go to stderr, in its format; an error is returned when
/// clang reported one. What is wrong with HPVM-C calls is added to
/// `diagnostics` instead, and the unit is returned none the less, so that
/// later steps can find more; it is not fit for use then.
llvm::Expected<CompiledUnit> compileSource(llvm::StringRef path,
                                           const CompileOptions &options,
                                           llvm::LLVMContext &context,
                                           Diagnostics &diagnostics);

/// Compiles a source that compileSource has refused without the functions that
/// have errors, which are added to `leftOut`, so that more can be said about
/// the others. None, and no diagnostics, if an error stands elsewhere. Clang's
/// messages are not repeated.
std::optional<CompiledUnit> compileSoundParts(llvm::StringRef path,
                                              const CompileOptions &options,
                                              llvm::LLVMContext &context,
                                              Diagnostics &diagnostics,
                                              std::vector<LeftOut> &leftOut);

struct LinkUnitsOptions {
  /// The module of a program whose calls of HPVM-C could not all be lowered is
  /// returned as it is, for looking at the rest.
  bool keepsBroken = false;
  /// Loops of OpenMP become graphs, and this says which. Null: they do not.
  OpenMPSummary *openMP = nullptr;
  /// Say of loops of OpenMP that do not become graphs why.
  bool hasRemarks = false;
  /// The units are not the whole program; others may start the runtime, too.
  bool isUnit = false;
};

/// Brings the modules of a program into canonical form and links them in the
/// given order. Units read from IR have no records and are linked as they are.
/// Names of static functions stay distinct. Null if a unit cannot be lowered
/// or linked; what is wrong is added to `diagnostics`, everything that is
/// found in one run. Clears `units`.
std::unique_ptr<llvm::Module> linkUnits(std::vector<CompiledUnit> &units,
                                        llvm::LLVMContext &context,
                                        Diagnostics &diagnostics,
                                        const LinkUnitsOptions &options = {});

} // namespace sluice

#endif // SLUICE_FRONTEND_SOURCES_SOURCES_H
