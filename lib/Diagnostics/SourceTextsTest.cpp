//===- SourceTextsTest.cpp - Ranges that messages mark in texts -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of words, calls and lines, locations outside the text, and columns in
// UTF-16 units.
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/SourceTexts.h"
#include "TestFolder.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace sluice;

namespace {
/// One text in memory, under the name of a file.
struct Texts : testing::Test {
  void set(const std::string &name, std::string text) {
    file = name;
    texts.add(name, std::move(text));
  }
  SourcePlace at(unsigned line, unsigned column) const {
    return {file, line, column};
  }
  /// The marked range at a location as "line:column-line:column".
  std::string range(unsigned line, unsigned column) {
    SourceRange found = texts.rangeOf(at(line, column));
    return std::to_string(found.begin.line) + ':' +
           std::to_string(found.begin.column) + '-' +
           std::to_string(found.end.line) + ':' +
           std::to_string(found.end.column);
  }

  SourceTexts texts;
  std::string file;
};
} // namespace

TEST_F(Texts, MarkWords) {
  set("a.c", "int value = other2 + 3;\n");
  EXPECT_EQ(range(1, 5), "1:5-1:10");
  EXPECT_EQ(range(1, 13), "1:13-1:19");
  // Anything that is not a word is one character.
  EXPECT_EQ(range(1, 11), "1:11-1:12");
  EXPECT_EQ(range(1, 20), "1:20-1:21");
}

TEST_F(Texts, MarkCallsUpToTheirEnd) {
  set("a.c", "x = call(f(1), \")\", ')', /* ) */ 2 // )\n  );\ny = g();\n");
  EXPECT_EQ(range(1, 5), "1:5-2:4");
  EXPECT_EQ(range(3, 5), "3:5-3:8");
  set("b.c", "call(1, 2\n");
  EXPECT_EQ(range(1, 1), "1:1-1:5"); // nothing closes it
  set("c.c", "call('\\'', \"\\\")\", (1));\n");
  EXPECT_EQ(range(1, 1), "1:1-1:23");
}

TEST_F(Texts, MarkNamesOfMLIR) {
  set("a.mlir", "%a.0 = rdir.task @run-me(%x)\n");
  EXPECT_EQ(range(1, 1), "1:1-1:5");
  EXPECT_EQ(range(1, 8), "1:8-1:17");
  EXPECT_EQ(range(1, 18), "1:18-1:25");
}

TEST_F(Texts, MarkLinesWhereNoColumnIsKnown) {
  set("a.c", "first\n\t second line \n\n");
  EXPECT_EQ(range(2, 0), "2:3-2:14");
  EXPECT_EQ(range(3, 0), "3:1-3:1");
}

TEST_F(Texts, MarkGivenRanges) {
  set("a.c", "abc def\n");
  SourceRange found = texts.rangeOf(at(1, 1), at(1, 6));
  EXPECT_EQ(found.end, at(1, 6));
  // An end before the location is ignored.
  EXPECT_EQ(texts.rangeOf(at(1, 5), at(1, 2)).end, at(1, 8));
}

TEST_F(Texts, HaveNoPlacesBeyondTheirEnd) {
  set("a.c", "one\ntwo");
  EXPECT_EQ(range(1, 4), "1:4-1:4");
  EXPECT_EQ(range(1, 9), "1:9-1:9");
  EXPECT_EQ(range(7, 2), "7:2-7:2");
  EXPECT_EQ(range(7, 0), "7:1-7:1");
  EXPECT_EQ(texts.offsetOf(at(1, 9)), std::nullopt);
  EXPECT_EQ(texts.offsetOf(at(0, 1)), std::nullopt);
  EXPECT_EQ(texts.offsetOf(at(2, 4)), 7u);
  file = "/nowhere/at/all.c";
  EXPECT_EQ(range(1, 2), "1:2-1:2");
}

TEST_F(Texts, PlacesAndOffsetsAreInverse) {
  set("a.c", "one\n\nthree\n");
  for (size_t offset = 0; offset != 11; ++offset)
    EXPECT_EQ(texts.offsetOf(texts.placeAt(file, offset)), offset);
}

TEST_F(Texts, CountUnitsOfUTF16) {
  // Characters of one, two, three and four bytes.
  set("a.c", "a\u00e9\u20ac\U0001F600z\n");
  EXPECT_EQ(texts.utf16Column(at(1, 1)), 1u);
  EXPECT_EQ(texts.utf16Column(at(1, 2)), 2u);  // é
  EXPECT_EQ(texts.utf16Column(at(1, 4)), 3u);  // €
  EXPECT_EQ(texts.utf16Column(at(1, 7)), 4u);  // the face
  EXPECT_EQ(texts.utf16Column(at(1, 11)), 6u); // z
  EXPECT_EQ(texts.utf16Column(at(1, 12)), 7u);
  EXPECT_EQ(texts.utf16Column(at(1, 14)), 9u); // behind the line
  EXPECT_EQ(texts.utf16Column(at(1, 0)), 1u);
  EXPECT_EQ(texts.utf16Column(at(9, 3)), 3u);
}

TEST_F(Texts, BytesThatAreNoUTF8AreUnits) {
  set("a.c", "\xff\xa3z\xe2\x82\n");
  for (unsigned column = 1; column != 7; ++column)
    EXPECT_EQ(texts.utf16Column(at(1, column)), column);
}

TEST_F(Texts, OfMessagesAreRead) {
  Diagnostic read = readMessage("b.c:2:30: error: no: such", "b.c");
  EXPECT_EQ(read.place, (SourcePlace{"b.c", 2, 30}));
  EXPECT_EQ(read.message, "no: such");
  for (const char *other : {"b.c: error: x", "c.c:1:2: error: x", "x"}) {
    read = readMessage(other, "b.c");
    EXPECT_EQ(read.message, other);
    EXPECT_FALSE(read.place.isKnown());
  }
}

TEST_F(Texts, OfEditorsHideTheDisk) {
  test::TestFolder folder;
  std::string path = folder.file("a.c");
  std::ofstream(path) << "saved\n";
  std::string problem;
  EXPECT_EQ(readSourceFile(path, problem)->getBuffer(), "saved\n");
  setUnsavedText(path, "typed");
  EXPECT_EQ(readSourceFile(path, problem)->getBuffer(), "typed");
  EXPECT_EQ(texts.find(path), "typed");
  EXPECT_EQ(readSourceFile(folder.file("none"), problem), nullptr);
  EXPECT_NE(problem.find("No such file"), std::string::npos) << problem;
}
