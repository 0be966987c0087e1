//===- MakeRule.cpp - What a program was made from, for make --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MakeRule.h"
#include "sluice/Base/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace sluice;

std::vector<std::string> driver::filesOfCached(StringRef program) {
  std::vector<std::string> files;
  auto manifest = MemoryBuffer::getFile(program + ".files");
  if (!manifest)
    return files;
  SmallVector<StringRef> lines;
  (*manifest)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) // hash, a blank and the path
    files.push_back(line.split(' ').second.str());
  return files;
}

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
  for (const std::string &file : files)
    if (sys::fs::is_regular_file(file))
      rule += " \\\n  " + ruleName(file);
  Status status = writeFileAtomically(path, rule + "\n");
  return status.ok() ? Error::success() : createStringError(status.message());
}
