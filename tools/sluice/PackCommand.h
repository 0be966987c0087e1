//===- PackCommand.h - The command line of 'sluice pack' ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_PACKCOMMAND_H
#define SLUICE_TOOLS_PACKCOMMAND_H

/// Runs 'sluice pack' with the words behind 'sluice', and returns the exit
/// status.
int runPackCommand(int argc, const char *const *argv);

#endif // SLUICE_TOOLS_PACKCOMMAND_H
