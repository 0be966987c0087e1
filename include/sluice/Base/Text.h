//===- Text.h - Composing messages ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages name both values that do not fit, so they consist of many small
// parts. `concat` joins the parts without streams and without <format>, which
// the standard library of the supported systems lacks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TEXT_H
#define SLUICE_BASE_TEXT_H

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sluice {

inline void appendText(std::string &out, std::string_view text) { out += text; }
inline void appendText(std::string &out, const char *text) {
  out += text ? text : "";
}
inline void appendText(std::string &out, const std::string &text) {
  out += text;
}
inline void appendText(std::string &out, char character) { out += character; }
template <std::integral Number>
requires(!std::same_as<Number, char> &&
         !std::same_as<Number, bool>) void appendText(std::string &out,
                                                      Number number) {
  out += std::to_string(number);
}
/// Addresses are written in hexadecimal.
void appendText(std::string &out, const void *address);

/// All parts, one after another: text, integers and addresses.
template <typename... Parts> std::string concat(const Parts &...parts) {
  std::string out;
  (appendText(out, parts), ...);
  return out;
}

/// `text` in single quotes.
inline std::string quoted(std::string_view text) {
  return concat('\'', text, '\'');
}
/// The same for std::string, for which the standard library also has a function
/// of this name.
inline std::string quoted(const std::string &text) {
  return quoted(std::string_view(text));
}
inline std::string quoted(const char *text) {
  return quoted(std::string_view(text));
}

/// "1 launch", "2 launches".
std::string countOf(uint64_t count, std::string_view one,
                    std::string_view many);

/// The system's text for an error number.
std::string systemErrorText(int errorNumber);

/// Line `line` of `text` and below it a caret at `column`, both counted from 1.
/// Shows only the part of a long line that is around the column.
std::string linesAt(std::string_view text, uint64_t line, uint64_t column);

} // namespace sluice

#endif // SLUICE_BASE_TEXT_H
