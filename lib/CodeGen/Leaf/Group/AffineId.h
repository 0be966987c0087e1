//===- AffineId.h - Dependence of values on an instance's id ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small analysis of item functions: how much a value grows from one instance
// to the next.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_AFFINEID_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_AFFINEID_H

#include "llvm/IR/Value.h"

#include <cstdint>
#include <optional>

namespace sluice::codegen {

/// The difference of an integer or, in bytes, of a pointer between instance i +
/// 1 and instance i, with all other ids equal; 0 if `value` does not depend on
/// `id`. None if it is not constant. Ignores wrap-around.
std::optional<int64_t> idCoefficient(const llvm::Value &value,
                                     const llvm::Value &id);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_AFFINEID_H
