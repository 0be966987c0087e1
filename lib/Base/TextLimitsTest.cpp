//===- TextLimitsTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests texts that are refused, with the place, and similar ones that are
// accepted.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/TextLimits.h"
#include "sluice/Base/Text.h"

#include <gtest/gtest.h>

using namespace sluice;

static std::string check(const std::string &text,
                         TextLanguage language = TextLanguage::MLIR) {
  return checkTextLimits(text, "f", language).message();
}

static std::string repeat(const char *text, unsigned count) {
  std::string result;
  while (count--)
    result += text;
  return result;
}

TEST(TextLimits, RefusesDeepNesting) {
  EXPECT_EQ(check(repeat("(", maxNestedBrackets)), "");
  EXPECT_EQ(check("\n " + repeat("(", 5000)),
            "f:2:1002: error: brackets are nested more than 1000 deep");
  for (const char *bracket : {"[", "{", "<", "a<", "module {\n", "[{("})
    EXPECT_NE(check(repeat(bracket, 5000)), "") << bracket;
  EXPECT_EQ(check(repeat("()", 5000)), "");
  EXPECT_EQ(check(repeat("a<b>", 5000)), "");
}

TEST(TextLimits, KnowsSigns) {
  EXPECT_EQ(check(repeat("{a < b}\n", 5000)), "");
  EXPECT_EQ(check(repeat("(i32) -> i32\n", 5000)), "");
  EXPECT_EQ(check(repeat("}>)]", 5000)), "");
  EXPECT_EQ(check("\"" + repeat("(", 5000) + "\""), "");
  EXPECT_EQ(check("\"a\\\"" + repeat("(", 5000) + "\""), "");
  EXPECT_EQ(check("// " + repeat("(", 5000) + "\n"), "");
  EXPECT_NE(check("; " + repeat("(", 5000) + "\n"), "");
  EXPECT_EQ(check("; " + repeat("(", 5000) + "\n", TextLanguage::LLVM), "");
}

TEST(TextLimits, RefusesLongNumbersAndZeroBytes) {
  EXPECT_EQ(check("x = " + repeat("7", 100000)),
            "f:1:5: error: a number has 100000 digits, at most 1000 are "
            "supported");
  EXPECT_NE(check("0x" + repeat("F", 2000)), "");
  EXPECT_EQ(check("a" + repeat("7", 2000)), "");
  EXPECT_EQ(check("\"" + repeat("7", 2000) + "\""), "");
  EXPECT_EQ(check(std::string("a\n\0b", 4)),
            "f:2:1: error: a zero byte; this is no text");
}
