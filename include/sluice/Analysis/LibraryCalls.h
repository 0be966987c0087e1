//===- LibraryCalls.h - What functions of the C library touch ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of the C library is not available to analyses. This table follows
// its manual: what functions read and write, and which of them keep state from
// one call to the next.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LIBRARYCALLS_H
#define SLUICE_ANALYSIS_LIBRARYCALLS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>
#include <string>

namespace sluice {

/// The memory behind one argument.
struct LibraryUse {
  enum class Size {
    /// As many bytes as argument `count` says, times argument `unit` unless
    /// that is negative.
    Counted,
    /// The same, or fewer: all of it is not certain to be touched.
    AtMost,
    /// Up to the zero byte of the text that argument `count` points to.
    Text,
    /// Not known.
    Open
  };
  unsigned argument = 0;
  bool isRead = false, isWritten = false;
  Size size = Size::Open;
  int count = -1, unit = -1;

  bool isCounted() const {
    return size == Size::Counted || size == Size::AtMost;
  }
};

/// State that the library keeps from one call to the next.
struct LibraryState {
  /// The name of a function that uses it.
  std::string name;
  /// Used under a lock of the library ("MT-Safe" in its manual).
  bool isLocked = false;
  bool isWritten = true;
  /// False where arguments decide whether it is used, or written, or where it
  /// hardly matters.
  bool isCertain = true;
};

/// One call of such a function.
struct LibraryCall {
  llvm::SmallVector<LibraryUse, 3> uses;
  llvm::SmallVector<LibraryState, 2> states;
  /// It may touch memory that an earlier call was passed.
  bool touchesEarlier = false;
  /// The result points to the last of these states.
  bool returnsState = false;
  /// The result points into what this argument points to, unless negative.
  int returnedArgument = -1;
  /// The result points to memory of the thread, or to memory that never
  /// changes.
  bool returnsOwn = false;
};

/// None for functions of the program and for unknown functions.
std::optional<LibraryCall> libraryCallOf(const llvm::Value &call);

/// The name of a `LibraryState` as a variable.
std::string libraryStateName(llvm::StringRef state);
/// The state that a variable with such a name stands for, or empty.
llvm::StringRef libraryStateOf(llvm::StringRef variable);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LIBRARYCALLS_H
