//===- MakeRule.h - What a program was made from, for make ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Build systems ask which files an output depends on; a compiler that reads
// many must tell.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_MAKERULE_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_MAKERULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// Writes the rule "output: files..." to `path`.
llvm::Error writeMakeRule(const std::string &path, llvm::StringRef output,
                          llvm::ArrayRef<std::string> files);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_MAKERULE_H
