//===- MakeRule.cpp - What a program was made from, for make --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MakeRule.h"
#include "sluice/Base/Output.h"
#include "sluice/Toolchain/Manifest.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace sluice;

/// Blanks and number signs have a backslash, dollars are written twice.
static std::string ruleName(StringRef path) {
  std::string name;
  for (char character : path) {
    if (character == ' ' || character == '#')
      name += '\\';
    if (character == '$')
      name += '$';
    name += character;
  }
  return name;
}

Error driver::writeMakeRule(const std::string &path, StringRef output,
                            ArrayRef<std::string> files) {
  std::string rule = ruleName(output) + ":";
  // Places where files were looked for in vain are no part of it: make would
  // build again and again what needs a file that nothing makes.
  for (const std::string &file : filesOfUser(files))
    rule += " \\\n  " + ruleName(file);
  Status status = writeOutput(path, rule + "\n");
  return status.ok() ? Error::success() : createStringError(status.message());
}
