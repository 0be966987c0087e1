//===- Coroutines.h - Coroutines as ordinary functions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves are inlined and cloned, which is only allowed for coroutines that have
// been split.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_CLANG_COROUTINES_H
#define SLUICE_LIB_FRONTEND_CLANG_COROUTINES_H

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// Splits the coroutines of a module, in clang's form, into functions that
/// start, resume and destroy them. A module without coroutines stays unchanged.
void lowerCoroutines(llvm::Module &module);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_CLANG_COROUTINES_H
