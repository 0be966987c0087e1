//===- Refusal.h - Why code cannot run on a device --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What devices cannot do is refused with its place in the source, before any
// back end sees it: LLVM's abort on what they do not know.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_REFUSAL_H
#define SLUICE_LIB_CODEGEN_DEVICE_REFUSAL_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sluice::codegen {

/// "file.c:12:3", or nothing.
std::string placeOf(const llvm::Function &function);

/// "file.c:12:3" of a location with a line.
std::string spellPlace(const llvm::DILocation &location);

/// "file.c:12:3: leaf 'f': message". `leaf`: where `inst` comes from if its
/// debug location does not tell.
llvm::Error refuse(const llvm::Instruction &inst, const llvm::Function &leaf,
                   const llvm::Twine &message);
llvm::Error refuse(const llvm::Function &leaf, const llvm::Twine &message);

/// Refuses the first thing in an optimised kernel that devices do not have.
/// `leaf`: the kernel's leaf, or one of them.
llvm::Error checkKernel(llvm::Function &kernel, const llvm::Function &leaf);

/// Whether a device computes with values of `type`.
bool isDeviceType(llvm::Type *type);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_REFUSAL_H
