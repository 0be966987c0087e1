//===- LeafReport.h - What passes did to leaves ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks of passes about the leaves of a program, for tools that show them at
// the source or at the nodes of a graph. `sluice build -Rpass=sluice` prints
// the same remarks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_LEAFREPORT_H
#define SLUICE_DRIVER_LEAFREPORT_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace sluice::driver {

struct BuildOptions;
struct Program;

/// What a pass did to a leaf, or why it did nothing.
struct LeafRemark {
  SourcePlace place;
  std::string text;
  /// The path of the node, "root/blur", followed by ".PART" if the function
  /// with the code is one of several functions of the node.
  std::string function;
};

/// The remarks to collect.
enum class RemarkChoice {
  /// All remarks of Sluice's own passes.
  LeafPasses,
  /// The remarks that -Rpass= and related flags request.
  CommandLine
};

/// Optimises a checked program as `sluice build` does, and returns the remarks
/// about its leaves. Prints an error and returns the remarks so far if the
/// program cannot be compiled. The program cannot be used afterwards.
std::vector<LeafRemark> reportLeaves(Program &program,
                                     const BuildOptions &options,
                                     RemarkChoice choice);

/// The remarks about the node with this path, as "file.c:12: text", each once.
/// A fused node's remarks belong to each of its parts.
std::vector<std::string> remarksAbout(llvm::StringRef path,
                                      llvm::ArrayRef<LeafRemark> remarks);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_LEAFREPORT_H
