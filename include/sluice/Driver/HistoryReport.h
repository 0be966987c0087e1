//===- HistoryReport.h - Showing the measured times of nodes --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows and clears the file in which programs keep the times of their nodes,
// for `sluice devices`.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_HISTORYREPORT_H
#define SLUICE_DRIVER_HISTORYREPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::driver {

/// Prints a table of the measurements for the nodes of a program, or of all
/// programs if `program` is empty: node, size, place, runs, median, and the
/// selected place. A program is identified by its name, or by the hash of its
/// device code or a prefix of the hash. Returns false if there are no
/// measurements.
bool printDeviceHistory(llvm::StringRef program, llvm::raw_ostream &os);

/// Removes the measurements. Returns false after printing an error if that
/// failed or if there were none.
bool clearDeviceHistory(llvm::StringRef program, llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_HISTORYREPORT_H
