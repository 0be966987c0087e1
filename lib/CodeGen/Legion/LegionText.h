//===- LegionText.h - Calls and assignments within 80 columns ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated programs are laid out as a person would write them: on one line if
// there is room, otherwise aligned with the first argument, otherwise indented.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEGION_LEGIONTEXT_H
#define SLUICE_LIB_CODEGEN_LEGION_LEGIONTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace sluice::codegen::legion {

/// "head(words)tail", where `head` ends with the parenthesis and starts in
/// column `indent`; without the margin of the first line.
std::string callText(unsigned indent, llvm::StringRef head,
                     llvm::ArrayRef<std::string> words, llvm::StringRef tail);

/// "target = head(words)tail" in a line or several, with the margin.
std::string assignText(unsigned indent, llvm::StringRef target,
                       llvm::StringRef head, llvm::ArrayRef<std::string> words,
                       llvm::StringRef tail);

} // namespace sluice::codegen::legion

#endif // SLUICE_LIB_CODEGEN_LEGION_LEGIONTEXT_H
