//===- MakeRule.h - What a program was made from, for make ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Build systems ask which files an output depends on; a compiler that reads
// many must tell.
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

/// A path as it stands in a rule for make or ninja.
std::string nameForMake(llvm::StringRef path);

/// "targets: sources files".
struct MakeRule {
  /// As they stand in the rule.
  std::vector<std::string> targets;
  llvm::ArrayRef<std::string> sources;
  /// What else was read, with folders and places where a file was looked for in
  /// vain; the rule has the files among them, each once.
  llvm::ArrayRef<std::string> files;
  /// With a rule without a command for each file that is no source.
  bool hasPhonies = false;
};

/// Writes `rule` to `path`.
llvm::Error writeMakeRule(const std::string &path, const MakeRule &rule);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_MAKERULE_H
