//===- FunctionNames.cpp - Names that C and C++ have taken ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module may name its regions and tasks as it likes. Functions and parameters
// are called after them, where nobody else has the name.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/FunctionNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace sluice;

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

bool rdir::isKeptForImplementations(StringRef name) {
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

bool rdir::isReservedWord(StringRef name) {
  return takenWords().contains(name) || isStandardInteger(name) ||
         isKeptForImplementations(name);
}

/// True if C and C++ take `name` for a function of the user's.
static bool isFunctionName(StringRef name) {
  return !name.empty() && !isDigit(name.front()) && name != "main" &&
         name != "std" &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; }) &&
         !rdir::isReservedWord(name);
}

/// Whether the name belongs to a function of the C library. A program that
/// defines such a function replaces it for all libraries in the process.
static bool isLibraryFunction(StringRef name) {
  static const StringSet<> others = {"div",    "index",  "rindex", "signal",
                                     "select", "system", "time",   "kill"};
  static const TargetLibraryInfoImpl library{
      Triple(sys::getDefaultTargetTriple())};
  LibFunc known;
  return others.contains(name) || library.getLibFunc(name, known);
}

std::string rdir::objectionTo(StringRef name) {
  if (!isFunctionName(name))
    return "is no name for a C function";
  if (isLibraryFunction(name))
    return "is a function of the C library; give yours another name";
  if (name.starts_with("sluice") || name.starts_with("Sluice"))
    return "begins like the names of Sluice's own functions; give yours "
           "another name";
  return "";
}
