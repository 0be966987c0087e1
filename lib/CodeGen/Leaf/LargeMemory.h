//===- LargeMemory.h - Large values as copies of memory -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation loads and stores structures whole, which is right and simple,
// and has no end when LLVM makes registers of thousands of numbers. Before that
// they become copies of memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LARGEMEMORY_H
#define SLUICE_LIB_CODEGEN_LEAF_LARGEMEMORY_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace sluice::codegen {

/// Makes loads and stores of large values (see isLargeValue) copies, and
/// parameters of such values addresses. A load that is marked as invariant
/// needs no copy of its own.
void moveLargeValues(llvm::Module &module);
/// The same for a function without such parameters.
void moveLargeValues(llvm::Function &function);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LARGEMEMORY_H
