//===- DeviceTest.h - What tests of device code have in common -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of device code build images from text, run them where a device is
// there, and compare memory; this is what they share.
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
  /// Reads a module from its text, which may use the functions of neutral
  /// modules and the attribute #0 of kernels without declaring them.
  std::unique_ptr<llvm::Module> parse(llvm::StringRef text);
  /// Options with the tools of this build and those of the machine.
  static codegen::DeviceOptions machineOptions();
  static Images emit(const llvm::Module &module,
                     const codegen::DeviceOptions &options = machineOptions());
  /// Checks what the text of PTX shows: that the kernel `entry` is there, that
  /// every function has a body, and that no operation is approximate. Where
  /// CUDA's ptxas is found, it has to take the text for chips from 7.5 to 9.0.
  static void checkPTX(const std::string &ptx, const std::string &entry = "k");
  /// Makes all images of a module and compares what its kernel "k" does on a
  /// device and on the host with `data`, its first parameter.
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
  /// Null, if tests cannot run kernels here.
  static OpenCLRunner *runner();
  /// Why there is none.
  static std::string runnerProblem;

  llvm::LLVMContext context;
};

} // namespace sluice::testing

/// Leaves a function of a test where kernels cannot be run, and says why.
#define RETURN_WITHOUT_RUNNER()                                                \
  if (!runner())                                                               \
  GTEST_SKIP() << "kernels are not run on pocl: " << runnerProblem

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_DEVICETEST_H
