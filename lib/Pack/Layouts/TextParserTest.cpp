//===- TextParserTest.cpp - Tests of the textual form ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests every form of the grammar: its meaning, its printed form, and the
// messages for invalid texts.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Text.h"
#include "sluice/Pack/Datatype.h"

#include <gtest/gtest.h>

using namespace farc;
using sluice::concat;

namespace {

std::unique_ptr<Datatype> parseOne(const std::string &text) {
  auto types = parseDatatypes(text);
  EXPECT_EQ(types.size(), 1u) << text;
  return std::move(types.front());
}

std::string parseErrorOf(const std::string &text) {
  try {
    parseDatatypes(text);
  } catch (const ParseError &error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::string> textsOf(const std::string &text) {
  std::vector<std::string> texts;
  for (const auto &type : parseDatatypes(text))
    texts.push_back(type->toString());
  return texts;
}

using Texts = std::vector<std::string>;

TEST(TextParserTest, EveryFormPrintsAsItIsRead) {
  const char *const forms[] = {
      "ctg(5)[int]",
      "vec(2 3 5)[int]",
      "vec(2 3 -5)[double]",
      "hvec(2 3 -100)[float]",
      "idx(0,1 5,0 -7,3)[short]",
      "hidx(0,1 17952,1)[double]",
      "idxb(3: 0 10 -20)[int]",
      "idxb(3:)[int]",
      "hidxb(2: 0 100)[byte]",
      "struct(0,1[int] 8,3[double])",
      "struct()",
      "struct(0,2[struct(0,1[char])] 16,1[vec(2 1 2)[float]])",
      "resized(-4,16)[int]",
      "dup[ctg(3)[char]]",
      "subarray(c: 10,5,2 20,5,3)[double]",
      "subarray(fortran: 10,10,0)[double]",
      "darray(c 4 1: 100,block,2 50,cyclic(3),2)[int]",
      "darray(fortran 2 0: 9,none,1 9,block(5),2)[int]",
      "idx()[int]",
      "ctg(9223372036854775807)[byte]",
  };
  for (const char *form : forms)
    EXPECT_EQ(parseOne(form)->toString(), form);
}

TEST(TextParserTest, EveryBasicTypeHasAName) {
  for (int i = 0; i != PrimitiveDatatype::PrimitiveTypeCount; ++i) {
    PrimitiveDatatype type{PrimitiveDatatype::PrimitiveType(i)};
    auto read = parseOne(type.toString());
    ASSERT_EQ(read->getDatatypeName(), PRIMITIVE);
    EXPECT_EQ(static_cast<PrimitiveDatatype &>(*read).getType(), i);
  }
}

TEST(TextParserTest, SeparatorsBlanksAndCommentsAreFree) {
  EXPECT_EQ(textsOf("vec(2,3,5)[int]"), Texts{"vec(2 3 5)[int]"});
  EXPECT_EQ(textsOf(" vec ( 2 3\n, 5 )\t[ int ] // a comment\n"),
            Texts{"vec(2 3 5)[int]"});
  EXPECT_EQ(textsOf("hidx(0,1;8,2)[int]"), Texts{"hidx(0,1 8,2)[int]"});
  EXPECT_EQ(textsOf("hidx(0,1,8,2)[int]"), Texts{"hidx(0,1 8,2)[int]"});
  EXPECT_EQ(textsOf("idxb(1:0,5,9)[int]"), Texts{"idxb(1: 0 5 9)[int]"});
  EXPECT_EQ(textsOf("struct(0,1[int];8,1[int])"),
            Texts{"struct(0,1[int] 8,1[int])"});
  EXPECT_EQ(textsOf("int//one\nbyte char"), (Texts{"int", "byte", "char"}));
}

TEST(TextParserTest, TheOriginalsExampleStandsForFourTypes) {
  EXPECT_EQ(textsOf("hidx(0,1 17952,1)[vec(34:10:64 1 34)[double]]"),
            (Texts{"hidx(0,1 17952,1)[vec(34 1 34)[double]]",
                   "hidx(0,1 17952,1)[vec(44 1 34)[double]]",
                   "hidx(0,1 17952,1)[vec(54 1 34)[double]]",
                   "hidx(0,1 17952,1)[vec(64 1 34)[double]]"}));
}

TEST(TextParserTest, RangesMultiplyOutFromTheInside) {
  EXPECT_EQ(textsOf("ctg(1:1:2)[vec(3 1:1:2 5:5:10)[int]]"),
            (Texts{"ctg(1)[vec(3 1 5)[int]]", "ctg(2)[vec(3 1 5)[int]]",
                   "ctg(1)[vec(3 1 10)[int]]", "ctg(2)[vec(3 1 10)[int]]",
                   "ctg(1)[vec(3 2 5)[int]]", "ctg(2)[vec(3 2 5)[int]]",
                   "ctg(1)[vec(3 2 10)[int]]", "ctg(2)[vec(3 2 10)[int]]"}));
  EXPECT_EQ(
      textsOf("hvec(1 1 8:-8:-8)[int]"),
      (Texts{"hvec(1 1 8)[int]", "hvec(1 1 0)[int]", "hvec(1 1 -8)[int]"}));
  EXPECT_EQ(textsOf("ctg(1:5:10)[int]"), (Texts{"ctg(1)[int]", "ctg(6)[int]"}));
  EXPECT_EQ(textsOf("struct(0,1[ctg(1:1:2)[int]] 8,1[ctg(3:1:4)[int]])"),
            (Texts{"struct(0,1[ctg(1)[int]] 8,1[ctg(3)[int]])",
                   "struct(0,1[ctg(1)[int]] 8,1[ctg(4)[int]])",
                   "struct(0,1[ctg(2)[int]] 8,1[ctg(3)[int]])",
                   "struct(0,1[ctg(2)[int]] 8,1[ctg(4)[int]])"}));
}

TEST(TextParserTest, TooManyTypesAreRefusedBeforeTheyAreMade) {
  const char *const limit = "the ranges stand for more than 100000 types; use "
                            "fewer or shorter ranges";
  EXPECT_EQ(parseErrorOf("ctg(1:1:100001)[int]"), concat("1:1: ", limit));
  EXPECT_EQ(parseDatatypes("ctg(1:1:1000)[int]").size(), 1000u);
  EXPECT_EQ(parseErrorOf("ctg(1:1:1000)[ctg(1:1:1000)[int]]"),
            concat("1:1: ", limit));
  EXPECT_EQ(parseErrorOf("\n vec(1:1:1000 1:1:1000 1)[int]"),
            concat("2:2: ", limit));
  EXPECT_EQ(parseErrorOf("vec(1:1:100 1:1:100 1:1:100)[int]"),
            concat("1:1: ", limit));
  EXPECT_EQ(
      parseErrorOf("ctg(-9223372036854775808:1:9223372036854775807)[int]"),
      concat("1:1: ", limit));
  EXPECT_EQ(
      parseErrorOf("struct(0,1[ctg(1:1:1000)[int]] 0,1[ctg(1:1:1000)[int]])"),
      concat("1:1: ", limit));
  EXPECT_EQ(parseErrorOf("ctg(1:1:60000)[int] ctg(1:1:60000)[int]"),
            "1:21: the text has more than 100000 types; split it");
  std::string list = "idxb(1:";
  for (int i = 0; i != 1000; ++i)
    list += " 1";
  EXPECT_EQ(parseErrorOf(list + ")[ctg(1:1:50000)[int]]"),
            "1:1: the ranges stand for 50000 types with 1000 entries each, "
            "which is more than 16777216 in all; use fewer or shorter ranges");
}

TEST(TextParserTest, MistakesAreSaidWithTheirPlace) {
  const std::pair<const char *, const char *> mistakes[] = {
      {"", "1:1: expected a type, but found the end of the text"},
      {"  // nothing\n ",
       "2:2: expected a type, but found the end of the text"},
      {"vec(2 3 5)[)", "1:12: expected a type, but found ')'"},
      {"foo", "1:1: there is no type 'foo'"},
      {"INT", "1:1: there is no type 'INT'"},
      {"int int4", "1:5: there is no type 'int4'"},
      {"ctg 5", "1:5: expected '(' after 'ctg', but found '5'"},
      {"ctg(x)[int]", "1:5: expected a number, but found 'x'"},
      {"ctg(5", "1:6: expected ')' after the count, but found the end of the "
                "text"},
      {"ctg(5)int",
       "1:7: expected '[' after the arguments of a type, but found "
       "'int'"},
      {"ctg(5)[int", "1:11: expected ']' after the type inside brackets, but "
                     "found the end of the text"},
      {"ctg(5)[int byte]", "1:12: expected ']' after the type inside brackets, "
                           "but found 'byte'"},
      {"vec(2 3)[int]", "1:8: expected a number, but found ')'"},
      {"vec(2 3 4 5)[int]", "1:11: expected ')' after the stride, but found "
                            "'5'"},
      {"vec(1:1 2 3)[int]", "1:9: expected ':' after the step of a range, but "
                            "found '2'"},
      {"ctg(1:0:3)[int]", "1:5: the step of a range must not be 0"},
      {"ctg(3:1:1)[int]", "1:5: the range 3:1:1 is empty"},
      {"ctg(1:-1:3)[int]", "1:5: the range 1:-1:3 is empty"},
      {"hidx(0)[int]", "1:7: expected ',' after a displacement, but found ')'"},
      {"hidx(0,1;)[int]", "1:10: expected another entry, but found ')'"},
      {"idx(a)[int]", "1:5: expected a displacement or ')', but found 'a'"},
      {"idxb(0 1)[int]", "1:8: expected ':' after the block length, but found "
                         "'1'"},
      {"idxb(:1)[int]", "1:6: expected the block length, but found ':'"},
      {"resized(1)[int]", "1:10: expected the extent, but found ')'"},
      {"dup(int)", "1:4: expected '[' after the arguments of a type, but found "
                   "'('"},
      {"struct(0,1 int)", "1:12: expected '[' after the arguments of a type, "
                          "but found 'int'"},
      {"subarray(x: 1,1,0)[int]", "1:10: expected the order 'c' or 'fortran', "
                                  "but found 'x'"},
      {"subarray(c 1,1,0)[int]",
       "1:12: expected ':' after the order, but found "
       "'1'"},
      {"subarray(c: 1,1)[int]", "1:16: expected ',' after the subsize of a "
                                "dimension, but found ')'"},
      {"darray(c 1: 2,none,1)[int]", "1:11: expected the rank, but found ':'"},
      {"darray(c 1 0: 2,some,1)[int]", "1:17: expected 'none', 'block' or "
                                       "'cyclic', but found 'some'"},
      {"ctg(5)[int]]", "1:12: expected a type, but found ']'"},
      {"ctg(99999999999999999999)[int]",
       "1:5: the number 99999999999999999999 does not fit into 64 bits"},
      {"in\xfft", "1:3: byte 255 is no part of a type"},
      {"int /* no */", "1:5: '/' is no part of a type"},
      {"ctg(- 5)[int]", "1:5: '-' is no part of a type"},
  };
  for (auto [text, message] : mistakes)
    EXPECT_EQ(parseErrorOf(text), message) << text;
}

TEST(TextParserTest, WhatConstructorsRefuseIsSaidWithThePlaceOfTheirName) {
  EXPECT_EQ(parseErrorOf("int\n ctg(-5)[int]"),
            "2:2: ctg: the count must not be negative, but is -5");
  EXPECT_EQ(parseErrorOf("hidx(0,-1)[int]"),
            "1:1: hidx: the length of block 0 must not be negative, but is -1");
  EXPECT_EQ(parseErrorOf("struct(0,-1[int])"),
            "1:1: struct: the length of member 0 "
            "must not be negative, but is -1");
  EXPECT_EQ(parseErrorOf("ctg(5)[ctg(9223372036854775807)[int]]"),
            "1:8: ctg: 9223372036854775806 times 4 does not fit into 64 bits");
  EXPECT_EQ(parseErrorOf("subarray(c:)[int]"),
            "1:1: subarray: there must be at least one dimension, but there "
            "are 0");
  EXPECT_EQ(parseErrorOf("darray(c 4 0: 8,block,2)[int]"),
            "1:1: darray: the grid has 2 processes, but there are 4");
}

TEST(TextParserTest, PlacesAreNumbersToo) {
  try {
    parseDatatypes("int\n\n  ctg(5]");
    FAIL() << "no error";
  } catch (const ParseError &error) {
    EXPECT_EQ(error.getLine(), 3);
    EXPECT_EQ(error.getColumn(), 8);
    EXPECT_EQ(error.getReason(), "expected ')' after the count, but found ']'");
    EXPECT_EQ(error.getKind(), Error::ARGUMENT);
  }
}

static std::string nestedInts(int64_t depth) {
  std::string text;
  for (int64_t i = 1; i < depth; ++i)
    text += "dup[";
  text += "int";
  for (int64_t i = 1; i < depth; ++i)
    text += ']';
  return text;
}

TEST(TextParserTest, DeepNestingIsRefusedBeforeTheStackOverflows) {
  EXPECT_EQ(parseOne(nestedInts(MaximumDepth))->toString(),
            nestedInts(MaximumDepth));
  const char *const limit = "types are nested more than 1000 deep";
  EXPECT_EQ(parseErrorOf(nestedInts(MaximumDepth + 1)),
            concat("1:4001: ", limit));
  EXPECT_EQ(parseErrorOf(std::string(1000000, 'd')),
            concat("1:1: there is no type '", std::string(40, 'd'), "'"));
  std::string open;
  for (int i = 0; i != 1000000; ++i)
    open += "ctg(1)[";
  EXPECT_EQ(parseErrorOf(open), concat("1:7001: ", limit));
}

TEST(TextParserTest, SummariesCutLongLists) {
  auto type = parseOne("idxb(2: 0 1 2 3 4 5 6 7 8 9)[int]");
  EXPECT_EQ(type->toString(true),
            "idxb(2: 0 1 2 3 4 5 6 7 ... 10 in all)[int]");
  EXPECT_EQ(type->toString(), "idxb(2: 0 1 2 3 4 5 6 7 8 9)[int]");
}

TEST(TextParserTest, PrintWritesTheText) {
  testing::internal::CaptureStdout();
  parseOne("vec(2 3 5)[int]")->print();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "vec(2 3 5)[int]\n");
}

} // namespace
