//===- Text.cpp - Composing messages --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of composing messages that need not be inlined.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Text.h"

#include <algorithm>
#include <system_error>

using namespace sluice;

static const char hexDigits[] = "0123456789abcdef";

void sluice::appendText(std::string &out, const void *address) {
  auto value = reinterpret_cast<uintptr_t>(address);
  char digits[2 * sizeof(value)];
  unsigned count = 0;
  do {
    digits[count++] = hexDigits[value & 15];
    value >>= 4;
  } while (value);
  out += "0x";
  while (count)
    out += digits[--count];
}

std::string sluice::countOf(uint64_t count, std::string_view one,
                            std::string_view many) {
  return concat(count, ' ', count == 1 ? one : many);
}

std::string sluice::systemErrorText(int errorNumber) {
  return std::generic_category().message(errorNumber);
}

std::string sluice::linesAt(std::string_view text, uint64_t line,
                            uint64_t column) {
  constexpr size_t widest = 72, before = 48;
  for (uint64_t i = 1; i < line; ++i) {
    size_t end = text.find('\n');
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  text = text.substr(0, text.find('\n'));
  size_t place = std::min(size_t(column - 1), text.size());
  std::string dots;
  if (text.size() > widest && place > before) {
    text.remove_prefix(place - before);
    place = before;
    dots = "...";
  }
  std::string shown = dots + std::string(text.substr(0, widest));
  // Replaces tabs by blanks of width 1, so that the caret is in the right
  // column.
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  return concat("  ", shown, "\n  ", std::string(dots.size() + place, ' '),
                "^\n");
}
