//===- Options.cpp - Parses the command line of a meta-program ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses the table of OptionTable.h.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "sluice-c/TaskProgram.h"
#include "sluice/Base/Text.h"
#include "llvm/ADT/StringRef.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

using namespace sluice;

[[noreturn]] static void refuse(std::string problem) {
  throw std::invalid_argument(std::move(problem));
}

namespace {
/// The words of a command line, read one after another.
struct OptionWords {
  int count;
  char **words;
  int next = 1;

  bool atEnd() const { return next >= count; }
  std::string_view take() { return words[next++]; }
};

/// A word as a flag and the value that is written with it.
struct Flag {
  const OptionEntry *entry = nullptr;
  std::string_view spelling;
  std::string_view value;
  bool hasValue = false;
};
} // namespace

static const OptionEntry *findLong(std::string_view name) {
  for (const OptionEntry &entry : optionTable())
    if (entry.name == name)
      return &entry;
  return nullptr;
}

static const OptionEntry *findShort(char letter) {
  for (const OptionEntry &entry : optionTable())
    if (entry.letter && entry.letter == letter)
      return &entry;
  return nullptr;
}

/// --name, --name=value, -x, -xvalue.
static Flag readFlag(std::string_view word) {
  if (word.size() > 2 && word.substr(0, 2) == "--") {
    size_t equals = word.find('=');
    bool hasValue = equals != std::string_view::npos;
    std::string_view spelling = word.substr(0, equals);
    return {findLong(spelling.substr(2)), spelling,
            hasValue ? word.substr(equals + 1) : "", hasValue};
  }
  if (word.size() > 1 && word[0] == '-')
    return {findShort(word[1]), word.substr(0, 2), word.substr(2),
            word.size() > 2};
  return {nullptr, word, "", false};
}

static unsigned readNumber(const Flag &flag) {
  unsigned number = 0;
  const char *end = flag.value.data() + flag.value.size();
  auto [stop, problem] = std::from_chars(flag.value.data(), end, number);
  if (problem != std::errc() || stop != end || number == 0 ||
      number > SLUICE_MAX_WORKERS)
    refuse(concat(flag.spelling, " is ", quoted(flag.value),
                  ", expected a number from 1 to ", SLUICE_MAX_WORKERS));
  return number;
}

static void checkStage(const std::string &stage) {
  for (const char *known : {"", "graph", "dfg", "plan", "llvm", "asm"})
    if (stage == known)
      return;
  refuse(concat("--print knows graph, dfg, plan, llvm and asm, not ",
                quoted(stage)));
}

/// Stores the value of a flag in its member.
static void store(Options &options, const Flag &flag) {
  const OptionEntry::Target &target = flag.entry->target;
  if (auto *isSet = std::get_if<bool Options::*>(&target))
    options.*(*isSet) = true;
  else if (auto *number = std::get_if<unsigned Options::*>(&target))
    options.*(*number) = readNumber(flag);
  else if (auto *text = std::get_if<std::string Options::*>(&target))
    options.*(*text) = flag.value;
  else
    (options.*std::get<std::vector<std::string> Options::*>(target))
        .emplace_back(flag.value);
}

/// "did you mean '--workers'? " for "--wrokers"; empty if no flag is similar.
static std::string suggestion(std::string_view spelling) {
  std::string best;
  unsigned least = 3;
  for (const OptionEntry &entry : optionTable()) {
    std::string name = concat("--", entry.name);
    unsigned distance = llvm::StringRef(spelling).edit_distance(name);
    if (distance < least) {
      least = distance;
      best = concat("did you mean ", quoted(name), "? ");
    }
  }
  return best;
}

static void readOne(Options &options, OptionWords &words) {
  Flag flag = readFlag(words.take());
  if (!flag.entry)
    refuse(concat("unknown option ", quoted(flag.spelling), "; ",
                  suggestion(flag.spelling), "--help lists them"));
  bool needsValue = !flag.entry->value.empty();
  if (!needsValue && flag.hasValue)
    refuse(concat(flag.spelling, " takes no value, but ", quoted(flag.value),
                  " is given"));
  if (needsValue && !flag.hasValue) {
    if (words.atEnd())
      refuse(concat(flag.spelling, " needs a value"));
    flag.value = words.take();
  }
  if (needsValue && flag.value.empty())
    refuse(concat(flag.spelling, " needs a value"));
  store(options, flag);
}

static bool isHelp(std::string_view word) {
  return word == "-h" || word == "--help";
}

void Options::parse(int argc, char **argv) {
  OptionWords words{argc, argv};
  while (!words.atEnd()) {
    if (isHelp(argv[words.next])) {
      std::fputs(optionHelp(argv[0]).c_str(), stdout);
      std::exit(0);
    }
    readOne(*this, words);
  }
  checkStage(print);
}

void Options::parseOrExit(int argc, char **argv) {
  try {
    parse(argc, argv);
  } catch (const std::invalid_argument &problem) {
    std::fprintf(stderr, "%s: error: %s\n", argv[0], problem.what());
    std::exit(2);
  }
}
