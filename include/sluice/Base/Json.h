//===- Json.h - JSON without LLVM -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For code that must not link LLVM; the compiler uses LLVM's json::OStream.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_JSON_H
#define SLUICE_BASE_JSON_H

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

/// Writes values one after another, with the necessary commas and without
/// blanks. The caller must begin and end objects and arrays in pairs.
class JsonWriter {
public:
  JsonWriter &beginObject() { return begin('{'); }
  JsonWriter &endObject() { return end('}'); }
  JsonWriter &beginArray() { return begin('['); }
  JsonWriter &endArray() { return end(']'); }

  /// The name of the next value of an object.
  JsonWriter &key(std::string_view name);
  JsonWriter &value(std::string_view text);
  JsonWriter &value(std::integral auto number) {
    return rawNumber(std::to_string(number));
  }
  /// `text` is already a number, such as "1.500".
  JsonWriter &rawNumber(std::string_view text);
  /// Adds a name and its value.
  JsonWriter &add(std::string_view name, const auto &given) {
    return key(name).value(given);
  }

  /// The next value begins on a new line.
  JsonWriter &newLine();

  const std::string &text() const { return out; }

private:
  JsonWriter &begin(char bracket);
  JsonWriter &end(char bracket);
  void separate();

  std::string out;
  bool needsComma = false, needsLine = false;
};

} // namespace sluice

#endif // SLUICE_BASE_JSON_H
