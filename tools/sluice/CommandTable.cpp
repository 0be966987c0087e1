//===- CommandTable.cpp - Commands and options as plain data --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandTable.h"
#include "sluice/Base/Store.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace llvm::opt;
using namespace sluice::driver;

/// The kind of word that a placeholder such as "FILE.svg" represents.
static WordKind kindOf(StringRef metavar) {
  metavar = metavar.trim();
  if (metavar.empty())
    return WordKind::Nothing;
  if (metavar.starts_with("FILE"))
    return WordKind::File;
  return metavar == "DIR" ? WordKind::Folder : WordKind::Text;
}

/// Adds other spellings of an option: the options that are aliases of it.
static void addAliases(CommandOption &entry, unsigned visibility) {
  const OptTable &table = commandLineTable();
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    const Option option = table.getOption(id);
    if (!option.getAlias().isValid() || option.getAlias().getID() != entry.id ||
        !option.hasVisibilityFlag(visibility))
      continue;
    std::string name = table.getOptionPrefixedName(id).str();
    if (name.size() == 2)
      entry.letter = name;
    entry.mayBeApart |= option.getKind() == Option::SeparateClass;
  }
}

std::vector<CommandOption> optionsOf(OptionID group, unsigned visibility) {
  const OptTable &table = commandLineTable();
  std::vector<CommandOption> entries;
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    const Option option = table.getOption(id);
    const char *text = table.getOptionHelpText(id, Visibility(visibility));
    if (option.getKind() == Option::GroupClass || !option.matches(group) ||
        !option.hasVisibilityFlag(visibility) || option.hasFlag(HelpHidden) ||
        option.getAlias().isValid() || !text)
      continue;
    CommandOption entry;
    entry.id = id;
    entry.name = table.getOptionPrefixedName(id).str();
    entry.help = text;
    if (const char *metavar = table.getOptionMetaVar(id))
      entry.metavar = metavar;
    entry.value = kindOf(entry.metavar);
    entry.mayBeApart = option.getKind() == Option::JoinedOrSeparateClass ||
                       option.getKind() == Option::SeparateClass;
    addAliases(entry, visibility);
    for (std::string &value : table.suggestValueCompletions(entry.name, ""))
      entry.values.push_back(std::move(value));
    if (!entry.values.empty())
      entry.value = WordKind::OneOf;
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Adds the operands after a command's options, as in its usage.
static void addOperands(CommandEntry &command) {
  StringRef usage = command.usage;
  if (command.name == "completion") {
    command.operand = WordKind::OneOf;
    command.operands = {"bash", "zsh", "fish"};
  } else if (command.name == "cache") {
    command.operand = WordKind::OneOf;
    for (sluice::StoreKind kind : sluice::storeKinds())
      command.operands.emplace_back(sluice::nameOf(kind));
  } else if (usage.contains(" FILE...") || usage.contains(" PROGRAM ") ||
             usage.contains(" TRACE.json")) {
    command.operand = WordKind::File;
  } else if (usage.ends_with(" DIR") || usage.contains(" DIR ")) {
    command.operand = WordKind::Folder;
  } else if (usage.contains(" LAYOUT...")) {
    command.operand = WordKind::Text;
  }
}

std::vector<CommandEntry> commandTable() {
  std::vector<CommandEntry> commands;
  for (const OptTable::SubCommand &command :
       commandLineTable().getSubCommands()) {
    CommandEntry entry;
    entry.name = command.Name;
    entry.help = command.HelpText;
    entry.usage = command.Usage;
    unsigned visibility = visibilityOf(entry.name);
    entry.options = optionsOf(OPT_options_Group, visibility);
    append_range(entry.options, optionsOf(OPT_compiling_Group, visibility));
    addOperands(entry);
    commands.push_back(std::move(entry));
  }
  return commands;
}
