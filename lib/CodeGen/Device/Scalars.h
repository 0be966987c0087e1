//===- Scalars.h - Values of any type, scalar by scalar ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels receive, load and store scalars: structures, arrays and vectors are
// split.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_SCALARS_H
#define SLUICE_LIB_CODEGEN_DEVICE_SCALARS_H

#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

/// The type of a scalar in memory and as a kernel parameter: an integer of 8,
/// 16, 32 or 64 bits. It takes as many bytes in memory.
llvm::Type *storedType(llvm::Type *type);

/// A scalar of `type` somewhere in a value. The last index of a path into a
/// vector is the element's index.
using ScalarPart = llvm::function_ref<llvm::Value *(
    llvm::Type *type, uint64_t offset, llvm::ArrayRef<unsigned> path)>;
llvm::Value *buildValue(llvm::IRBuilderBase &b, llvm::Type *type,
                        ScalarPart part);

/// Loads and stores of values of any type, scalar by scalar.
llvm::Value *loadScalars(llvm::IRBuilderBase &b, llvm::Type *type,
                         llvm::Value *address);
void storeScalars(llvm::IRBuilderBase &b, llvm::Value *value,
                  llvm::Value *address);
/// The value with another type of the same layout.
llvm::Value *convertTo(llvm::IRBuilderBase &b, llvm::Value *value,
                       llvm::Type *type);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_SCALARS_H
