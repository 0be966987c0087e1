//===- Phases.h - What every way through the compiler shares --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs from files and task graphs are read differently and compiled alike:
// once there are graphs of nodes and their code, these functions go on.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PHASES_H
#define SLUICE_LIB_DRIVER_PHASES_H

#include "sluice/CodeGen/CodeGen.h"
#include "sluice/CodeGen/Device.h"
#include "sluice/Driver/Build.h"

#include <optional>
#include <vector>

namespace sluice::driver {

/// What the options say to code generation. Programs get the helper that
/// compiles variants unless they are for comparing or checking.
codegen::CodeGenOptions codeGenOptions(const BuildOptions &options);

/// The plan model of every root; problems are diagnostics.
std::optional<std::vector<codegen::PlanModel>> flattenRoots(Program &program);

/// Kernels, those for devices if `device` says how, plans and lowered host
/// calls; the code is LLVM IR for the whole program afterwards.
llvm::Error lowerProgram(Program &program,
                         llvm::ArrayRef<codegen::PlanModel> models,
                         const codegen::CodeGenOptions &options,
                         const std::optional<codegen::DeviceOptions> &device);

/// Says as remarks which nodes cannot run on the device that their targets ask
/// for; the program is of no use afterwards. False after errors.
bool describeDeviceNodes(Program &program, const BuildOptions &options);

/// Prints the plans, with what runs on devices.
llvm::Error printPlans(Program &program,
                       llvm::ArrayRef<codegen::PlanModel> models,
                       const BuildOptions &options);

/// Lowers the program and prints one of the stages Device to Assembly to
/// stdout.
llvm::Error printLowered(Program &program,
                         llvm::ArrayRef<codegen::PlanModel> models,
                         const BuildOptions &options);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PHASES_H
