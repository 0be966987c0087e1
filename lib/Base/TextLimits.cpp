//===- TextLimits.cpp - Limits on texts for parsers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans the text once and recognizes strings, comments and brackets. '<' is a
// bracket in types and an operator elsewhere: if no '>' closes it, it ends with
// the enclosing bracket.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/TextLimits.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <vector>

using namespace sluice;

namespace {
class LimitScanner {
public:
  LimitScanner(std::string_view text, std::string_view path,
               TextLanguage language)
      : text(text), path(path), language(language) {}

  Status run();

private:
  Status error(size_t place, std::string_view what) const {
    size_t line = 1 + size_t(std::count(text.begin(),
                                        text.begin() + ptrdiff_t(place), '\n'));
    size_t start = text.substr(0, place).rfind('\n') + 1; // npos + 1 is 0
    return Status::invalidArgument(
        concat(path, ":", line, ":", place - start + 1, ": error: ", what));
  }
  bool isComment() const {
    return language == TextLanguage::LLVM
               ? text[position] == ';'
               : text.substr(position).starts_with("//");
  }
  void skipString();
  Status skipWord();
  void close(char opening);

  std::string_view text, path;
  TextLanguage language;
  size_t position = 0;
  std::vector<char> open;
};
} // namespace

void LimitScanner::skipString() {
  for (++position; position < text.size() && text[position] != '"'; ++position)
    if (language == TextLanguage::MLIR && text[position] == '\\')
      ++position;
  ++position;
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static bool isHex(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool isInWord(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_' || c == '.';
}

/// Skips a word. Only the number of consecutive digits is limited, not the
/// length of the word.
Status LimitScanner::skipWord() {
  size_t start = position, digits = 0, most = 0;
  for (; position < text.size() && isInWord(text[position]); ++position) {
    digits = isHex(text[position]) ? digits + 1 : 0;
    most = std::max(most, digits);
  }
  if (most > maxDigits && isDigit(text[start]))
    return error(start, concat("a number has ", most, " digits, at most ",
                               maxDigits, " are supported"));
  return {};
}

void LimitScanner::close(char opening) {
  while (!open.empty() && open.back() != opening && open.back() == '<')
    open.pop_back();
  if (!open.empty() && open.back() == opening)
    open.pop_back();
}

Status LimitScanner::run() {
  if (size_t zero = text.find('\0'); zero != std::string_view::npos)
    return error(zero, "a zero byte; this is no text");
  while (position < text.size()) {
    char c = text[position];
    if (c == '"') {
      skipString();
      continue;
    }
    if (isComment()) {
      position = std::min(text.find('\n', position), text.size());
      continue;
    }
    if (isInWord(c)) {
      if (Status status = skipWord(); !status.ok())
        return status;
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      open.push_back(c);
      if (open.size() > maxNestedBrackets)
        return error(position, concat("brackets are nested more than ",
                                      maxNestedBrackets, " deep"));
    } else if (c == ')') {
      close('(');
    } else if (c == ']') {
      close('[');
    } else if (c == '}') {
      close('{');
    } else if (c == '>' && !(position && text[position - 1] == '-')) {
      if (!open.empty() && open.back() == '<')
        open.pop_back();
    }
    ++position;
  }
  return {};
}

Status sluice::checkTextLimits(std::string_view text, std::string_view path,
                               TextLanguage language) {
  return LimitScanner(text, path, language).run();
}
