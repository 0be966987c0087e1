//===- Text.cpp - Putting messages together -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of message building that need not be inlined.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Text.h"

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

std::string sluice::jsonString(std::string_view text) {
  std::string out = "\"";
  for (char character : text) {
    auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += hexDigits[byte >> 4];
      out += hexDigits[byte & 15];
    } else {
      out += character;
    }
  }
  out += '"';
  return out;
}
