//===- ToolOutput.h - Output of other programs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling runs a linker and other programs, whose messages are shown next to
// Sluice's.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_TOOLOUTPUT_H
#define SLUICE_DIAGNOSTICS_TOOLOUTPUT_H

#include "sluice/Diagnostics/Diagnostics.h"

#include <string>

namespace sluice {

/// Prints the output of another program unchanged. If messages are redirected,
/// reports each message in the output with its stated severity or else with
/// `otherwise`: an error if the program failed. Quiet processes print nothing
/// unless the program failed.
void printToolOutput(const std::string &text, Severity otherwise);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_TOOLOUTPUT_H
