//===- Conditions.h - Ids for which conditions hold -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access that only some items make touches less memory than its expression
// spans: `if (i == 0) norm[0] = 0`.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TOUCH_CONDITIONS_H
#define SLUICE_LIB_CODEGEN_DEVICE_TOUCH_CONDITIONS_H

#include "Intervals.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace sluice::codegen {

/// Called with a comparison, and whether it is true.
using ConditionVisitor =
    llvm::function_ref<void(const llvm::ICmpInst &comparison, bool isTrue)>;

/// Calls `visit` for comparisons that have a known result wherever the
/// instruction runs. If there are very many, visits only the innermost 16.
void forEachCondition(const llvm::DominatorTree &dominators,
                      const llvm::Instruction &inst, ConditionVisitor visit);

/// Narrows the interval of an id. x, which is the sum of the id and `rest`, has
/// the given comparison with y; all of them have `width` bits. Returns whether
/// any id is left.
llvm::Value *narrowId(llvm::IRBuilderBase &b, const Interval &x,
                      const Interval &y, llvm::CmpInst::Predicate predicate,
                      const Interval &rest, unsigned width, Interval &id);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_TOUCH_CONDITIONS_H
