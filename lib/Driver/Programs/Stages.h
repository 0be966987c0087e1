//===- Stages.h - Stages of compilation as text -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --print shows of the code of programs and task graphs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_STAGES_H
#define SLUICE_LIB_DRIVER_PROGRAMS_STAGES_H

#include "Lower.h"

namespace sluice::driver {

/// Prints the plans, with what runs on devices.
llvm::Error printPlans(Program &program,
                       llvm::ArrayRef<codegen::PlanModel> models,
                       const BuildOptions &options);

/// Lowers the program and prints one of the stages Device to Assembly to
/// stdout.
llvm::Error printLowered(Program &program,
                         llvm::MutableArrayRef<codegen::PlanModel> models,
                         const BuildOptions &options);

/// Says as remarks which nodes cannot run on the device that their targets ask
/// for; the program is of no use afterwards. False after errors.
bool describeDeviceNodes(Program &program, const BuildOptions &options);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_STAGES_H
