//===- MovedMarks.cpp - Positions in a changed text -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns count units of UTF-16, as in the protocol.
//
//===----------------------------------------------------------------------===//

#include "MovedMarks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using lsp::Position;
using lsp::Range;

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// Whether a byte continues a UTF-8 character.
static bool isInside(StringRef text, size_t at) {
  return at < text.size() && (text[at] & 0xc0) == 0x80;
}

static Position positionOf(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  size_t line = before.rfind('\n');
  StringRef column =
      line == StringRef::npos ? before : before.drop_front(line + 1);
  int units = 0;
  for (char c : column) {
    units += (c & 0xc0) != 0x80;
    units += (c & 0xf8) == 0xf0; // of four bytes: two units
  }
  return Position(int(before.count('\n')), units);
}

TextChange driver::changeBetween(StringRef before, StringRef after) {
  size_t least = std::min(before.size(), after.size()), front = 0, back = 0;
  while (front < least && before[front] == after[front])
    ++front;
  while (isInside(before, front) || isInside(after, front))
    --front;
  while (back < least - front &&
         before[before.size() - back - 1] == after[after.size() - back - 1])
    ++back;
  while (isInside(before, before.size() - back) ||
         isInside(after, after.size() - back))
    --back;
  return {positionOf(before, front), positionOf(before, before.size() - back),
          positionOf(after, after.size() - back)};
}

namespace {
struct Line {
  size_t begin;
  StringRef text; ///< with its end
};
} // namespace

static std::vector<Line> linesOf(StringRef text) {
  std::vector<Line> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back({begin, text.slice(begin, end)});
    begin = end;
  }
  return lines;
}

/// Pairs of equal lines, in order, as many as possible.
static std::vector<std::pair<size_t, size_t>> equalLines(ArrayRef<Line> before,
                                                         ArrayRef<Line> after) {
  const size_t width = after.size() + 1;
  std::vector<uint32_t> most((before.size() + 1) * width);
  for (size_t i = before.size(); i-- > 0;)
    for (size_t j = after.size(); j-- > 0;)
      most[i * width + j] =
          before[i].text == after[j].text
              ? most[(i + 1) * width + j + 1] + 1
              : std::max(most[(i + 1) * width + j], most[i * width + j + 1]);
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0, j = 0; i != before.size() && j != after.size();) {
    if (before[i].text == after[j].text)
      pairs.emplace_back(i++, j++);
    else if (most[(i + 1) * width + j] >= most[i * width + j + 1])
      ++i;
    else
      ++j;
  }
  return pairs;
}

/// Adds the change from `before` to `after` at an offset of `all`.
static void addChange(StringRef all, size_t offset, StringRef before,
                      StringRef after, std::vector<TextChange> &changes) {
  if (before == after)
    return;
  TextChange change = changeBetween(before, after);
  const Position base = positionOf(all, offset);
  for (Position *place : {&change.begin, &change.oldEnd, &change.newEnd}) {
    if (place->line == 0)
      place->character += base.character;
    place->line += base.line;
  }
  changes.push_back(change);
}

std::vector<TextChange> driver::changesBetween(StringRef before,
                                               StringRef after) {
  constexpr size_t mostCells = 1 << 20;
  // Equal lines at both ends need not be compared again.
  std::vector<Line> old = linesOf(before), now = linesOf(after);
  size_t front = 0, back = 0, least = std::min(old.size(), now.size());
  while (front < least && old[front].text == now[front].text)
    ++front;
  while (back < least - front &&
         old[old.size() - 1 - back].text == now[now.size() - 1 - back].text)
    ++back;
  ArrayRef<Line> oldPart = ArrayRef(old).drop_front(front).drop_back(back);
  ArrayRef<Line> nowPart = ArrayRef(now).drop_front(front).drop_back(back);
  std::vector<TextChange> changes;
  if ((oldPart.size() + 1) * (nowPart.size() + 1) > mostCells) {
    addChange(before, 0, before, after, changes);
    return changes;
  }
  auto offsetOf = [](ArrayRef<Line> lines, size_t number, StringRef text) {
    return number < lines.size() ? lines[number].begin : text.size();
  };
  std::vector<std::pair<size_t, size_t>> pairs = equalLines(oldPart, nowPart);
  pairs.emplace_back(oldPart.size(), nowPart.size());
  size_t oldLine = front, nowLine = front;
  for (auto [i, j] : pairs) {
    size_t oldBegin = offsetOf(old, oldLine, before);
    size_t nowBegin = offsetOf(now, nowLine, after);
    addChange(before, oldBegin,
              before.slice(oldBegin, offsetOf(old, front + i, before)),
              after.slice(nowBegin, offsetOf(now, front + j, after)), changes);
    oldLine = front + i + 1;
    nowLine = front + j + 1;
  }
  // Later changes come first, so that positions before them stay valid.
  std::reverse(changes.begin(), changes.end());
  return changes;
}

/// Shifts a position that is not before `oldEnd`.
static Position shifted(const Position &place, const TextChange &change) {
  Position result = place;
  result.line += change.newEnd.line - change.oldEnd.line;
  if (place.line == change.oldEnd.line)
    result.character += change.newEnd.character - change.oldEnd.character;
  return result;
}

static bool isBefore(const Position &a, const Position &b) {
  return std::pair(a.line, a.character) < std::pair(b.line, b.character);
}

std::optional<Range> driver::moved(const Range &range,
                                   const TextChange &change) {
  Range result = range;
  if (!isBefore(range.start, change.begin) &&
      !isBefore(change.oldEnd, range.end))
    return std::nullopt;
  if (!isBefore(range.start, change.oldEnd))
    result.start = shifted(range.start, change);
  else if (isBefore(change.begin, range.start))
    result.start = change.newEnd;
  if (isBefore(change.begin, range.end))
    result.end = isBefore(range.end, change.oldEnd)
                     ? change.begin
                     : shifted(range.end, change);
  if (!isBefore(result.start, result.end))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

/// Moves the range stored at a key of an object; false if the range is gone.
static bool moveRange(json::Object &object, StringRef key,
                      const TextChange &change) {
  Range range;
  json::Path::Root root;
  const json::Value *value = object.get(key);
  if (!value || !fromJSON(*value, range, root))
    return false;
  std::optional<Range> place = moved(range, change);
  if (place)
    object[key] = lsp::toJSON(*place);
  return place.has_value();
}

/// Keeps the elements for which `isKept` is true; `isKept` may change them.
static void keepIf(json::Array &array,
                   function_ref<bool(json::Object &)> isKept) {
  json::Array kept;
  for (json::Value &value : array)
    if (json::Object *object = value.getAsObject(); object && isKept(*object))
      kept.push_back(std::move(value));
  array = std::move(kept);
}

void driver::moveMarks(json::Array &marks, const TextChange &change) {
  keepIf(marks,
         [&](json::Object &mark) { return moveRange(mark, "range", change); });
}

void driver::moveTargets(json::Array &marks, const std::string &uri,
                         const TextChange &change) {
  for (json::Value &mark : marks)
    if (json::Object *object = mark.getAsObject())
      if (json::Array *targets = object->getArray("targets"))
        keepIf(*targets, [&](json::Object &target) {
          return target.getString("uri") != uri ||
                 moveRange(target, "range", change);
        });
}

void driver::moveSymbols(json::Array &symbols, const TextChange &change) {
  keepIf(symbols, [&](json::Object &symbol) {
    if (json::Array *children = symbol.getArray("children"))
      moveSymbols(*children, change);
    return moveRange(symbol, "range", change) &&
           moveRange(symbol, "selectionRange", change);
  });
}
