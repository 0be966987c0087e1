//===- TuneCommand.h - The command line of 'sluice tune' ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_TUNECOMMAND_H
#define SLUICE_TOOLS_SLUICE_TUNECOMMAND_H

#include "llvm/ADT/ArrayRef.h"

/// Runs 'sluice tune' with the words behind 'tune' and those behind "--";
/// returns the exit status if the program could not be started.
int runTuneCommand(llvm::ArrayRef<const char *> words,
                   llvm::ArrayRef<const char *> arguments);

#endif // SLUICE_TOOLS_SLUICE_TUNECOMMAND_H
