//===- TextParser.h - Parsing the textual form of layouts -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive-descent parser with one token of look-ahead. A text with ranges
// represents many types, so every rule returns a list.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_LAYOUTS_TEXTPARSER_H
#define SLUICE_LIB_PACK_LAYOUTS_TEXTPARSER_H

#include "TextLexer.h"
#include "sluice/Pack/Datatype.h"

namespace farc {

/// The maximum number of types in one text.
inline constexpr int64_t MaximumTypes = 100000;
/// The maximum total number of their offsets, lengths and members.
inline constexpr int64_t MaximumEntries = 16 << 20;

using TypeList = std::vector<std::unique_ptr<Datatype>>;

class TextParser {
public:
  explicit TextParser(std::string_view text) : lexer(text) {}

  /// datatype+ up to the end of the text.
  TypeList parseAll();

private:
  /// start, start + step, ..., up to stop.
  struct Range {
    int64_t start = 0;
    int64_t step = 1;
    int64_t stop = 0;
    int64_t length() const;
    int64_t at(int64_t i) const { return start + i * step; }
  };
  struct Member {
    int64_t displacement;
    int64_t blocklen;
    TypeList types;
  };
  struct Dimension {
    int64_t size;
    Distribution distribution;
    int64_t argument;
    int64_t processes;
  };

  TypeList parseType();
  TypeList parseConstructor(const Token &name);
  TypeList parseContiguous(const Token &name);
  TypeList parseVector(const Token &name);
  TypeList parseIndexed(const Token &name);
  TypeList parseIndexedBlock(const Token &name);
  TypeList parseResized(const Token &name);
  TypeList parseDup(const Token &name);
  TypeList parseSubarray(const Token &name);
  TypeList parseDarray(const Token &name);
  TypeList parseStruct(const Token &name);

  /// "[" type "]"
  TypeList parseBase();
  Range parseRange();
  Member parseMember();
  Dimension parseDimension();
  Order parseOrder();
  int64_t parseNumber(const char *what);
  void expect(char character, const char *after);
  bool takeIf(char character);
  void skipSeparator();

  [[noreturn]] static void fail(const Token &place, const std::string &reason);
  /// Fails if `left` times `right` types are too many.
  static void checkProduct(const Token &place, int64_t left, int64_t right);
  /// Fails if this many types, each with this many entries, are too many.
  static void checkEntries(const Token &place, size_t types, size_t entries);
  /// Calls a constructor; errors of the constructor get the place of its name.
  template <typename Make>
  static void build(TypeList &list, const Token &place, Make make);
  /// One type per base type, each with `entries` numbers.
  template <typename Make>
  TypeList forEachBase(const Token &name, size_t entries, Make make);
  static void combineMembers(const Token &name, const std::vector<Member> &,
                             TypeList &result);

  TextLexer lexer;
  int64_t depth = 0;
};

template <typename Make>
void TextParser::build(TypeList &list, const Token &place, Make make) {
  try {
    list.emplace_back(make());
  } catch (const Error &error) {
    fail(place, error.what());
  }
}

template <typename Make>
TypeList TextParser::forEachBase(const Token &name, size_t entries, Make make) {
  TypeList bases = parseBase();
  checkEntries(name, bases.size(), entries);
  TypeList result;
  for (const std::unique_ptr<Datatype> &base : bases)
    build(result, name, [&] { return make(base.get()); });
  return result;
}

} // namespace farc

#endif // SLUICE_LIB_PACK_LAYOUTS_TEXTPARSER_H
