//===- FreshLibraries.h - Libraries that were replaced ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that has opened a library gets that one again by its name, also
// when the file is another one by now.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_FRESHLIBRARIES_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_FRESHLIBRARIES_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// Those of `files` that are shared libraries of which this process has other
/// contents open. Remembers the others as they are now: they are about to be
/// opened.
std::vector<std::string> findReplaced(llvm::ArrayRef<std::string> files);

/// A copy of a library that has a name of its own, in the work folder of this
/// process; empty if it cannot be made.
std::string copyUnderOtherName(const std::string &library);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_FRESHLIBRARIES_H
