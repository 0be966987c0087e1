//===- DeviceTest.h - Shared code of tests of device code ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of device code build images from text, run them if a device is
// available, and compare memory. This file contains the shared code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_DEVICETEST_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_DEVICETEST_H

#include "../DeviceTarget.h"
#include "OpenCLRunner.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <gtest/gtest.h>

namespace sluice::testing {

/// The images of one neutral module.
struct Images {
  std::string spirv, spir, ptx, failure;
  std::vector<codegen::KernelProblem> problems;
};

class DeviceTest : public ::testing::Test {
protected:
  /// Parses a module. The text may use the functions of neutral modules and the
  /// attribute #0 of kernels without declaring them.
  std::unique_ptr<llvm::Module> parse(llvm::StringRef text);
  /// Options with the tools of this build and of the machine.
  static codegen::DeviceCodeOptions machineOptions();
  static Images
  emit(const llvm::Module &module,
       const codegen::DeviceCodeOptions &options = machineOptions());
  /// Checks the text of PTX: the kernel `entry` exists, every function has a
  /// body, and no operation is approximate. If CUDA's ptxas is found, it must
  /// accept the text for chips from 7.5 to 9.0.
  static void checkPTX(const std::string &ptx, const std::string &entry = "k");
  /// Makes all images of a module. Runs its kernel "k" on a device and on the
  /// host with `data`, its first parameter, and compares the results.
  template <typename Number>
  void compare(llvm::StringRef text, std::vector<Number> &data, size_t items,
               size_t groups = 1, std::vector<Parameter> more = {}) {
    compareBytes(text, data.data(), data.size() * sizeof(Number), items, groups,
                 more);
  }
  void compareBytes(llvm::StringRef text, void *data, size_t size, size_t items,
                    size_t groups, std::vector<Parameter> more);
  void compareModule(const llvm::Module &module, void *data, size_t size,
                     size_t items, size_t groups, std::vector<Parameter> more);
  /// Null if tests cannot run kernels here.
  static OpenCLRunner *runner();
  /// Why there is none.
  static std::string runnerProblem;

  llvm::LLVMContext context;
};

} // namespace sluice::testing

/// Returns from a test function, with a message, if kernels cannot be run.
#define RETURN_WITHOUT_RUNNER()                                                \
  if (!runner())                                                               \
  GTEST_SKIP() << "kernels are not run on pocl: " << runnerProblem

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_DEVICETEST_H
