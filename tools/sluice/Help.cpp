//===- Help.cpp - The help pages of sluice --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats the texts of Options.td and of the tables of settings.
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "CommandTable.h"
#include "sluice/Runtime/Engine/Settings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::opt;
using namespace sluice::driver;

/// The column in which the descriptions of options begin.
static constexpr unsigned textColumn = 23;

/// Wraps a text into lines of 80 columns; the first line has already begun.
static void printWrapped(StringRef text, unsigned column, raw_ostream &os) {
  for (StringRef word : split(text, ' ')) {
    if (column + word.size() + 1 > 80) {
      os << '\n';
      os.indent(textColumn - 1);
      column = textColumn - 1;
    }
    os << ' ' << word;
    column += word.size() + 1;
  }
  os << '\n';
}

static void printOption(const CommandOption &option, raw_ostream &os) {
  std::string name = option.name + option.metavar;
  if (!option.letter.empty())
    name = option.letter + ", " + name;
  os << "  " << name;
  unsigned column = 2 + name.size();
  if (column + 2 > textColumn) {
    os << '\n';
    column = 0;
  }
  os.indent(textColumn - 1 - column);
  printWrapped(option.help, textColumn - 1, os);
}

/// Prints the options of one group that a command has.
static void printGroup(OptionID group, unsigned visibility, raw_ostream &os) {
  std::vector<CommandOption> options = optionsOf(group, visibility);
  if (options.empty())
    return;
  os << '\n' << commandLineTable().getOptionHelpText(group) << '\n';
  for (const CommandOption &option : options)
    printOption(option, os);
}

/// The text for a command in Options.td, and its examples.
static std::pair<StringRef, StringRef> textOf(StringRef command) {
  const OptTable &table = commandLineTable();
  unsigned id = 1;
  while (table.getOptionName(id) != command)
    ++id;
  StringRef text = table.getOptionHelpText(id);
  size_t examples = std::min(text.find("\nExamples\n"), text.size());
  return {text.take_front(examples), text.drop_front(examples)};
}

static constexpr sluice::Setting packSettings[] = {
#define SLUICE_PACK_SETTING(NAME, MEANING, PAGE) {NAME, MEANING},
#include "sluice/Runtime/Engine/Settings.def"
};

static void printSettings(StringRef whose,
                          std::span<const sluice::Setting> settings,
                          raw_ostream &os) {
  os << "\nEnvironment of " << whose << '\n';
  for (const sluice::Setting &setting : settings)
    os << "  " << setting.name << "\n      " << setting.description << '\n';
}

static void printOverview(raw_ostream &os) {
  os << "sluice: compiles, checks and runs programs that are graphs of "
        "dataflow\n\nUsage: sluice COMMAND [OPTIONS] FILE...\n\nCommands\n";
  for (const OptTable::SubCommand &command :
       commandLineTable().getSubCommands())
    os << "  " << left_justify(command.Name, 12) << command.HelpText << '\n';
  os << textOf("sluice").first;
  printGroup(OPT_options_Group, DefaultVis, os);
  printSettings("programs", sluice::runtimeSettings(), os);
  printSettings("Pack", packSettings, os);
}

void printHelp(StringRef name, unsigned visibility) {
  raw_ostream &os = outs();
  if (name.empty())
    return printOverview(os);
  for (const OptTable::SubCommand &command :
       commandLineTable().getSubCommands())
    if (name == command.Name)
      os << "Usage: sluice " << name << ' ' << command.Usage << '\n';
  auto [text, examples] = textOf(name);
  os << text;
  printGroup(OPT_options_Group, visibility, os);
  printGroup(OPT_compiling_Group, visibility, os);
  os << examples;
  if (name == "run")
    printSettings("programs", sluice::runtimeSettings(), os);
  if (name == "pack")
    printSettings("Pack", packSettings, os);
}
