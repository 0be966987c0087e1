//===- FunctionNames.h - Names that C and C++ have taken --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks are C functions of the user's: which names these may have. Who prints
// programs chooses such names, and who reads them asks for them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_FUNCTIONNAMES_H
#define SLUICE_RDIR_FUNCTIONNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace sluice::rdir {

/// True for words of C and C++, also where only one of them knows it, for names
/// that their headers have, and for those that they keep for themselves, as
/// "__x" and "_X".
bool isReservedWord(llvm::StringRef name);
/// True for the latter.
bool isKeptForImplementations(llvm::StringRef name);

/// The reason why a function of the user must not be called `name`, such as "is
/// no name for a C function"; empty if it may.
std::string objectionTo(llvm::StringRef name);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_FUNCTIONNAMES_H
