//===- MovedMarks.h - Positions in a changed text ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a text has errors, the editor still shows the results of the last good
// check. Their positions move with the text.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_MOVEDMARKS_H
#define SLUICE_LIB_DRIVER_EDITOR_MOVEDMARKS_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

#include <optional>
#include <string>
#include <vector>

namespace sluice::driver {

/// The part from `begin` to `oldEnd` was replaced; the new part ends at
/// `newEnd`.
struct TextChange {
  llvm::lsp::Position begin, oldEnd, newEnd;
};

/// The change from one text to another: the part between a common prefix and a
/// common suffix.
TextChange changeBetween(llvm::StringRef before, llvm::StringRef after);
/// The same as several changes, to be applied one after another, so that equal
/// lines between them stay untouched. One change if the texts are long and have
/// little in common.
std::vector<TextChange> changesBetween(llvm::StringRef before,
                                       llvm::StringRef after);

/// The new position of a range. Text typed within the range, or in place of a
/// part that begins or ends with it, belongs to it; text typed at one of its
/// ends does not. None if the whole range was replaced.
std::optional<llvm::lsp::Range> moved(const llvm::lsp::Range &range,
                                      const TextChange &change);

/// Moves the ranges of marks of the text, in the form of Inspection.h. Removes
/// marks that are gone.
void moveMarks(llvm::json::Array &marks, const TextChange &change);
/// Moves the link targets that lie in the text at `uri`, for marks of any text.
void moveTargets(llvm::json::Array &marks, const std::string &uri,
                 const TextChange &change);
/// The same for an outline.
void moveSymbols(llvm::json::Array &symbols, const TextChange &change);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_MOVEDMARKS_H
