//===- DeviceList.h - The available devices and versions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of devices that `sluice devices` prints, and the versions of `sluice
// --version`.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_DEVICELIST_H
#define SLUICE_DRIVER_DEVICELIST_H

#include "llvm/Support/raw_ostream.h"

namespace sluice::driver {

/// Prints the devices that programs can use here, and why other devices cannot
/// be used.
void listDevices(llvm::raw_ostream &os);

/// Writes the versions of Sluice, LLVM, MPIs and devices.
void printVersion(llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_DEVICELIST_H
