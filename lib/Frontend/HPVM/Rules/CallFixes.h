//===- CallFixes.h - Changes of calls in sources ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a graph is found in IR; where the source that debug
// information names has the call that it is about, the way out can be an edit
// of that source. None is offered where the text is not as expected: in macros,
// and where the file has changed.
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

/// Writes another argument, counted from 0.
std::optional<Fix> replaceArgument(const SourcePlace &call, unsigned index,
                                   std::string argument, std::string title);

/// Adds a statement on a line of its own behind the one with the call.
std::optional<Fix> addBehind(const SourcePlace &call, std::string statement,
                             std::string title);

/// The variable that the call's result is assigned to, `Node = call(...)`;
/// empty if that is something else, such as an element of an array.
std::string assignedVariable(const SourcePlace &call);

} // namespace sluice::hpvm

#endif // SLUICE_LIB_FRONTEND_HPVM_RULES_CALLFIXES_H
