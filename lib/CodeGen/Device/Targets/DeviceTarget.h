//===- DeviceTarget.h - Differences between kinds of device ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device kernels are first made in a neutral form: a module of their own, with
//
//   void @entry(...)                       external, attribute "sluice-kernel"
//   ptr addrspace(1), addrspace(3)         global memory, work-group memory
//   ptr                                    own memory of an item (alloca)
//   i64 @sluice.device.group(i32 d)        number of the group, d = 0 1 2
//   i64 @sluice.device.item(i32 d)         number of the item in its group
//   i64 @sluice.device.items(i32 d)        items per group
//   void @sluice.device.barrier()          convergent; orders local and global
//
// and with everything inlined. LOCAL parameters are ptr addrspace(3); read-only
// tables are constants in addrspace(1); math stays calls of llvm.* intrinsics
// and of libm's functions. A target turns such a module into its own form.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_DEVICETARGET_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_DEVICETARGET_H

#include "sluice/CodeGen/DeviceKernels.h"
#include "llvm/IR/Module.h"

namespace sluice::codegen {

/// Math functions and others that a kernel may call on every target. The
/// kernel's creator must reject other calls with their location.
bool isDeviceFunction(llvm::StringRef name);

struct KernelProblem {
  std::string entry;
  std::string problem;
  SluiceDeviceFormat format; ///< The image that lacks the kernel.
};

/// Makes SPIR-V from a neutral module, and SPIR if the options name a
/// translator. Kernels that the back end rejects are left out of the images and
/// reported in `problems`.
llvm::Expected<std::vector<DeviceImage>>
emitSPIRV(const llvm::Module &neutral, const DeviceCodeOptions &options,
          std::vector<KernelProblem> &problems);

/// The same for PTX.
llvm::Expected<std::vector<DeviceImage>>
emitPTX(const llvm::Module &neutral, const DeviceCodeOptions &options,
        std::vector<KernelProblem> &problems);

/// All images that the options ask for; the back ends run at the same time.
llvm::Expected<std::vector<DeviceImage>>
emitImages(const llvm::Module &neutral, const DeviceCodeOptions &options,
           std::vector<KernelProblem> &problems);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_DEVICETARGET_H
