//===- TraceElements.h - The events of a trace, one by one ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace may have millions of events, and a file may hold anything. So the
// file is never parsed as a whole, and only values with little nesting are
// parsed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TRACES_TRACEELEMENTS_H
#define SLUICE_LIB_DRIVER_TRACES_TRACEELEMENTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace sluice::driver {

/// Calls `use` for each object of the array "traceEvents" of `text`, or of
/// `text` itself if it is an array. Errors name `path` and the line.
llvm::Error
forEachEvent(llvm::StringRef text, llvm::StringRef path,
             llvm::function_ref<llvm::Error(const llvm::json::Object &)> use);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TRACES_TRACEELEMENTS_H
