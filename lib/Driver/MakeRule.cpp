//===- MakeRule.cpp - A program's dependencies as a make rule -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MakeRule.h"
#include "sluice/Base/Output.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;

std::string driver::nameForMake(StringRef path) {
  std::string name;
  for (char character : path) {
    if (character == ' ' || character == '#') {
      // Backslashes only matter here, where they would escape the next
      // character.
      size_t before = StringRef(name).rtrim('\\').size();
      name.append(name.size() - before + 1, '\\');
    }
    if (character == '$')
      name += '$';
    name += character;
  }
  return name;
}

Error driver::writeMakeRule(const std::string &path, const MakeRule &rule) {
  std::string text = join(rule.targets, " ") + ":", phonies;
  StringSet<> known;
  auto add = [&](const std::string &file, bool isSource) {
    // If a rule named a file that nothing creates, make would rebuild every
    // time.
    if (!sys::fs::is_regular_file(file))
      return;
    SmallString<128> whole(file);
    sys::fs::make_absolute(whole);
    sys::path::remove_dots(whole);
    if (!known.insert(whole).second)
      return;
    text += " \\\n  " + nameForMake(file);
    if (!isSource)
      phonies += "\n" + nameForMake(file) + ":\n";
  };
  for (const std::string &file : rule.sources)
    add(file, /*isSource=*/true);
  for (const std::string &file : rule.files)
    add(file, /*isSource=*/false);
  text += "\n";
  if (rule.hasPhonies)
    text += phonies;
  Status status = writeOutput(path, text);
  return status.ok() ? Error::success() : createStringError(status.message());
}
