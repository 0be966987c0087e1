//===- JamLoops.h - Unroll and jam of loop nests ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in a leaf's own code, such as products of tiles, often add to one row
// in each round of an outer loop. The row then moves between memory and
// registers once for each operation.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_JAMLOOPS_H
#define SLUICE_LIB_CODEGEN_LEAF_JAMLOOPS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Performs four rounds of an outer loop in one pass of the inner loop, if each
/// round updates the same elements and reads nothing else that is written:
///
///   for k: for j: c[j] += a[k] * b[k][j], d[j] += e[k] * b[k][j]
///
/// Each element sees the same operations in the same order as before. All loads
/// come before all stores, so rows whose addresses differ by a multiple of a
/// page do not seem to depend on each other. Rows of one array that begin a
/// constant apart are compared with the length of the inner loop before it.
class JamLoops : public llvm::PassInfoMixin<JamLoops> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_JAMLOOPS_H
