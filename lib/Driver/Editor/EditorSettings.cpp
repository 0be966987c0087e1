//===- EditorSettings.cpp - How editor files are compiled -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EditorSettings.h"

#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice::driver;

//===----------------------------------------------------------------------===//
// What the editor says
//===----------------------------------------------------------------------===//

/// The strings of an array; none if the value is something else.
static std::optional<std::vector<std::string>>
stringsOf(const json::Value &value) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return std::nullopt;
  std::vector<std::string> strings;
  for (const json::Value &element : *array) {
    std::optional<StringRef> text = element.getAsString();
    if (!text)
      return std::nullopt;
    strings.push_back(text->str());
  }
  return strings;
}

static std::string within(const std::string &root, StringRef file) {
  SmallString<128> path(file);
  if (sys::path::is_relative(path) && !root.empty()) {
    path = root;
    sys::path::append(path, file);
  }
  return absolutePath(path);
}

std::vector<std::string> EditorSettings::read(const json::Object &options,
                                              const std::string &root) {
  std::vector<std::string> wrong;
  for (const auto &[key, value] : options) {
    StringRef name = key;
    bool isGood = true;
    if (name == "flags") {
      std::optional<std::vector<std::string>> given = stringsOf(value);
      isGood = given.has_value();
      if (given)
        flags = std::move(*given);
    } else if (name == "programs") {
      const json::Array *given = value.getAsArray();
      isGood = given != nullptr;
      for (size_t i = 0; given && i != given->size(); ++i) {
        std::optional<std::vector<std::string>> files = stringsOf((*given)[i]);
        isGood &= files.has_value();
        if (!files)
          continue;
        for (std::string &file : *files)
          file = within(root, file);
        programs.push_back(std::move(*files));
      }
    } else if (name == "clangMessages") {
      isGood = value.getAsBoolean().has_value();
      showsClang = value.getAsBoolean().value_or(false);
    } else if (name == "leafHints") {
      isGood = value.getAsBoolean().has_value();
      showsLeaves = value.getAsBoolean().value_or(false);
    } else if (name == "pause") {
      std::optional<int64_t> given = value.getAsInteger();
      isGood = given && *given >= 0 && *given <= 60000;
      if (isGood)
        pause = std::chrono::milliseconds(*given);
    } else if (name == "timeLimit") {
      std::optional<int64_t> given = value.getAsInteger();
      isGood = given && *given > 0 && *given <= 3600000;
      if (isGood)
        timeLimit = std::chrono::milliseconds(*given);
    } else if (name == "compileCommands") {
      isGood = value.getAsString().has_value();
      if (isGood)
        compileCommands = within(root, *value.getAsString());
    }
    if (!isGood)
      wrong.push_back(name.str());
  }
  return wrong;
}

//===----------------------------------------------------------------------===//
// What a build says
//===----------------------------------------------------------------------===//

static bool isSource(StringRef word) {
  return StringSwitch<bool>(sys::path::extension(word))
      .Cases({".c", ".cc", ".cpp", ".cxx", ".C", ".ll", ".bc", ".mlir"}, true)
      .Default(false);
}

/// Whether a flag affects how a source is read. Sets whether its value is the
/// next word.
static bool isKept(StringRef word, bool &hasValue) {
  hasValue = is_contained(ArrayRef<StringRef>{"-I", "-D", "-U", "-isystem",
                                              "-iquote", "-include", "-x"},
                          word);
  return hasValue ||
         any_of(ArrayRef<StringRef>{"-I", "-D", "-U", "-isystem", "-iquote",
                                    "-include", "-std=", "-f", "-m", "-W"},
                [&](StringRef prefix) { return word.starts_with(prefix); }) ||
         word == "-pthread";
}

/// Reads a command of a compiler, or of 'sluice build', for one file.
static void readCommand(const clang::tooling::CompileCommand &command,
                        InspectOptions &options) {
  ArrayRef<std::string> words = command.CommandLine;
  bool isSluice = !words.empty() && sys::path::stem(words.front()) == "sluice";
  options.folder = command.Directory;
  for (size_t i = 1; i < words.size(); ++i) {
    StringRef word = words[i];
    bool hasValue;
    if (word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ") {
      ++i;
    } else if (!word.starts_with("-")) {
      std::string file = within(command.Directory, word);
      if (isSluice && isSource(word) && file != options.file)
        options.program.push_back(file);
    } else if (isKept(word, hasValue) && word != "-fsyntax-only") {
      options.flags.push_back(word.str());
      if (hasValue && i + 1 < words.size())
        options.flags.push_back(words[++i]);
    }
  }
}

InspectOptions EditorSettings::optionsFor(const std::string &file) const {
  InspectOptions options;
  options.file = file;
  options.program = {file};
  options.showsClang = showsClang;
  options.showsLeaves = showsLeaves;
  // Graphs in MLIR name their own code.
  if (!StringRef(file).ends_with(".ddt") &&
      !StringRef(file).ends_with(".mlir")) {
    std::string problem;
    std::unique_ptr<clang::tooling::CompilationDatabase> database =
        compileCommands.empty()
            ? clang::tooling::CompilationDatabase::autoDetectFromSource(file,
                                                                        problem)
            : clang::tooling::CompilationDatabase::autoDetectFromDirectory(
                  compileCommands, problem);
    if (database)
      // Ignores commands that are inferred from other files.
      if (auto commands = database->getCompileCommands(file);
          !commands.empty() && commands.front().Heuristic.empty())
        readCommand(commands.front(), options);
  }
  for (const std::vector<std::string> &program : programs)
    if (is_contained(program, file))
      options.program = program;
  options.flags.insert(options.flags.end(), flags.begin(), flags.end());
  return options;
}
