//===- CommandTable.h - Commands and options as plain data ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Options.td says, for what is written from it: help and the scripts that
// complete command lines in shells.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_COMMANDTABLE_H
#define SLUICE_TOOLS_SLUICE_COMMANDTABLE_H

#include "sluice/Driver/Options.h"

#include <string>
#include <vector>

/// What a shell offers where a word is expected.
enum class WordKind {
  Nothing, ///< no word
  Text,    ///< one that nobody can guess
  OneOf,
  File,
  Folder
};

struct OptionEntry {
  unsigned id = 0;
  /// "--color=", "-o": as it is written in front of its value, if it has one.
  std::string name;
  /// "-q": another name of one letter; may be empty.
  std::string letter;
  /// "FILE", " DIR"; empty if it takes no value.
  std::string metavar;
  std::string help;
  WordKind value = WordKind::Nothing;
  /// What the value may be.
  std::vector<std::string> values;
  /// The value may stand in the next word.
  bool mayBeApart = false;
};

struct CommandEntry {
  std::string name, help, usage;
  /// Those that --help shows, in its order.
  std::vector<OptionEntry> options;
  /// What stands behind the options, and what it may be.
  WordKind operand = WordKind::Nothing;
  std::vector<std::string> operands;
};

/// The options of a group that `visibility` sees.
std::vector<OptionEntry> optionsOf(sluice::driver::OptionID group,
                                   unsigned visibility);
std::vector<CommandEntry> commandTable();

/// The script for "bash", "zsh" or "fish".
std::string completionScript(llvm::StringRef shell);

#endif // SLUICE_TOOLS_SLUICE_COMMANDTABLE_H
