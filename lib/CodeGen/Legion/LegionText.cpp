//===- LegionText.cpp - Calls and assignments within 80 columns -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LegionText.h"
#include "../Regions/Source.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

static bool fits(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  return all_of(lines, [](StringRef line) { return line.size() <= 80; });
}

std::string legion::callText(unsigned indent, StringRef head,
                             ArrayRef<std::string> words, StringRef tail) {
  std::string margin(indent, ' '), text;
  raw_string_ostream out(text);
  writeList(out, (margin + head).str(), words, tail);
  if (!fits(text)) {
    text.clear();
    std::string inner = margin + "    ";
    writeList(out, (margin + head + "\n" + inner).str(), words, tail);
  }
  return text.substr(indent);
}

std::string legion::assignText(unsigned indent, StringRef target,
                               StringRef head, ArrayRef<std::string> words,
                               StringRef tail) {
  std::string margin(indent, ' ');
  std::string line =
      (margin + target + " = " + head + join(words, ", ") + tail).str();
  if (fits(line))
    return line;
  return (margin + target + " =\n" + margin + "    " +
          callText(indent + 4, head, words, tail))
      .str();
}
