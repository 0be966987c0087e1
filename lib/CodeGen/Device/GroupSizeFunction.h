//===- GroupSizeFunction.h - Sizes of groups, computed on the host --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of items in a group and the size of its memory depend on extents.
// The host must compute both before a launch, so the program gets a function
// for this.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_GROUPSIZEFUNCTION_H
#define SLUICE_LIB_CODEGEN_DEVICE_GROUPSIZEFUNCTION_H

#include "KernelBuilder.h"

namespace sluice::codegen {

/// Emits the SluiceDeviceGroup of a node with a grouped kernel. Rejects values
/// that the host does not know before the launch.
llvm::Expected<llvm::Function *>
emitGroupFunction(llvm::Module &module, const PlanModel &model,
                  const FlatNode &node, llvm::ArrayRef<DeviceNode> known,
                  const KernelBuilder &kernel, llvm::StringRef name);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_GROUPSIZEFUNCTION_H
