//===- CheckRegions.h - Checking modules of the rdir dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `sluice check` does with a module of regions: all rules, all problems,
// and on request the order that was proven.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_CHECKREGIONS_H
#define SLUICE_DRIVER_CHECKREGIONS_H

#include "sluice/Diagnostics/Proof.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <optional>
#include <string>

namespace sluice::driver {

struct RegionCheckOptions {
  /// .mlir or .mlirbc.
  std::string file;
  /// Print the serial order, the critical path and the width of each graph.
  bool hasOrder = false;
  /// Called when a phase begins: "read", "import", "check", "order".
  std::function<void(llvm::StringRef phase)> onPhase = {};
};

/// Checks a module. Prints problems and remarks to stderr, what was proven to
/// `os`. On a terminal, says what it is at when that takes more than a second.
/// Returns how much is proven, or nothing if there are errors.
std::optional<ProofState> checkRegions(const RegionCheckOptions &options,
                                       llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_CHECKREGIONS_H
