//===- MovedMarksTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes random changes to texts and checks the text at the moved ranges.
//
//===----------------------------------------------------------------------===//

#include "MovedMarks.h"

#include "gtest/gtest.h"

#include <random>

using namespace sluice::driver;
using llvm::lsp::Position;
using llvm::lsp::Range;

/// A text as the protocol counts it: a letter is one character of UTF-8.
using Letters = std::vector<std::string>;

static std::string join(const Letters &letters, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i != end; ++i)
    text += letters[i];
  return text;
}

static Position placeOf(const Letters &letters, size_t number) {
  Position place(0, 0);
  for (size_t i = 0; i != number; ++i) {
    if (letters[i] == "\n")
      place = Position(place.line + 1, 0);
    else
      place.character += letters[i].size() == 4 ? 2 : 1;
  }
  return place;
}

static std::optional<size_t> numberOf(const Letters &letters, Position place) {
  for (size_t i = 0; i <= letters.size(); ++i)
    if (placeOf(letters, i) == place)
      return i;
  return std::nullopt;
}

static Letters randomLetters(std::mt19937 &random, size_t most) {
  static const char *known[] = {"a",      "b",      "\n",         "\u00e9",
                                "\u00e8", "\u20ac", "\U0001F600", "\U0001F601"};
  Letters letters(random() % (most + 1));
  for (std::string &letter : letters)
    letter = known[random() % std::size(known)];
  return letters;
}

/// The remainder of a range is found again: the whole range if it was not
/// touched, and the text between its ends if the change was inside.
TEST(MovedMarks, FollowRandomChanges) {
  std::mt19937 random(20);
  unsigned numKept = 0, numInside = 0, numGone = 0;
  for (int round = 0; round != 20000; ++round) {
    Letters before = randomLetters(random, 12), put = randomLetters(random, 4);
    size_t from = random() % (before.size() + 1);
    size_t to = from + random() % (before.size() - from + 1);
    Letters after(before.begin(), before.begin() + long(from));
    after.insert(after.end(), put.begin(), put.end());
    after.insert(after.end(), before.begin() + long(to), before.end());
    TextChange change = changeBetween(join(before, 0, before.size()),
                                      join(after, 0, after.size()));
    std::optional<size_t> begin = numberOf(before, change.begin);
    std::optional<size_t> oldEnd = numberOf(before, change.oldEnd);
    std::optional<size_t> newEnd = numberOf(after, change.newEnd);
    ASSERT_TRUE(begin && oldEnd && newEnd);
    // The change describes the new text and covers no more than necessary.
    ASSERT_EQ(join(before, 0, *begin) + join(after, *begin, *newEnd) +
                  join(before, *oldEnd, before.size()),
              join(after, 0, after.size()));
    ASSERT_LE(*oldEnd - *begin, to - from + 1);
    for (size_t i = 0; i <= before.size(); ++i)
      for (size_t j = i + 1; j <= before.size(); ++j) {
        std::optional<Range> place =
            moved(Range(placeOf(before, i), placeOf(before, j)), change);
        if (i >= *begin && j <= *oldEnd) {
          ASSERT_FALSE(place);
          ++numGone;
          continue;
        }
        ASSERT_TRUE(place);
        std::optional<size_t> first = numberOf(after, place->start);
        std::optional<size_t> last = numberOf(after, place->end);
        ASSERT_TRUE(first && last && *first < *last);
        std::string expected = join(before, i, j);
        if (i < *begin && j > *oldEnd) {
          expected = join(before, i, *begin) + join(after, *begin, *newEnd) +
                     join(before, *oldEnd, j);
          ++numInside;
        } else if (i < *oldEnd && j > *begin) {
          expected = i < *begin || j <= *oldEnd ? join(before, i, *begin)
                                                : join(before, *oldEnd, j);
          if (i == *begin) // what replaced its beginning is a part of it
            expected = join(after, *begin, *newEnd) + expected;
          else if (j == *oldEnd)
            expected += join(after, *begin, *newEnd);
        } else {
          ++numKept;
        }
        ASSERT_EQ(join(after, *first, *last), expected)
            << round << ": " << i << " to " << j;
      }
  }
  EXPECT_GT(numKept, 10000u);
  EXPECT_GT(numInside, 1000u);
  EXPECT_GT(numGone, 1000u);
}

/// A text with one change applied.
static std::string changed(const std::string &text, const TextChange &change,
                           const std::string &after) {
  auto offsetOf = [](const std::string &text, Position place) {
    size_t at = 0;
    for (int line = 0; line != place.line; ++line)
      at = text.find('\n', at) + 1;
    return at + size_t(place.character); // ASCII
  };
  // The start of an earlier change is valid in the final text.
  size_t from = offsetOf(after, change.begin);
  size_t to = offsetOf(after, change.newEnd);
  return text.substr(0, offsetOf(text, change.begin)) +
         after.substr(from, to - from) +
         text.substr(offsetOf(text, change.oldEnd));
}

