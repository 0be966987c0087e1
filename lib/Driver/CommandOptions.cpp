//===- CommandOptions.cpp - The table of commands and options -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's option library parses command lines according to the table. This file
// adds the messages for invalid ones.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/CommandOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace llvm::opt;
using namespace sluice;
using namespace sluice::driver;

#define OPTTABLE_STR_TABLE_CODE
#define OPTTABLE_PREFIXES_TABLE_CODE
#define OPTTABLE_SUBCOMMAND_IDS_TABLE_CODE
#define OPTTABLE_SUBCOMMANDS_CODE
#include "sluice/Driver/Options.inc"
#undef OPTTABLE_STR_TABLE_CODE
#undef OPTTABLE_PREFIXES_TABLE_CODE
#undef OPTTABLE_SUBCOMMAND_IDS_TABLE_CODE
#undef OPTTABLE_SUBCOMMANDS_CODE

using namespace sluice::driver::command;
static constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "sluice/Driver/Options.inc"
#undef OPTION
};

namespace {
struct DriverOptionTable : GenericOptTable {
  DriverOptionTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos,
                        /*IgnoreCase=*/false, OptionSubCommands,
                        OptionSubCommandIDsTable) {}
};
} // namespace

const OptTable &driver::commandLineTable() {
  static const DriverOptionTable table;
  return table;
}

unsigned driver::visibilityOf(StringRef command) {
  return StringSwitch<unsigned>(command)
      .Case("run", command::run)
      .Case("build", command::build)
      .Case("cc", command::cc)
      .Case("c++", command::cxx)
      .Case("check", command::check)
      .Case("graph", command::graph)
      .Case("tune", command::tune)
      .Case("pack", command::pack)
      .Case("devices", command::devices)
      .Case("cache", command::cache)
      .Case("lsp", command::lsp)
      .Case("init", command::init)
      .Case("trace", command::trace)
      .Case("debug", command::debug)
      .Case("completion", command::completion)
      .Default(0);
}

/// Whether an option is Sluice's own with a value, rather than a compiler's
/// flag.
static bool isSetting(const Option &option) {
  return option.matches(OPT_o) ||
         (option.getKind() == Option::JoinedClass &&
          (option.matches(OPT_options_Group) ||
           option.getGroup().getID() == OPT_compiling_Group));
}

/// "a, b or c".
static std::string listed(ArrayRef<std::string> words, StringRef conjunction) {
  if (words.size() < 2)
    return join(words, "");
  return join(words.drop_back(), ", ") + " " + conjunction.str() + " " +
         words.back();
}

/// Checks that there is a value and, if the table lists values, that it is one
/// of them.
static Error checkValue(const Arg &arg) {
  const OptTable &table = commandLineTable();
  unsigned id = arg.getOption().getID();
  StringRef name = table.getOptionPrefixedName(id), value = arg.getValue();
  std::vector<std::string> known = table.suggestValueCompletions(name, "");
  bool isJoined = name.consume_back("=");
  if (value.empty())
    return createStringError("'" + name + "' needs a value: " + name +
                             (isJoined ? "=" : "") +
                             table.getOptionMetaVar(id));
  if (known.empty() || is_contained(known, value))
    return Error::success();
  std::string nearest = *min_element(known, [&](auto &a, auto &b) {
    return value.edit_distance(a) < value.edit_distance(b);
  });
  bool isNear = value.size() > 2 && value.edit_distance(nearest) <= 2;
  return createStringError("unknown value '" + value + "' of " + name +
                           ", expected " + listed(known, "or") +
                           (isNear ? "; did you mean '" + nearest + "'?" : ""));
}

/// The commands that accept a word as their option, quoted.
static std::vector<std::string> commandsWith(StringRef word) {
  std::vector<std::string> names;
  std::string text = word.str();
  for (const OptTable::SubCommand &command :
       commandLineTable().getSubCommands()) {
    unsigned missing = 0, count = 0;
    InputArgList args = commandLineTable().ParseArgs(
        {text.c_str()}, missing, count, Visibility(visibilityOf(command.Name)));
    // An option without its required value was not parsed as an argument.
    if (count ||
        (args.size() && !args.hasArg(OPT_UNKNOWN) && !args.hasArg(OPT_INPUT)))
      names.push_back("'sluice " + std::string(command.Name) + "'");
  }
  return names;
}

static Error unknown(StringRef word, unsigned visibility) {
  std::string nearest;
  unsigned distance = commandLineTable().findNearest(
      word, nearest, Visibility(visibility), /*MinimumLength=*/4,
      /*MaximumDistance=*/2);
  std::string hint;
  if (std::vector<std::string> others = commandsWith(word); !others.empty())
    hint = "; it is one of " + listed(others, "and");
  else if (distance <= 2)
    hint = "; did you mean '" + nearest + "'?";
  return createStringError("unknown option '" + word + "'" + hint);
}

Expected<InputArgList> driver::parseOptions(ArrayRef<const char *> words,
                                            unsigned visibility) {
  unsigned missing = 0, count = 0;
  InputArgList args = commandLineTable().ParseArgs(words, missing, count,
                                                   Visibility(visibility));
  if (count)
    return createStringError(Twine("'") + args.getArgString(missing) +
                             "' needs a value behind it");
  for (const Arg *arg : args) {
    if (arg->getOption().matches(OPT_UNKNOWN))
      return unknown(arg->getValue(), visibility);
    if (isSetting(arg->getOption()))
      if (Error error = checkValue(*arg))
        return std::move(error);
  }
  return args;
}
