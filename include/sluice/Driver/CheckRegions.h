//===- CheckRegions.h - Checking modules of the rdir dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The implementation of `sluice check` for modules of regions: checks all
// rules, reports all problems, and on request the proven order.
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
  /// A .mlir or .mlirbc file.
  std::string file;
  /// Print the serial order, the critical path and the width of each graph.
  bool hasOrder = false;
  /// Checks the code of the tasks as well; prints problems.
  std::function<bool()> checkCode = {};
  /// Called when a phase begins: "read", "import", "check", "order".
  std::function<void(llvm::StringRef phase)> onPhase = {};
};

/// Checks a module. Prints problems and remarks to stderr and the proven
/// results to `os`. On a terminal, shows progress after a second. Returns the
/// state of the proof, or nothing if there are errors.
std::optional<ProofState> checkRegions(const RegionCheckOptions &options,
                                       llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_CHECKREGIONS_H
