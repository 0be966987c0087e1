//===- ListText.h - Lists in the textual form -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Full texts must be readable by the parser; summaries are for humans, who do
// not want ten thousand displacements.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_LAYOUTS_LISTTEXT_H
#define SLUICE_LIB_PACK_LAYOUTS_LISTTEXT_H

#include "sluice/Base/Text.h"

namespace farc {

/// Appends the texts of `count` entries separated by spaces; a summary contains
/// the first eight, or fewer long ones, and the total number.
template <typename Append>
void appendList(std::string &out, int64_t count, bool summary, Append append) {
  constexpr int64_t shown = 8;
  constexpr size_t longSummary = 1000;
  bool isCut = summary && count > shown;
  for (int64_t i = 0; i != (isCut ? shown : count); ++i) {
    if (summary && i != 0 && out.size() > longSummary) {
      isCut = true;
      break;
    }
    if (i != 0)
      out += ' ';
    append(out, i);
  }
  if (isCut)
    out += sluice::concat(" ... ", count, " in all");
}

} // namespace farc

#endif // SLUICE_LIB_PACK_LAYOUTS_LISTTEXT_H
