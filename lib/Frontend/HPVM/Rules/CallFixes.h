//===- CallFixes.h - Fixes of calls in sources ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems of a graph are found in IR. If the source that debug information
// names contains the call in question, the fix can be an edit of that source.
// There is no fix if the text is not as expected: in macros, and if the file
// has changed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_RULES_CALLFIXES_H
#define SLUICE_LIB_FRONTEND_HPVM_RULES_CALLFIXES_H

#include "sluice/Diagnostics/Diagnostics.h"

#include <optional>
#include <string>

namespace sluice::hpvm {

/// Removes the statement that consists of the call, `__hpvm__bindIn(...);`.
std::optional<Fix> removeCall(const SourcePlace &call, std::string title);

/// Replaces an argument, counted from 0.
std::optional<Fix> replaceArgument(const SourcePlace &call, unsigned index,
                                   std::string argument, std::string title);

/// Adds a statement on a separate line after the line of the call.
std::optional<Fix> addBehind(const SourcePlace &call, std::string statement,
                             std::string title);

/// The variable that the call's result is assigned to, `Node = call(...)`;
/// empty for other targets, such as an element of an array.
std::string assignedVariable(const SourcePlace &call);

} // namespace sluice::hpvm

#endif // SLUICE_LIB_FRONTEND_HPVM_RULES_CALLFIXES_H