/// Changes at several places leave the lines between them alone.
TEST(MovedMarks, FollowChangesAtSeveralPlaces) {
  std::mt19937 random(21);
  unsigned numUntouched = 0;
  for (int round = 0; round != 2000; ++round) {
    std::vector<std::string> lines(random() % 20);
    for (size_t i = 0; i != lines.size(); ++i)
      lines[i] = "line " + std::to_string(i);
    std::vector<std::pair<size_t, size_t>> kept; // lines before and after
    std::string before, after;
    int numLines = 0;
    for (size_t i = 0; i != lines.size(); ++i) {
      before += lines[i] + "\n";
      unsigned fate = random() % 6;
      if (fate == 0) // taken out
        continue;
      if (fate == 1) {
        after += "more\n";
        ++numLines;
      }
      if (fate == 2)
        lines[i].insert(random() % lines[i].size(), "x");
      else
        kept.emplace_back(i, numLines);
      after += lines[i] + "\n";
      ++numLines;
    }
    std::vector<TextChange> changes = changesBetween(before, after);
    // From last to first, each change produces its part of the new text; the
    // text before the next change is still unchanged.
    for (auto [from, to] : kept) {
      std::optional<Range> place =
          Range(Position(int(from), 0), Position(int(from), 4));
      for (const TextChange &change : changes)
        if (place)
          place = moved(*place, change);
      ASSERT_TRUE(place);
      ASSERT_EQ(place->start.line, int(to));
      ASSERT_EQ(place->start.character, 0);
      ++numUntouched;
    }
  }
  EXPECT_GT(numUntouched, 5000u);
  // One change; and texts without a final newline.
  EXPECT_EQ(changesBetween("a\nb", "a\nb").size(), 0u);
  EXPECT_EQ(changesBetween("", "a").size(), 1u);
  EXPECT_EQ(changesBetween("a\nb\nc", "a\nx\nc\n").size(), 1u);
  EXPECT_EQ(changesBetween("a\nb\nc\nd", "a\nx\nc\ny\n").size(), 2u);
  TextChange change = changesBetween("a\nb\nc", "a\nbc\nc").front();
  EXPECT_EQ(changed("a\nb\nc", change, "a\nbc\nc"), "a\nbc\nc");
}

static llvm::json::Value parse(const char *text) {
  return llvm::cantFail(llvm::json::parse(text));
}

TEST(MovedMarks, MoveMarksTargetsAndOutlines) {
  TextChange change =
      changeBetween("one 22 three\nfour\n", "one three\n\nfour\n");
  llvm::json::Value marks = parse(R"([
    {"range": {"start": {"line": 0, "character": 4},
               "end": {"line": 0, "character": 6}}, "targets": []},
    {"range": {"start": {"line": 1, "character": 0},
               "end": {"line": 1, "character": 4}}, "targets": [
      {"uri": "a", "range": {"start": {"line": 0, "character": 0},
                             "end": {"line": 0, "character": 3}}},
      {"uri": "b", "range": {"start": {"line": 1, "character": 1},
                             "end": {"line": 1, "character": 3}}},
      {"uri": "a", "range": {"start": {"line": 1, "character": 1},
                             "end": {"line": 1, "character": 3}}}]}])");
  moveMarks(*marks.getAsArray(), change);
  moveTargets(*marks.getAsArray(), "a", change);
  EXPECT_EQ(marks, parse(R"([
    {"range": {"start": {"line": 2, "character": 0},
               "end": {"line": 2, "character": 4}}, "targets": [
      {"uri": "a", "range": {"start": {"line": 0, "character": 0},
                             "end": {"line": 0, "character": 3}}},
      {"uri": "b", "range": {"start": {"line": 1, "character": 1},
                             "end": {"line": 1, "character": 3}}},
      {"uri": "a", "range": {"start": {"line": 2, "character": 1},
                             "end": {"line": 2, "character": 3}}}]}])"));
  llvm::json::Value symbols = parse(R"([
    {"name": "x", "range": {"start": {"line": 0, "character": 0},
                            "end": {"line": 1, "character": 4}},
     "selectionRange": {"start": {"line": 0, "character": 0},
                        "end": {"line": 0, "character": 3}},
     "children": [
       {"name": "y", "range": {"start": {"line": 0, "character": 4},
                               "end": {"line": 0, "character": 6}},
        "selectionRange": {"start": {"line": 0, "character": 4},
                           "end": {"line": 0, "character": 6}},
        "children": []}]}])");
  moveSymbols(*symbols.getAsArray(), change);
  EXPECT_EQ(symbols, parse(R"([
    {"name": "x", "range": {"start": {"line": 0, "character": 0},
                            "end": {"line": 2, "character": 4}},
     "selectionRange": {"start": {"line": 0, "character": 0},
                        "end": {"line": 0, "character": 3}},
     "children": []}])"));
}
