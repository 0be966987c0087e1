//===- MovedMarks.h - Places in a text that was changed ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a text has mistakes, what the last good check found of it is still
// told. Its places move with the text.
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

/// The part from `begin` to `oldEnd` was replaced by one that ends at `newEnd`.
struct TextChange {
  llvm::lsp::Position begin, oldEnd, newEnd;
};

/// What one text became another by: what differs between an equal beginning and
/// an equal end.
TextChange changeBetween(llvm::StringRef before, llvm::StringRef after);
/// The same as several changes, to be made one after another, so that equal
/// lines between them are left alone; one change if the texts are long and have
/// little in common.
std::vector<TextChange> changesBetween(llvm::StringRef before,
                                       llvm::StringRef after);

/// Where the text of a range is now. What was typed in it, or instead of a part
/// that begins or ends with it, belongs to it; what was typed at one of its
/// ends does not. None if all of it was replaced.
std::optional<llvm::lsp::Range> moved(const llvm::lsp::Range &range,
                                      const TextChange &change);

/// Moves the ranges of marks of the text, in the form of Inspection.h; those
/// that are gone are removed.
void moveMarks(llvm::json::Array &marks, const TextChange &change);
/// Moves the places in a text at `uri` to which marks of any text lead.
void moveTargets(llvm::json::Array &marks, const std::string &uri,
                 const TextChange &change);
/// The same of an outline.
void moveSymbols(llvm::json::Array &symbols, const TextChange &change);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_MOVEDMARKS_H
