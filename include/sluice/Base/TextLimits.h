//===- TextLimits.h - Limits on texts for parsers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parsers of LLVM and MLIR recurse over brackets without a limit, and need
// time that grows quadratically with the number of digits. So texts are checked
// first; the limits are far above the needs of programs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TEXTLIMITS_H
#define SLUICE_BASE_TEXTLIMITS_H

#include "sluice/Base/Status.h"

#include <string_view>

namespace sluice {

/// Languages, which differ in their comments.
enum class TextLanguage { MLIR, LLVM };

constexpr unsigned maxNestedBrackets = 1000;
constexpr unsigned maxDigits = 1000;

/// An error with the position in `path` if `text` contains a zero byte,
/// brackets nested more than maxNestedBrackets deep, or a number of more than
/// maxDigits digits. Strings and comments are ignored.
Status checkTextLimits(std::string_view text, std::string_view path,
                       TextLanguage language);

} // namespace sluice

#endif // SLUICE_BASE_TEXTLIMITS_H
