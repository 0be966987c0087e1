//===- DevicesCommand.h - The command line of 'sluice devices' ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_DEVICESCOMMAND_H
#define SLUICE_TOOLS_SLUICE_DEVICESCOMMAND_H

#include "llvm/ADT/ArrayRef.h"

/// Runs 'sluice devices' with the words behind 'devices'; returns the exit
/// status.
int runDevicesCommand(llvm::ArrayRef<const char *> words);

#endif // SLUICE_TOOLS_SLUICE_DEVICESCOMMAND_H
