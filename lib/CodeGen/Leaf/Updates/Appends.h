//===- Appends.h - Elements appended to arrays, per range -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `buffer[atomicAdd(tail, 1)] = x`: every instance that appends fetches the
// line of the counter from another core. Here a range of instances notes what
// it appends, and reserves places for many elements at once. The elements of a
// range keep their order; that of different ranges is open either way.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UPDATES_APPENDS_H
#define SLUICE_LIB_CODEGEN_LEAF_UPDATES_APPENDS_H

#include "sluice/CodeGen/RangeFunction.h"

namespace sluice::codegen {

/// Lets `range`, the range function of `spec`, reserve many places at once
/// where the old value of a counter serves for nothing but places of arrays
/// that nothing else in it touches.
void joinAppends(llvm::Function &range, const RangeSpec &spec);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_APPENDS_H
