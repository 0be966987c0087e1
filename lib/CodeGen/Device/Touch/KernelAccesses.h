//===- KernelAccesses.h - Accesses of a kernel to memory --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel for a device does to the memory behind its parameters.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TOUCH_KERNELACCESSES_H
#define SLUICE_LIB_CODEGEN_DEVICE_TOUCH_KERNELACCESSES_H

#include "sluice/CodeGen/DeviceKernels.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace sluice::codegen {

/// One access to memory behind a pointer.
struct KernelAccess {
  const llvm::Instruction *instruction;
  const llvm::Value *pointer;
  /// Bytes; null: `constantSize`.
  const llvm::Value *size;
  uint64_t constantSize;
  bool reads, writes;
};

/// All accesses; nothing if there is one of an unknown kind.
std::optional<llvm::SmallVector<KernelAccess>>
accessesOf(const llvm::Function &kernel);

/// Whether the access may be to the memory of `start`.
bool mayConcern(const KernelAccess &access, const llvm::Argument *start);

/// Whether the access is to the memory of `start` and to no other.
bool concernsOnly(const KernelAccess &access, const llvm::Argument *start);

/// The operation that accumulates into the memory of parameter `number`, which
/// is `start` and has these accesses; nothing if there is not one operation.
std::optional<SluiceAccumulated>
accumulation(unsigned number, const llvm::Argument *start,
             llvm::ArrayRef<KernelAccess> accesses);

/// Whether the access may show an instance what others do at the same time.
bool isAtomicOrVolatile(const KernelAccess &access);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_TOUCH_KERNELACCESSES_H
