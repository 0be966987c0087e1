//===- DeviceCode.h - The device kernels of a program ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tools and chips device code is made with on this machine, and what the
// command line shows of it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_DEVICECODE_H
#define SLUICE_LIB_DRIVER_PROGRAMS_DEVICECODE_H

#include "sluice/CodeGen/CodeGen.h"
#include "sluice/CodeGen/Device.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Driver/Build.h"

#include <optional>
#include <string>
#include <vector>

namespace sluice::driver {

/// Gives every leaf and graph the hint, as if it had been written.
void applyHint(mlir::ModuleOp graphs, dfg::Target hint);

/// Everything that device code depends on beside the program: the tools and
/// libraries that are found here, and the GPUs of this machine. Opens nothing.
std::string describeDeviceTools();

/// Settings for device kernels that compute what `machine` does, or none if no
/// node of the models asks for a device, or the program is for comparing or
/// checking on the host.
std::optional<codegen::DeviceOptions>
deviceOptions(const BuildOptions &options,
              llvm::ArrayRef<codegen::PlanModel> models,
              const llvm::TargetMachine &machine);

/// The device kernels of the program, if any is asked for; its code is good for
/// lowerProgram no more.
llvm::Expected<std::optional<codegen::DeviceProgram>>
emitDevices(Program &program, const BuildOptions &options,
            llvm::ArrayRef<codegen::PlanModel> models);

/// Adds a remark for each node whose target asks for a device and that has no
/// kernel.
void describeHostNodes(llvm::ArrayRef<codegen::PlanModel> models,
                       const codegen::DeviceProgram &devices,
                       Diagnostics &diagnostics);

/// Prints one of the stages Device, SPIRV and PTX to stdout.
llvm::Error printDeviceStage(Stage stage,
                             llvm::ArrayRef<codegen::PlanModel> models,
                             const codegen::DeviceProgram &devices);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_DEVICECODE_H
