//===- MakeRule.h - A program's dependencies as a make rule ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Build systems ask which files an output depends on, so a compiler that reads
// many files must report them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_MAKERULE_H
#define SLUICE_LIB_DRIVER_MAKERULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// A path as a rule for make or ninja spells it.
std::string nameForMake(llvm::StringRef path);

/// "targets: sources files".
struct MakeRule {
  /// The targets as the rule spells them.
  std::vector<std::string> targets;
  llvm::ArrayRef<std::string> sources;
  /// Everything else that was read, including folders and paths where no file
  /// was found. The rule lists only the files among them, each once.
  llvm::ArrayRef<std::string> files;
  /// Adds a rule without a command for each file that is not a source.
  bool hasPhonies = false;
};

/// Writes `rule` to `path`.
llvm::Error writeMakeRule(const std::string &path, const MakeRule &rule);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_MAKERULE_H
