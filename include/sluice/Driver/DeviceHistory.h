//===- DeviceHistory.h - Showing how long nodes took where ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows and clears the file in which programs keep the times of their nodes,
// for `sluice devices`.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_DEVICEHISTORY_H
#define SLUICE_DRIVER_DEVICEHISTORY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::driver {

/// Writes a table of what was measured for the nodes of a program, or of all
/// if `program` is empty: node, size, place, runs, median, and which place is
/// chosen. A program is known by the name or the hash of its code for devices,
/// or the beginning of that hash. False if there is nothing of it.
bool printDeviceHistory(llvm::StringRef program, llvm::raw_ostream &os);

/// Forgets it. False after saying why that failed, or that there was nothing.
bool clearDeviceHistory(llvm::StringRef program, llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_DEVICEHISTORY_H
