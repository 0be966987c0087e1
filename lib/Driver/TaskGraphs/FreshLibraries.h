//===- FreshLibraries.h - Libraries that were replaced ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a process opens a library by a name that it has opened before, it gets the
// old library, even if the file has changed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_FRESHLIBRARIES_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_FRESHLIBRARIES_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// Returns the shared libraries among `files` of which this process has other
/// contents open. Remembers the current state of the others: they are about to
/// be opened.
std::vector<std::string> findReplaced(llvm::ArrayRef<std::string> files);

/// Makes a copy of a library, under a different name, in the work folder of
/// this process; empty if that fails.
std::string copyUnderOtherName(const std::string &library);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_FRESHLIBRARIES_H
