//===- Lower.h - From graphs of nodes to LLVM IR --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs from files and task graphs are read differently and compiled alike:
// once there are graphs of nodes and their code, these functions go on.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_LOWER_H
#define SLUICE_LIB_DRIVER_PROGRAMS_LOWER_H

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
                         llvm::MutableArrayRef<codegen::PlanModel> models,
                         const codegen::CodeGenOptions &options,
                         const std::optional<codegen::DeviceOptions> &device);

/// The machine that code is made for; `options` learns the width of its
/// vectors.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
prepareTarget(codegen::CodeGenOptions &options);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_LOWER_H
