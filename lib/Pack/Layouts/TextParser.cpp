//===- TextParser.cpp - Parsing the textual form of layouts ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar is in docs/pack.md. Ranges are expanded in the order of
// ddtplayer: component types vary slowest, then the arguments from left to
// right.
//
//===----------------------------------------------------------------------===//

#include "TextParser.h"
#include "sluice/Base/Text.h"

#include <algorithm>

using namespace farc;
using sluice::concat;
using sluice::quoted;

TypeList farc::parseDatatypes(const std::string &text) {
  return TextParser(text).parseAll();
}

void TextParser::fail(const Token &place, const std::string &reason) {
  throw ParseError(place.line, place.column, reason);
}

void TextParser::checkProduct(const Token &place, int64_t left, int64_t right) {
  int64_t product;
  if (__builtin_mul_overflow(left, right, &product) || product > MaximumTypes)
    fail(place, concat("the ranges stand for more than ", MaximumTypes,
                       " types; use fewer or shorter ranges"));
}

void TextParser::checkEntries(const Token &place, size_t types,
                              size_t entries) {
  if (types > 1 && entries > size_t(MaximumEntries) / types)
    fail(place, concat("the ranges stand for ", types, " types with ", entries,
                       " entries each, which is more than ", MaximumEntries,
                       " in all; use fewer or shorter ranges"));
}

TypeList TextParser::parseAll() {
  TypeList all;
  do {
    Token begin = lexer.peek();
    TypeList types = parseType();
    if (int64_t(all.size() + types.size()) > MaximumTypes)
      fail(begin,
           concat("the text has more than ", MaximumTypes, " types; split it"));
    std::move(types.begin(), types.end(), std::back_inserter(all));
  } while (lexer.peek().kind != Token::End);
  return all;
}

TypeList TextParser::parseType() {
  Token name = lexer.peek();
  if (name.kind != Token::Name)
    fail(name, concat("expected a type, but found ", name.description()));
  if (++depth > MaximumDepth)
    fail(name, concat("types are nested more than ", MaximumDepth, " deep"));
  lexer.take();
  TypeList types = parseConstructor(name);
  --depth;
  return types;
}

TypeList TextParser::parseConstructor(const Token &name) {
  using Rule = TypeList (TextParser::*)(const Token &);
  static constexpr std::pair<std::string_view, Rule> rules[] = {
      {"ctg", &TextParser::parseContiguous},
      {"vec", &TextParser::parseVector},
      {"hvec", &TextParser::parseVector},
      {"idx", &TextParser::parseIndexed},
      {"hidx", &TextParser::parseIndexed},
      {"idxb", &TextParser::parseIndexedBlock},
      {"hidxb", &TextParser::parseIndexedBlock},
      {"struct", &TextParser::parseStruct},
      {"resized", &TextParser::parseResized},
      {"dup", &TextParser::parseDup},
      {"subarray", &TextParser::parseSubarray},
      {"darray", &TextParser::parseDarray},
  };
  for (auto [keyword, rule] : rules)
    if (name.text == keyword)
      return (this->*rule)(name);
  auto type = PrimitiveDatatype::getType(name.text);
  if (!type)
    fail(name, concat("there is no type ", quoted(name.text.substr(0, 40))));
  TypeList list;
  list.push_back(std::make_unique<PrimitiveDatatype>(*type));
  return list;
}

int64_t TextParser::parseNumber(const char *what) {
  if (lexer.peek().kind != Token::Number)
    fail(lexer.peek(),
         concat("expected ", what, ", but found ", lexer.peek().description()));
  return lexer.take().number;
}

void TextParser::expect(char character, const char *after) {
  if (!takeIf(character))
    fail(lexer.peek(), concat("expected '", character, "' after ", after,
                              ", but found ", lexer.peek().description()));
}

bool TextParser::takeIf(char character) {
  if (!lexer.peek().is(character))
    return false;
  lexer.take();
  return true;
}

/// The entries of a list may be separated by a comma or a semicolon, which
/// another entry must follow.
void TextParser::skipSeparator() {
  if (!takeIf(',') && !takeIf(';'))
    return;
  if (lexer.peek().is(')'))
    fail(lexer.peek(), "expected another entry, but found ')'");
}

int64_t TextParser::Range::length() const {
  // In 128 bits, because the ends may be as far apart as 64 bits allow.
  __int128 distance = (__int128(stop) - start) / step;
  return int64_t(std::min<__int128>(distance, MaximumTypes) + 1);
}

TextParser::Range TextParser::parseRange() {
  Token begin = lexer.peek();
  Range range;
  range.start = range.stop = parseNumber("a number");
  if (!takeIf(':'))
    return range;
  range.step = parseNumber("the step of a range");
  expect(':', "the step of a range");
  range.stop = parseNumber("the end of a range");
  if (range.step == 0)
    fail(begin, "the step of a range must not be 0");
  if (range.step > 0 ? range.stop < range.start : range.stop > range.start)
    fail(begin, concat("the range ", range.start, ':', range.step, ':',
                       range.stop, " is empty"));
  return range;
}

TypeList TextParser::parseBase() {
  expect('[', "the arguments of a type");
  TypeList types = parseType();
  expect(']', "the type inside brackets");
  return types;
}

