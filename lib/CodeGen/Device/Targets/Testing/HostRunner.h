//===- HostRunner.h - Running neutral kernels on the host ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference for a kernel's results: the neutral module itself, compiled for
// the host, with one thread per item of a group so that barriers work.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_HOSTRUNNER_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_HOSTRUNNER_H

#include "OpenCLRunner.h"
#include "llvm/IR/Module.h"

namespace sluice::testing {

/// Runs the kernel `entry` of the module. Returns an empty string, or a
/// description of the failure.
std::string runOnHost(const llvm::Module &module, const std::string &entry,
                      const std::vector<Parameter> &parameters, size_t groups,
                      size_t items);

} // namespace sluice::testing

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_HOSTRUNNER_H
