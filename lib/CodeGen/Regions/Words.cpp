//===- Words.cpp - Names that C and C++ have taken ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module may name its regions as it likes. The parameters of functions are
// called after them, where that is no word of C or C++.
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// Of C++20, of C, and of the headers that each source of tasks includes.
static const StringSet<> &takenWords() {
  static const StringSet<> words = {
      // Keywords of C++20, and other spellings of its operators.
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
      "bool", "break", "case", "catch", "char", "char8_t", "char16_t",
      "char32_t", "class", "co_await", "co_return", "co_yield", "compl",
      "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
      "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
      "float", "for", "friend", "goto", "if", "inline", "int", "long",
      "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
      "operator", "or", "or_eq", "private", "protected", "public", "register",
      "reinterpret_cast", "requires", "return", "short", "signed", "sizeof",
      "static", "static_assert", "static_cast", "struct", "switch", "template",
      "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
      "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
      "wchar_t", "while", "xor", "xor_eq",
      // Of C and of its extensions.
      "restrict", "typeof", "typeof_unqual",
      // Macros and types.
      "NULL", "EOF", "errno", "linux", "unix", "i386", "size_t", "ptrdiff_t"};
  return words;
}

/// "int_fast16_t", "UINT8_MAX", and what else <stdint.h> has.
static bool isStandardInteger(StringRef name) {
  static const StringSet<> others = {
      "SIZE_MAX", "PTRDIFF_MIN", "PTRDIFF_MAX",    "WCHAR_MIN",     "WCHAR_MAX",
      "WINT_MIN", "WINT_MAX",    "SIG_ATOMIC_MIN", "SIG_ATOMIC_MAX"};
  if (others.contains(name))
    return true;
  const bool isMacro = name.ends_with("_MIN") || name.ends_with("_MAX");
  if (!isMacro && !name.ends_with("_t"))
    return false;
  name = name.drop_back(isMacro ? 4 : 2);
  (void)name.consume_front(isMacro ? "U" : "u");
  if (!name.consume_front(isMacro ? "INT" : "int"))
    return false;
  if (name == (isMacro ? "MAX" : "max") || name == (isMacro ? "PTR" : "ptr"))
    return true;
  (void)(name.consume_front(isMacro ? "_LEAST" : "_least") ||
         name.consume_front(isMacro ? "_FAST" : "_fast"));
  return name == "8" || name == "16" || name == "32" || name == "64";
}

bool codegen::isKeptForImplementations(StringRef name) {
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

bool codegen::isReservedWord(StringRef name) {
  return takenWords().contains(name) || isStandardInteger(name) ||
         isKeptForImplementations(name);
}

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
