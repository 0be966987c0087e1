//===- TextLimits.h - Texts that a parser can take ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parsers of LLVM and MLIR recurse over brackets without a limit, and need
// a time that grows with the square of a number's digits. No program that
// somebody means needs much of either.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TEXTLIMITS_H
#define SLUICE_BASE_TEXTLIMITS_H

#include "sluice/Base/Status.h"

#include <string_view>

namespace sluice {

/// How comments start.
enum class TextLanguage { MLIR, LLVM };

constexpr unsigned mostNestedBrackets = 1000;
constexpr unsigned mostDigits = 1000;

/// An error with the place in `path` if `text` holds a zero byte, brackets that
/// are nested more than mostNestedBrackets deep, or a number of more than
/// mostDigits digits. What stands in strings and comments does not count.
Status checkTextLimits(std::string_view text, std::string_view path,
                       TextLanguage language);

} // namespace sluice

#endif // SLUICE_BASE_TEXTLIMITS_H
