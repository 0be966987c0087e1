//===- Refusal.h - Rejecting code that devices cannot run -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that devices cannot run is rejected with its source location before any
// back end sees it, since LLVM's back ends abort on unsupported code.
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

/// Returns the error "file.c:12:3: leaf 'f': message". `leaf` is the leaf that
/// contains `inst` if its debug location does not tell.
llvm::Error refuse(const llvm::Instruction &inst, const llvm::Function &leaf,
                   const llvm::Twine &message);
llvm::Error refuse(const llvm::Function &leaf, const llvm::Twine &message);

/// Rejects the first feature of an optimised kernel that devices do not
/// support. `leaf`: the kernel's leaf, or one of them.
llvm::Error checkKernel(llvm::Function &kernel, const llvm::Function &leaf);

/// Whether a device can compute with values of `type`.
bool isDeviceType(llvm::Type *type);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_REFUSAL_H
