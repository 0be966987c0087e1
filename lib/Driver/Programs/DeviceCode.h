//===- DeviceCode.h - The device kernels of a program ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tools and chips for device code on this machine, and the output of device
// code for the command line.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_DEVICECODE_H
#define SLUICE_LIB_DRIVER_PROGRAMS_DEVICECODE_H

#include "sluice/CodeGen/CodeGen.h"
#include "sluice/CodeGen/DeviceKernels.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Driver/Build.h"

#include <optional>
#include <string>
#include <vector>

namespace sluice::driver {

/// Gives every leaf and graph the hint, as if the source had it.
void applyHint(mlir::ModuleOp graphs, dfg::Target hint);

/// Describes everything that device code depends on besides the program: the
/// tools and libraries found here, and the GPUs of this machine. Opens no
/// device.
std::string describeDeviceTools();

/// Settings for device kernels that compute what `machine` computes. None if no
/// node of the models asks for a device, or if the program is for comparing or
/// checking on the host.
std::optional<codegen::DeviceCodeOptions>
deviceOptions(const BuildOptions &options,
              llvm::ArrayRef<codegen::PlanModel> models,
              const llvm::TargetMachine &machine);

/// Makes the device kernels of the program, if any are requested. Its code
/// cannot be passed to lowerProgram afterwards.
llvm::Expected<std::optional<codegen::DeviceProgram>>
emitDevices(Program &program, const BuildOptions &options,
            llvm::ArrayRef<codegen::PlanModel> models);

/// Adds a remark for each node that asks for a device and has no kernel.
void describeHostNodes(llvm::ArrayRef<codegen::PlanModel> models,
                       const codegen::DeviceProgram &devices,
                       Diagnostics &diagnostics);

/// Prints one of the stages Device, SPIRV and PTX to stdout.
llvm::Error printDeviceStage(Stage stage,
                             llvm::ArrayRef<codegen::PlanModel> models,
                             const codegen::DeviceProgram &devices);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_DEVICECODE_H
