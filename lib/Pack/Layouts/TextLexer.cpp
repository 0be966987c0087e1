//===- TextLexer.cpp - Tokens of the textual form of layouts --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Character classes are defined here, because those of the C library depend on
// the locale and are undefined for negative characters.
//
//===----------------------------------------------------------------------===//

#include "TextLexer.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/Datatype.h"

#include <charconv>

using namespace farc;
using sluice::concat;
using sluice::quoted;

static bool isDigit(char character) {
  return character >= '0' && character <= '9';
}

static bool isNamePart(char character) {
  return isDigit(character) || character == '_' ||
         (character >= 'a' && character <= 'z') ||
         (character >= 'A' && character <= 'Z');
}

static bool isBlank(char character) {
  return character == ' ' || (character >= '\t' && character <= '\r');
}

std::string Token::description() const {
  return kind == End ? "the end of the text" : quoted(text);
}

void TextLexer::skipBlanks() {
  while (position != text.size()) {
    if (isAt(position, '\n')) {
      ++line;
      lineBegin = position + 1;
    }
    if (isAt(position, '/') && isAt(position + 1, '/'))
      position = std::min(text.find('\n', position), text.size());
    else if (isBlank(text[position]))
      ++position;
    else
      return;
  }
}

void TextLexer::finish(Token::Kind kind, size_t end) {
  next.kind = kind;
  next.text = text.substr(position, end - position);
  position = end;
}

void TextLexer::readNumber() {
  size_t end = position + 1;
  while (end != text.size() && isDigit(text[end]))
    ++end;
  finish(Token::Number, end);
  const char *last = next.text.data() + next.text.size();
  auto [stop, error] = std::from_chars(next.text.data(), last, next.number);
  if (error != std::errc() || stop != last)
    throw ParseError(next.line, next.column,
                     concat("the number ", next.text.substr(0, 40),
                            " does not fit into 64 bits"));
}

/// The character for a message; bytes outside ASCII as their number.
static std::string shown(char character) {
  if (character > ' ' && character < 127)
    return quoted(std::string_view(&character, 1));
  return concat("byte ", int(static_cast<unsigned char>(character)));
}

void TextLexer::advance() {
  skipBlanks();
  next = Token();
  next.line = line;
  next.column = int64_t(position - lineBegin) + 1;
  if (position == text.size())
    return;
  char first = text[position];
  if (isDigit(first) || (first == '-' && position + 1 < text.size() &&
                         isDigit(text[position + 1])))
    return readNumber();
  if (isNamePart(first)) {
    size_t end = position;
    while (end != text.size() && isNamePart(text[end]))
      ++end;
    return finish(Token::Name, end);
  }
  if (std::string_view("()[]:,;").find(first) == std::string_view::npos)
    throw ParseError(next.line, next.column,
                     concat(shown(first), " is no part of a type"));
  finish(Token::Punctuation, position + 1);
}
