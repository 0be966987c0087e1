//===- Lower.h - From graphs of nodes to LLVM IR --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs from files and task graphs are read differently but compiled in the
// same way. These functions take over once there are graphs of nodes and their
// code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_LOWER_H
#define SLUICE_LIB_DRIVER_PROGRAMS_LOWER_H

#include "sluice/CodeGen/CodeGen.h"
#include "sluice/CodeGen/DeviceKernels.h"
#include "sluice/Driver/Build.h"

#include <optional>
#include <vector>

namespace sluice::driver {

/// The settings for code generation that follow from the options. Programs get
/// the helper that compiles variants unless they are for comparing or checking.
codegen::CodeGenOptions codeGenOptions(const BuildOptions &options);

/// Makes the plan model of every root; reports problems as diagnostics.
std::optional<std::vector<codegen::PlanModel>> flattenRoots(Program &program);

/// Makes kernels (also for devices, with the settings in `device`), plans and
/// lowered host calls. Afterwards, the code is the LLVM IR of the whole
/// program.
llvm::Error
lowerProgram(Program &program, llvm::MutableArrayRef<codegen::PlanModel> models,
             const codegen::CodeGenOptions &options,
             const std::optional<codegen::DeviceCodeOptions> &device);

/// The target machine; sets the vector width in `options`.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
prepareTarget(codegen::CodeGenOptions &options);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_LOWER_H
