//===- Devices.h - What programs can run on here --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of devices that `sluice devices` prints, and the versions of `sluice
// --version`.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_DEVICES_H
#define SLUICE_DRIVER_DEVICES_H

#include "llvm/Support/raw_ostream.h"

namespace sluice::driver {

/// Writes what programs can run on here, and of devices that cannot be used
/// why.
void listDevices(llvm::raw_ostream &os);

/// Writes the versions of Sluice, LLVM, MPIs and devices.
void printVersion(llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_DEVICES_H
