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

#include "sluice/CodeGen/RangeFunction.h"

namespace sluice::codegen {

/// Gives `range`, the range function of `spec`, private copies of the arrays
/// that it only updates.
void makePrivateCopies(llvm::Function &range, const RangeSpec &spec);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_PRIVATECOPIES_H
