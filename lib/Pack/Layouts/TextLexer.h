//===- TextLexer.h - Tokens of the textual form of layouts ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers, names and punctuation with their positions, so that the parser can
// report the place of an error. White space and comments are allowed only
// between tokens.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_LAYOUTS_TEXTLEXER_H
#define SLUICE_LIB_PACK_LAYOUTS_TEXTLEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace farc {

struct Token {
  enum Kind { Number, Name, Punctuation, End };
  Kind kind = End;
  std::string_view text;
  int64_t number = 0;
  int64_t line = 1;
  int64_t column = 1;

  bool is(char character) const {
    return kind == Punctuation && text.front() == character;
  }
  /// For messages: "'vec'", "the end of the text".
  std::string description() const;
};

/// Reads a text token by token. Throws ParseError for characters that cannot
/// begin a token and for numbers beyond 64 bits.
class TextLexer {
public:
  explicit TextLexer(std::string_view text) : text(text) { advance(); }

  /// The next token.
  const Token &peek() const { return next; }
  /// Takes the next token.
  Token take() {
    Token token = next;
    advance();
    return token;
  }

private:
  void advance();
  void skipBlanks();
  void readNumber();
  bool isAt(size_t place, char character) const {
    return place < text.size() && text[place] == character;
  }
  /// Ends the token at `end`.
  void finish(Token::Kind kind, size_t end);

  std::string_view text;
  size_t position = 0;
  int64_t line = 1;
  size_t lineBegin = 0;
  Token next;
};

} // namespace farc

#endif // SLUICE_LIB_PACK_LAYOUTS_TEXTLEXER_H
