//===- LowerGotos.h - Computed gotos become switches ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of leaves is copied, but the address of a label belongs to a single
// function.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_HPVM_LOWERGOTOS_H
#define SLUICE_FRONTEND_HPVM_LOWERGOTOS_H

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// Replaces jumps to labels with taken addresses (`goto *p`) by switches, and
/// these addresses by numbers, so that the functions may be copied.
void lowerComputedGotos(llvm::Module &module);

} // namespace sluice

#endif // SLUICE_FRONTEND_HPVM_LOWERGOTOS_H
