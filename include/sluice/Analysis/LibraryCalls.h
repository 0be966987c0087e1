//===- LibraryCalls.h - What functions of the C library touch ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of the C library is not there to be looked into. Its manual says
// what its functions read and write, and which of them keep something from one
// call to the next.
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

/// What the library keeps from one call to the next.
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
  /// The result points to what belongs to the thread, or never changes.
  bool returnsOwn = false;
};

/// None for functions of the program, and for those that are not known.
std::optional<LibraryCall> libraryCallOf(const llvm::Value &call);

/// What `LibraryCall::state` is called as a variable.
std::string libraryStateName(llvm::StringRef state);
/// The state, if a variable is called so; else empty.
llvm::StringRef libraryStateOf(llvm::StringRef variable);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LIBRARYCALLS_H
