//===- GroupFunction.h - Sizes of groups, computed on the host --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many items a group has and how much memory it needs depends on extents.
// Only the host can compute that before a launch, so the program gets a
// function for it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_GROUPFUNCTION_H
#define SLUICE_LIB_CODEGEN_DEVICE_GROUPFUNCTION_H

#include "KernelBuilder.h"

namespace sluice::codegen {

/// Emits the SluiceDeviceGroup of a node whose kernel is grouped. Refuses what
/// the host does not know before the launch.
llvm::Expected<llvm::Function *>
emitGroupFunction(llvm::Module &module, const PlanModel &model,
                  const FlatNode &node, llvm::ArrayRef<DeviceNode> known,
                  const KernelBuilder &kernel, llvm::StringRef name);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_GROUPFUNCTION_H
