//===- TextLimits.h - Texts that a parser can take ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parsers of LLVM and MLIR recurse over brackets without a limit, and need
// time that grows with the square of a number's digits. So texts are checked
// first; the limits are far above what programs need.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TEXTLIMITS_H
#define SLUICE_BASE_TEXTLIMITS_H

#include "sluice/Base/Status.h"

#include <string_view>

namespace sluice {

/// How comments start.
enum class TextLanguage { MLIR, LLVM };

constexpr unsigned maxNestedBrackets = 1000;
constexpr unsigned maxDigits = 1000;

/// An error with the place in `path` if `text` holds a zero byte, brackets that
/// are nested more than maxNestedBrackets deep, or a number of more than
/// maxDigits digits. What stands in strings and comments does not count.
Status checkTextLimits(std::string_view text, std::string_view path,
                       TextLanguage language);

} // namespace sluice

#endif // SLUICE_BASE_TEXTLIMITS_H
