//===- TuneWays.h - The fastest ways of a program's graphs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program many times, and each time runs its graphs, as far as their
// nodes may run strip by strip, in other ways.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_TUNEWAYS_H
#define SLUICE_DRIVER_TUNEWAYS_H

#include "sluice/Base/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// The environment variable that names the file of ways, and the one that names
/// the file to which a program writes its measurements.
inline constexpr const char *waysVariable = "SLUICE_TUNED";
inline constexpr const char *timesVariable = "SLUICE_TUNE_TIMES";

struct WayTuning {
  std::string program;
  std::vector<std::string> arguments;
  /// The file to write.
  std::string output;
};

/// Searches the fastest ways for the graphs named in `measured`, the text that
/// a run wrote to the file in `timesVariable`; there must be at least one.
/// Writes the output file, and a report to `os`. Returns false after printing
/// an error.
bool tuneWays(const WayTuning &tuning, const std::string &measured,
              llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_TUNEWAYS_H
