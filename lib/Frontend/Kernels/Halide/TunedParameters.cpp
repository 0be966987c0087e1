//===- TunedParameters.cpp - Files of generators' parameters --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice tune` writes the fastest parameters to a text file. Users may edit
// it, so the parser reports errors with their line.
//
//===----------------------------------------------------------------------===//

#include "TunedParameters.h"
#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

std::string driver::didYouMean(StringRef name, ArrayRef<std::string> names) {
  unsigned best = std::max<unsigned>(2, name.size() / 3) + 1;
  std::string result;
  for (const std::string &candidate : names) {
    unsigned distance = name.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      result = ", did you mean '" + candidate + "'?";
    }
  }
  return result;
}

namespace {
class Parser {
public:
  Parser(ArrayRef<std::string> names, std::vector<TunedProblem> &problems)
      : names(names), problems(problems) {}

  void parseLine(StringRef text);
  std::vector<TunedSection> sections;

private:
  void parseHeader(StringRef text);
  void parseEntry(StringRef text);
  void report(const Twine &text) { problems.push_back({line, text.str()}); }
  bool isKnown(StringRef name) { return is_contained(names, name); }

  ArrayRef<std::string> names;
  std::vector<TunedProblem> &problems;
  unsigned line = 0;
  /// Lines belong to no section, since the last header was invalid.
  bool isLost = false;
};
} // namespace

/// Comments begin a line or follow a blank: names may contain both characters.
static StringRef withoutComment(StringRef text) {
  for (size_t i = 0; i != text.size(); ++i)
    if ((text[i] == '#' || text[i] == ';') &&
        (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t'))
      return text.take_front(i);
  return text;
}

void Parser::parseLine(StringRef text) {
  ++line;
  text = withoutComment(text).trim();
  if (text.empty())
    return;
  if (text.front() == '[')
    return parseHeader(text);
  parseEntry(text);
}

void Parser::parseHeader(StringRef text) {
  isLost = true;
  if (!text.consume_front("[") || !text.consume_back("]"))
    return report("expected '[NAME]' or '[NAME NUMBER]'");
  text = text.trim();
  TunedSection section{text.str(), std::nullopt, line, {}};
  size_t blank = text.find_last_of(" \t");
  if (!isKnown(text) && blank != StringRef::npos) {
    unsigned number;
    if (text.substr(blank + 1).getAsInteger(10, number))
      return report("'" + text.substr(blank + 1) +
                    "' is no number of a variant");
    section.name = text.take_front(blank).trim().str();
    section.number = number;
  }
  if (section.name.empty())
    return report("the section has no name");
  if (!isKnown(section.name))
    return report("the graph has no task and no generator '" + section.name +
                  "'" + didYouMean(section.name, names));
  for (const TunedSection &other : sections)
    if (other.name == section.name && other.number == section.number)
      return report("the section '" + text + "' stands in line " +
                    Twine(other.line) + " already");
  sections.push_back(std::move(section));
  isLost = false;
}

void Parser::parseEntry(StringRef text) {
  if (isLost)
    return;
  if (sections.empty())
    return report("a parameter before the first section");
  auto [name, value] = text.split('=');
  name = name.trim();
  value = value.trim();
  if (!text.contains('=') || name.empty())
    return report("expected 'name = value'");
  if (value.empty())
    return report("the parameter '" + name + "' has no value");
  if (!sections.back().parameters.try_emplace(name.str(), value.str()).second)
    report("the parameter '" + name + "' stands in this section twice");
}

std::vector<TunedSection>
driver::parseTunedParameters(StringRef text, ArrayRef<std::string> names,
                             std::vector<TunedProblem> &problems) {
  Parser parser(names, problems);
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    parser.parseLine(line);
    text = rest;
  }
  llvm::sort(parser.sections, [](const TunedSection &a, const TunedSection &b) {
    return std::tie(a.number, a.line) < std::tie(b.number, b.line);
  });
  return std::move(parser.sections);
}
