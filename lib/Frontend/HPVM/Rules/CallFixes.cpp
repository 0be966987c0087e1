//===- CallFixes.cpp - Fixes of calls in sources --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallFixes.h"

#include "sluice/Diagnostics/SourceTexts.h"
#include "llvm/ADT/StringExtras.h"

#include <vector>

using namespace sluice;
using namespace sluice::hpvm;
using llvm::StringRef;

namespace {
/// An HPVM-C call in the source text.
struct WrittenCall {
  SourceTexts texts;
  std::string file;
  StringRef text;
  /// Offsets of the name, of the opening parenthesis, and after the closing
  /// one.
  size_t begin = 0, open = 0, end = 0;

  static std::optional<WrittenCall> find(const SourcePlace &place);

  Edit edit(size_t from, size_t to, std::string replacement) {
    return {texts.placeAt(file, from), texts.placeAt(file, to),
            std::move(replacement)};
  }
  /// The offset after the semicolon that follows the call; none if something
  /// else follows.
  std::optional<size_t> endOfStatement() const;
  /// The begin and end of each argument, without blanks.
  std::vector<std::pair<size_t, size_t>> arguments() const;
};
} // namespace

std::optional<WrittenCall> WrittenCall::find(const SourcePlace &place) {
  WrittenCall call;
  call.file = place.file;
  std::optional<StringRef> text = call.texts.find(place.file);
  std::optional<size_t> offset = call.texts.offsetOf(place);
  if (!text || !offset)
    return std::nullopt;
  call.text = *text;
  call.begin = *offset;
  StringRef rest = text->drop_front(call.begin);
  StringRef name =
      rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!name.starts_with("__hpvm__") ||
      !rest.substr(name.size()).starts_with("("))
    return std::nullopt;
  call.open = call.begin + name.size();
  std::optional<size_t> end = endOfParentheses(*text, call.open);
  if (!end)
    return std::nullopt;
  call.end = *end;
  return call;
}

std::optional<size_t> WrittenCall::endOfStatement() const {
  size_t next = text.find_first_not_of(" \t\r\n", end);
  if (next == StringRef::npos || text[next] != ';')
    return std::nullopt;
  return next + 1;
}

std::vector<std::pair<size_t, size_t>> WrittenCall::arguments() const {
  std::vector<std::pair<size_t, size_t>> found;
  size_t start = open + 1;
  auto add = [&](size_t stop) {
    StringRef argument = text.slice(start, stop);
    size_t blanks = argument.size() - argument.ltrim().size();
    found.push_back({start + blanks, start + argument.rtrim().size()});
    start = stop + 1;
  };
  for (size_t i = open + 1; i + 1 < end;) {
    if (text[i] == '(') {
      i = endOfParentheses(text, i).value_or(end);
      continue;
    }
    if (text[i] == ',')
      add(i);
    ++i;
  }
  add(end - 1);
  return found;
}

std::optional<Fix> hpvm::removeCall(const SourcePlace &place,
                                    std::string title) {
  std::optional<WrittenCall> call = WrittenCall::find(place);
  if (!call)
    return std::nullopt;
  std::optional<size_t> end = call->endOfStatement();
  // A call whose value is used cannot be removed.
  StringRef before = call->text.take_front(call->begin).rtrim();
  if (!end || before.empty() || !StringRef(";{}").contains(before.back()))
    return std::nullopt;
  // Removes the whole line if it contains nothing else.
  size_t begin = call->begin;
  StringRef left = call->text.take_front(begin).rtrim(" \t");
  size_t lineEnd = call->text.find_first_not_of(" \t\r", *end);
  if (left.ends_with("\n") && lineEnd != StringRef::npos &&
      call->text[lineEnd] == '\n') {
    begin = left.size();
    end = lineEnd + 1;
  }
  return Fix{std::move(title), {call->edit(begin, *end, "")}};
}

std::optional<Fix> hpvm::replaceArgument(const SourcePlace &place,
                                         unsigned index, std::string argument,
                                         std::string title) {
  std::optional<WrittenCall> call = WrittenCall::find(place);
  if (!call)
    return std::nullopt;
  std::vector<std::pair<size_t, size_t>> arguments = call->arguments();
  if (index >= arguments.size())
    return std::nullopt;
  auto [begin, end] = arguments[index];
  return Fix{std::move(title), {call->edit(begin, end, std::move(argument))}};
}

std::optional<Fix> hpvm::addBehind(const SourcePlace &place,
                                   std::string statement, std::string title) {
  std::optional<WrittenCall> call = WrittenCall::find(place);
  if (!call)
    return std::nullopt;
  std::optional<size_t> end = call->endOfStatement();
  if (!end)
    return std::nullopt;
  StringRef line = call->text.take_front(call->begin);
  line = line.substr(line.rfind('\n') + 1);
  StringRef indent =
      line.take_while([](char c) { return c == ' ' || c == '\t'; });
  return Fix{std::move(title),
             {call->edit(*end, *end, ("\n" + indent + statement).str())}};
}

std::string hpvm::assignedVariable(const SourcePlace &place) {
  std::optional<WrittenCall> call = WrittenCall::find(place);
  if (!call)
    return "";
  StringRef before = call->text.take_front(call->begin).rtrim();
  if (!before.consume_back("="))
    return "";
  before = before.rtrim();
  size_t begin = before.size();
  while (begin > 0 &&
         (llvm::isAlnum(before[begin - 1]) || before[begin - 1] == '_'))
    --begin;
  StringRef name = before.drop_front(begin);
  StringRef object = before.take_front(begin).rtrim();
  if (name.empty() || llvm::isDigit(name.front()) || object.ends_with(".") ||
      object.ends_with("->") || object.ends_with("::"))
    return "";
  return name.str();
}
