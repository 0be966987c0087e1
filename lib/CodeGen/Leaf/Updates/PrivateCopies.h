//===- PrivateCopies.h - Arrays of atomic updates, per range ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a histogram, the instances of a leaf update elements of one array by
// atomics and use none of the old values. A range of instances, run by one
// worker, can do this on its own copy and update the array once at the end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UPDATES_PRIVATECOPIES_H
#define SLUICE_LIB_CODEGEN_LEAF_UPDATES_PRIVATECOPIES_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Marks parameters of range functions that point to arrays to which nothing
/// else points. The value is the number of the parameter with the array's size
/// in bytes.
inline constexpr llvm::StringLiteral sizeAttribute = "sluice-size-in";

/// Gives a range function private copies of the marked arrays that it only
/// updates. Its first parameter is its invocation.
class PrivateCopies : public llvm::PassInfoMixin<PrivateCopies> {
public:
  llvm::PreservedAnalyses run(llvm::Function &range,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_PRIVATECOPIES_H
