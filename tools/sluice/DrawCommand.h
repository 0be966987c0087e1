//===- DrawCommand.h - sluice graph -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_DRAWCOMMAND_H
#define SLUICE_TOOLS_SLUICE_DRAWCOMMAND_H

struct CommandLine;

/// Draws what the files describe; an exit status.
int drawProgram(const CommandLine &line);

#endif // SLUICE_TOOLS_SLUICE_DRAWCOMMAND_H