TypeList TextParser::parseContiguous(const Token &name) {
  expect('(', "'ctg'");
  Range counts = parseRange();
  expect(')', "the count");
  TypeList result;
  TypeList bases = parseBase();
  checkProduct(name, int64_t(bases.size()), counts.length());
  for (const std::unique_ptr<Datatype> &base : bases)
    for (int64_t i = 0; i != counts.length(); ++i)
      build(result, name,
            [&] { return new ContiguousDatatype(counts.at(i), base.get()); });
  return result;
}

TypeList TextParser::parseVector(const Token &name) {
  bool isBytes = name.text == "hvec";
  expect('(', isBytes ? "'hvec'" : "'vec'");
  Range counts = parseRange();
  takeIf(',');
  Range lengths = parseRange();
  takeIf(',');
  Range strides = parseRange();
  expect(')', "the stride");
  checkProduct(name, counts.length(), lengths.length());
  int64_t variants = counts.length() * lengths.length();
  checkProduct(name, variants, strides.length());
  variants *= strides.length();
  TypeList bases = parseBase();
  checkProduct(name, variants, int64_t(bases.size()));
  TypeList result;
  auto make = [&](int64_t i, const Datatype *base) -> Datatype * {
    int64_t stride = strides.at(i % strides.length());
    i /= strides.length();
    int64_t length = lengths.at(i % lengths.length());
    int64_t count = counts.at(i / lengths.length());
    if (isBytes)
      return new HVectorDatatype(count, length, stride, base);
    return new VectorDatatype(count, length, stride, base);
  };
  for (const std::unique_ptr<Datatype> &base : bases)
    for (int64_t i = 0; i != variants; ++i)
      build(result, name, [&] { return make(i, base.get()); });
  return result;
}

TypeList TextParser::parseIndexed(const Token &name) {
  std::vector<int64_t> displacements;
  std::vector<int64_t> lengths;
  expect('(', "the name of a type");
  while (!takeIf(')')) {
    displacements.push_back(parseNumber("a displacement or ')'"));
    expect(',', "a displacement");
    lengths.push_back(parseNumber("a block length"));
    skipSeparator();
  }
  int64_t count = int64_t(lengths.size());
  bool isBytes = name.text == "hidx";
  return forEachBase(name, size_t(count),
                     [&](const Datatype *base) -> Datatype * {
                       if (isBytes)
                         return new HIndexedDatatype(
                             count, lengths.data(), displacements.data(), base);
                       return new IndexedDatatype(count, lengths.data(),
                                                  displacements.data(), base);
                     });
}

TypeList TextParser::parseIndexedBlock(const Token &name) {
  std::vector<int64_t> displacements;
  expect('(', "the name of a type");
  int64_t length = parseNumber("the block length");
  expect(':', "the block length");
  while (!takeIf(')')) {
    displacements.push_back(parseNumber("a displacement or ')'"));
    skipSeparator();
  }
  int64_t count = int64_t(displacements.size());
  bool isBytes = name.text == "hidxb";
  return forEachBase(
      name, size_t(count), [&](const Datatype *base) -> Datatype * {
        if (isBytes)
          return new HIndexedBlockDatatype(count, length, displacements.data(),
                                           base);
        return new IndexedBlockDatatype(count, length, displacements.data(),
                                        base);
      });
}

TypeList TextParser::parseResized(const Token &name) {
  expect('(', "'resized'");
  int64_t lower = parseNumber("the lower bound");
  takeIf(',');
  int64_t extent = parseNumber("the extent");
  expect(')', "the extent");
  return forEachBase(name, 1, [&](const Datatype *base) {
    return new ResizedDatatype(base, lower, extent);
  });
}

TypeList TextParser::parseDup(const Token &name) {
  return forEachBase(
      name, 1, [](const Datatype *base) { return new DupDatatype(base); });
}

TextParser::Member TextParser::parseMember() {
  Member member;
  member.displacement = parseNumber("a displacement or ')'");
  expect(',', "a displacement");
  member.blocklen = parseNumber("a block length");
  member.types = parseBase();
  return member;
}

TypeList TextParser::parseStruct(const Token &name) {
  std::vector<Member> members;
  int64_t variants = 1;
  expect('(', "'struct'");
  while (!takeIf(')')) {
    members.push_back(parseMember());
    int64_t types = int64_t(members.back().types.size());
    checkProduct(name, variants, types);
    variants *= types;
    skipSeparator();
  }
  checkEntries(name, size_t(variants), members.size());
  TypeList result;
  combineMembers(name, members, result);
  return result;
}

/// Makes one struct for each combination of member types; the last member's
/// type varies fastest.
void TextParser::combineMembers(const Token &name,
                                const std::vector<Member> &members,
                                TypeList &result) {
  size_t count = members.size();
  std::vector<int64_t> displacements;
  std::vector<int64_t> lengths;
  for (const Member &member : members) {
    displacements.push_back(member.displacement);
    lengths.push_back(member.blocklen);
  }
  std::vector<size_t> choice(count, 0);
  for (;;) {
    std::vector<const Datatype *> types;
    for (size_t i = 0; i != count; ++i)
      types.push_back(members[i].types[choice[i]].get());
    build(result, name, [&] {
      return new StructDatatype(int64_t(count), lengths.data(),
                                displacements.data(), types.data());
    });
    size_t place = count;
    while (place != 0 && ++choice[place - 1] == members[place - 1].types.size())
      choice[--place] = 0;
    if (place == 0)
      return;
  }
}
