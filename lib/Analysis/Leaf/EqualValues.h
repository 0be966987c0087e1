//===- EqualValues.h - Values that are computed alike -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf may compute one element twice. Checks of its uses must see that both
// are the same.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_LEAF_EQUALVALUES_H
#define SLUICE_LIB_ANALYSIS_LEAF_EQUALVALUES_H

#include "llvm/IR/Value.h"

namespace sluice {

/// True if two values are computed in the same way. Code such as `a[k % 3]` is
/// not simplified yet, so each use of it is computed separately.
bool areEqualValues(const llvm::Value &a, const llvm::Value &b);

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_LEAF_EQUALVALUES_H
