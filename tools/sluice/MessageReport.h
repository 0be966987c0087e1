//===- MessageReport.h - Messages as a document -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With --diagnostics=json or sarif, messages of a command are collected, and
// written as one document when it ends, or becomes the program that it runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_MESSAGEREPORT_H
#define SLUICE_TOOLS_SLUICE_MESSAGEREPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"

/// Collects messages from now on if the options say so; false, after saying
/// why, if they contradict each other.
bool startReport(llvm::StringRef command,
                 const llvm::opt::InputArgList &options);

/// Writes the document, if there is one to write and it has not been written;
/// false, after saying why, if that is not possible. From here on messages are
/// text. `isGood`: the command did what it was asked for.
bool finishReport(bool isGood);

#endif // SLUICE_TOOLS_SLUICE_MESSAGEREPORT_H
