//===- Words.cpp - Names of modules in texts of C -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module may name its regions as it likes. Comments and texts of generated
// sources say these names.
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

std::string codegen::commentText(StringRef name) {
  std::string text;
  for (char c : name) {
    // Neither ends the comment nor begins another one.
    if (!text.empty() &&
        ((c == '/' && text.back() == '*') || (c == '*' && text.back() == '/')))
      text += ' ';
    text += isPrint(c) ? c : '?';
  }
  return text;
}

std::string codegen::stringLiteral(StringRef text) {
  std::string literal = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      literal += '\\';
    // Always three digits, so that what follows is none.
    if (c == '\n')
      literal += "\\n";
    else if (c < ' ' || c == 127)
      literal +=
          {'\\', char('0' + c / 64), char('0' + c / 8 % 8), char('0' + c % 8)};
    else
      literal += char(c);
  }
  return literal + "\"";
}

std::string codegen::formatText(StringRef text) {
  std::string format;
  for (char c : text)
    format += c == '%' ? "%%" : std::string(1, c);
  return format;
}
