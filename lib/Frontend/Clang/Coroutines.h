//===- Coroutines.h - Coroutines as ordinary functions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves are inlined and cloned, which a coroutine may be only when it is
// split.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_CLANG_COROUTINES_H
#define SLUICE_LIB_FRONTEND_CLANG_COROUTINES_H

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// Splits the coroutines of a module, as clang writes them, into functions that
/// start, resume and destroy them. Leaves a module without coroutines as it is.
void lowerCoroutines(llvm::Module &module);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_CLANG_COROUTINES_H
