//===- Json.cpp - JSON without LLVM ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Json.h"

#include <algorithm>

using namespace sluice;

static void appendQuoted(std::string &out, std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  out += '"';
  // Most texts need no escaping.
  const bool isPlain =
      std::all_of(text.begin(), text.end(), [](char character) {
        return static_cast<unsigned char>(character) >= 0x20 &&
               character != '"' && character != '\\';
      });
  if (isPlain) {
    out += text;
    out += '"';
    return;
  }
  for (char character : text) {
    auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += character;
    }
  }
  out += '"';
}

void JsonWriter::separate() {
  if (needsComma)
    out += ',';
  if (needsLine)
    out += '\n';
  needsComma = needsLine = false;
}

JsonWriter &JsonWriter::begin(char bracket) {
  separate();
  out += bracket;
  return *this;
}

JsonWriter &JsonWriter::end(char bracket) {
  if (needsLine)
    out += '\n';
  out += bracket;
  needsComma = true;
  needsLine = false;
  return *this;
}

JsonWriter &JsonWriter::key(std::string_view name) {
  separate();
  appendQuoted(out, name);
  out += ':';
  return *this;
}

JsonWriter &JsonWriter::value(std::string_view text) {
  separate();
  appendQuoted(out, text);
  needsComma = true;
  return *this;
}

JsonWriter &JsonWriter::rawNumber(std::string_view text) {
  separate();
  out += text;
  needsComma = true;
  return *this;
}

JsonWriter &JsonWriter::newLine() {
  needsLine = true;
  return *this;
}
