//===- MessageReport.h - Messages as a document -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With --diagnostics=json or sarif, messages of a command are collected. They
// are written as one document when the command ends, or when it is replaced by
// the program that it runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_MESSAGEREPORT_H
#define SLUICE_TOOLS_SLUICE_MESSAGEREPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"

/// Collects messages from now on, if requested by the options. Returns false,
/// with an error message, if the options contradict each other.
bool startReport(llvm::StringRef command,
                 const llvm::opt::InputArgList &options);

/// Writes the document, if it was requested and not written yet. Returns false,
/// with an error message, if that is not possible. From here on, messages are
/// printed as text. `isGood`: the command was successful.
bool finishReport(bool isGood);

#endif // SLUICE_TOOLS_SLUICE_MESSAGEREPORT_H
