//===- LargeMemory.h - Copying large values in memory ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation loads and stores structures as a whole. This is correct and
// simple, but takes forever when LLVM turns thousands of numbers into
// registers. So they first become copies of memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LARGEMEMORY_H
#define SLUICE_LIB_CODEGEN_LEAF_LARGEMEMORY_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace sluice::codegen {

/// Turns loads and stores of large values (see isLargeValue) into copies, and
/// parameters of such values into addresses. A load that is marked invariant
/// needs no copy.
void moveLargeValues(llvm::Module &module);
/// The same for a function without such parameters.
void moveLargeValues(llvm::Function &function);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LARGEMEMORY_H
