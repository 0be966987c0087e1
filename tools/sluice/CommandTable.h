//===- CommandTable.h - Commands and options as plain data ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of Options.td, for texts that are generated from it: help, and
// the scripts that complete command lines in shells.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_COMMANDTABLE_H
#define SLUICE_TOOLS_SLUICE_COMMANDTABLE_H

#include "sluice/Driver/CommandOptions.h"

#include <string>
#include <vector>

/// The completions that a shell offers for a word.
enum class WordKind {
  Nothing, ///< no word
  Text,    ///< a word that cannot be completed
  OneOf,
  File,
  Folder
};

struct CommandOption {
  unsigned id = 0;
  /// "--color=", "-o": as written before its value, if it has one.
  std::string name;
  /// "-q": the one-letter form; may be empty.
  std::string letter;
  /// "FILE", " DIR"; empty if it takes no value.
  std::string metavar;
  std::string help;
  WordKind value = WordKind::Nothing;
  /// The possible values.
  std::vector<std::string> values;
  /// The value may be a separate word.
  bool mayBeApart = false;
};

struct CommandEntry {
  std::string name, help, usage;
  /// The options that --help shows, in the same order.
  std::vector<CommandOption> options;
  /// The operands after the options, and their kind.
  WordKind operand = WordKind::Nothing;
  std::vector<std::string> operands;
};

/// The options of a group that are visible with `visibility`.
std::vector<CommandOption> optionsOf(sluice::driver::OptionID group,
                                     unsigned visibility);
std::vector<CommandEntry> commandTable();

/// The script for "bash", "zsh" or "fish".
std::string completionScript(llvm::StringRef shell);

#endif // SLUICE_TOOLS_SLUICE_COMMANDTABLE_H
