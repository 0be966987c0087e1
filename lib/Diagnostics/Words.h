//===- Words.h - Words that messages and documents share --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages for people and documents for programs use the same names.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DIAGNOSTICS_WORDS_H
#define SLUICE_LIB_DIAGNOSTICS_WORDS_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/ADT/StringRef.h"

namespace sluice {

/// "error", "warning" or "remark".
llvm::StringRef nameOf(Severity severity);

} // namespace sluice

#endif // SLUICE_LIB_DIAGNOSTICS_WORDS_H
