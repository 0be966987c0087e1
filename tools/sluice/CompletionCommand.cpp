//===- CompletionCommand.cpp - sluice completion --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the script for a shell.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "CommandTable.h"
#include "Commands.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

int completionCommand(const CommandLine &line) {
  if (line.files.size() != 1)
    return usage("'sluice completion' takes one shell: bash, zsh or fish");
  StringRef shell = line.files.front();
  if (shell != "bash" && shell != "zsh" && shell != "fish")
    return usage("there is no completion for '" + shell +
                 "', expected bash, zsh or fish");
  outs() << completionScript(shell);
  return exitFine;
}
