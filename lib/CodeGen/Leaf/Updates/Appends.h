//===- Appends.h - Elements appended to arrays, per range -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In `buffer[atomicAdd(tail, 1)] = x`, every instance that appends fetches the
// counter's cache line from another core. With this pass, a range of instances
// records what it appends, and reserves places for many elements at once. The
// elements of a range keep their order; the order between ranges is undefined
// in any case.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UPDATES_APPENDS_H
#define SLUICE_LIB_CODEGEN_LEAF_UPDATES_APPENDS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Lets a range function reserve many places at once. Requires that counters
/// and arrays are `noalias` parameters, and that the old value of a counter is
/// used only as an index into arrays that nothing else in the range touches.
/// The first parameter is the range's invocation.
class JoinAppends : public llvm::PassInfoMixin<JoinAppends> {
public:
  llvm::PreservedAnalyses run(llvm::Function &range,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_APPENDS_H
