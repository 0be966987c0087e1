//===- BackEndProcess.h - Back ends in child processes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parent's side of sluice-device-codegen: sends a neutral module as bitcode
// and receives an image. If the child fails, the kernels at fault are found by
// bisection and left out.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_BACKENDPROCESS_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_BACKENDPROCESS_H

#include "ChildProcess.h"
#include "DeviceTarget.h"

namespace sluice::codegen {

/// A neutral module as a file for the back ends, which may use it at the same
/// time.
class NeutralFile {
public:
  static llvm::Expected<NeutralFile> write(const llvm::Module &neutral);
  /// Names of the kernels, in the module's order.
  const std::vector<std::string> &kernels() const { return names; }
  const TemporaryFolder &folder() const { return temporary; }
  std::string path() const { return temporary.file("neutral.bc"); }

private:
  explicit NeutralFile(TemporaryFolder folder) : temporary(std::move(folder)) {}
  TemporaryFolder temporary;
  std::vector<std::string> names;
};

/// The result of a child for some kernels.
struct BackEndResult {
  std::string image; ///< empty: of none
  std::vector<std::string> kernels;
  std::vector<KernelProblem> problems;
};

/// Makes an image of some kernels in one child. If the child fails as a whole,
/// the reason is in `failure`; kernels that the child itself rejected are in
/// `problems`.
using BackEnd = std::function<BackEndResult(llvm::ArrayRef<std::string> kernels,
                                            std::string &failure)>;

/// Runs the back end for all kernels. If that fails, finds the kernels at fault
/// and makes an image of the others.
BackEndResult runBackEnd(const BackEnd &backEnd,
                         llvm::ArrayRef<std::string> kernels,
                         SluiceDeviceFormat format);

/// sluice-device-codegen for `format`, SPIRV or PTX.
BackEnd workerFor(const NeutralFile &file, SluiceDeviceFormat format,
                  const DeviceCodeOptions &options);

/// SPIR of some kernels: SPIR-V first, then the translator.
BackEnd translatorFor(const NeutralFile &file,
                      const DeviceCodeOptions &options);

/// The images of one format family; the two may run at the same time.
std::vector<DeviceImage> makeSPIRV(const NeutralFile &file,
                                   const DeviceCodeOptions &options,
                                   std::vector<KernelProblem> &problems);
std::vector<DeviceImage> makePTX(const NeutralFile &file,
                                 const DeviceCodeOptions &options,
                                 std::vector<KernelProblem> &problems);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_BACKENDPROCESS_H
