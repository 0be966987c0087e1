//===- ToolOutput.h - What other programs say -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling runs a linker and others, whose messages are shown beside ours.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_TOOLOUTPUT_H
#define SLUICE_DIAGNOSTICS_TOOLOUTPUT_H

#include "sluice/Diagnostics/Diagnostics.h"

#include <string>

namespace sluice {

/// Prints what another program said, as it is. If messages are redirected, each
/// message in it, of the severity that it states, or else of another: an error
/// if the program failed. Without a failure, nothing is printed for quiet
/// processes.
void printToolOutput(const std::string &text, Severity otherwise);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_TOOLOUTPUT_H
