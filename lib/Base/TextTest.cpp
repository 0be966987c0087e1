//===- TextTest.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests parts of messages: numbers, addresses, quotes, JSON strings.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Text.h"

#include <gtest/gtest.h>

using namespace sluice;

TEST(Text, ConcatenatesPartsOfAllKinds) {
  EXPECT_EQ(concat("a", std::string("b"), 'c', -4, UINT64_MAX),
            "abc-418446744073709551615");
  EXPECT_EQ(concat(reinterpret_cast<const void *>(uintptr_t(0xbeef))),
            "0xbeef");
  EXPECT_EQ(concat(static_cast<const void *>(nullptr)), "0x0");
}

TEST(Text, QuotesAndCounts) {
  EXPECT_EQ(quoted("root/blur"), "'root/blur'");
  EXPECT_EQ(countOf(1, "launch", "launches"), "1 launch");
  EXPECT_EQ(countOf(0, "launch", "launches"), "0 launches");
}

TEST(Text, PointsAtAPlace) {
  EXPECT_EQ(linesAt("ab\ncd(e\n", 2, 3), "  cd(e\n    ^\n");
  EXPECT_EQ(linesAt("ab", 1, 3), "  ab\n    ^\n");
  EXPECT_EQ(linesAt("ab", 7, 1), "  \n  ^\n");
  EXPECT_EQ(linesAt("a\tb!", 1, 4), "  a b!\n     ^\n");
  std::string wide = std::string(200, 'x') + "!" + std::string(200, 'y');
  std::string shown = linesAt(wide, 1, 201);
  size_t caret = shown.rfind('^') - shown.find('\n') - 1;
  EXPECT_EQ(shown[caret], '!');
  EXPECT_LT(shown.find('\n'), 80u);
  EXPECT_TRUE(shown.starts_with("  ..."));
}
