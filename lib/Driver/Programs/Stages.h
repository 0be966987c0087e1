//===- Stages.h - Stages of compilation as text -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of --print for the code of programs and task graphs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_STAGES_H
#define SLUICE_LIB_DRIVER_PROGRAMS_STAGES_H

#include "Lower.h"

namespace sluice::driver {

/// Prints the plans, marking the nodes that run on devices.
llvm::Error printPlans(Program &program,
                       llvm::ArrayRef<codegen::PlanModel> models,
                       const BuildOptions &options);

/// Lowers the program and prints one of the stages Device to Assembly to
/// stdout.
llvm::Error printLowered(Program &program,
                         llvm::MutableArrayRef<codegen::PlanModel> models,
                         const BuildOptions &options);

/// Lowers and optimises the program, and leaves it in the form of LLVM IR.
/// Prints an error and returns false if that is not possible (Phases.cpp).
bool optimizeOnly(Program &program, const BuildOptions &options);

/// Adds a remark for each node that cannot run on the device that its target
/// asks for. The program cannot be used afterwards. Returns false after errors.
bool describeDeviceNodes(Program &program, const BuildOptions &options);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_STAGES_H
