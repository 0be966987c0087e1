//===- Device.h - Device kernels of a program ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves whose target is a device become kernels of one module per program, in
// the formats that devices support. A leaf that a device cannot run is reported
// with its place, and runs on the host.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_DEVICE_H
#define SLUICE_CODEGEN_DEVICE_H

#include "sluice/CodeGen/PlanModel.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice::codegen {

struct DeviceOptions {
  /// Make SPIR-V (and SPIR from it, if `translator` is there) and PTX.
  bool wantsSPIRV = true, wantsPTX = true;
  /// The minimum chip that the PTX supports.
  std::string chip = "sm_75";
  /// CUDA's math library in bitcode; empty: Sluice's own functions.
  std::string libdevice;
  /// llvm-spirv of LLVM 15, run as a child process; empty: no SPIR.
  std::string translator;
  /// sluice-device-codegen, the program that runs LLVM's back ends, which
  /// abort on what they do not know.
  std::string worker;
  unsigned optimizationLevel = 3;
  /// `a * b + c` in one rounding where the language allows it: what the host's
  /// code does (see fusesMultiplyAdd), so that results are equal.
  bool fusesMultiplyAdd = true;
  /// Keep the kernels before any back end as DeviceProgram::neutral.
  bool keepsNeutral = false;
  /// Kernels ask whether an item has an instance. Those from which only touched
  /// ranges are found need not, since they never run.
  bool guardsItems = true;
  /// Nodes that reduce and scan run in chunks, with copies. Without, a kernel
  /// is one of their instances alone, and leaves out what they reduce.
  bool runsChunks = true;
  /// Kernels that never run may take structures of any size by value.
  bool mayBeLarge = false;
};

/// One of a kernel's parameters.
struct DeviceParameter : SluiceDeviceParameter {
  DeviceParameter() : SluiceDeviceParameter() {
    argument = SLUICE_NO_INDEX;
    sizeOffset = SLUICE_NO_OFFSET;
  }
  /// The dataset that `memory` will point to.
  llvm::GlobalVariable *dataset = nullptr;
};

/// A format that lacks a kernel, and why.
struct DeviceLack {
  SluiceDeviceFormat format;
  std::string problem;
};

/// How one node runs on a device: what SluicePlanDeviceKernel will hold.
struct DeviceNode {
  std::string entry; ///< empty: on the host only
  /// Why, with its place, if the target asks for a device.
  std::string problem;
  /// Where only some formats have the kernel: those without it.
  std::vector<DeviceLack> lacks;
  std::vector<DeviceParameter> parameters;
  std::vector<SluiceDeviceForward> forwards;
  /// With DeviceOptions::runsChunks off: arguments of the graph that the node
  /// reduces, SLUICE_NO_INDEX for memory that is none.
  std::vector<uint32_t> reduced;
  bool isGrouped = false;
  unsigned numLaunchLevels = 0;
  unsigned gridLevel = SLUICE_NO_INDEX;
  unsigned numLocals = 0;
  unsigned numGridDims = 0;
  unsigned numPhases = 0;
  uint32_t privateBytes = 0;
  /// Host functions in the program's module, internal; null as in the plan.
  llvm::Function *group = nullptr;
  llvm::Function *touch = nullptr;
};

struct DeviceImage {
  SluiceDeviceFormat format;
  std::string target; ///< PTX: the chip
  std::string code;
};

/// The device side of a program: one entry per model and node.
struct DeviceProgram {
  std::vector<std::vector<DeviceNode>> nodes;
  std::vector<DeviceImage> images;
  std::string hash;
  /// LLVM IR as text, if the options ask for it.
  std::string neutral;
};

/// Makes device kernels of all nodes whose target is GPU or CPU_OR_GPU. The
/// host functions that kernels need are added to `module`, which holds the leaf
/// code. Kernels that a back end refuses are left out, with their problem.
llvm::Expected<DeviceProgram>
emitDeviceProgram(llvm::Module &module, llvm::ArrayRef<PlanModel> models,
                  const DeviceOptions &options);

/// Adds functions to `module` that tell which bytes rows of a node touch, and
/// notes them in the models: for the nodes that may run row by row and use
/// memory of which only a window need be there. Where that cannot be told,
/// nothing is noted. The nodes run on the host; what they touch is found in the
/// form that kernels for devices have.
void addRowTouches(llvm::Module &module,
                   llvm::MutableArrayRef<PlanModel> models,
                   bool fusesMultiplyAdd);

/// Finds how several processes may share the nodes, in the same way, and notes
/// that in the models, with a reason where they may not. Adds functions to
/// `module`.
void addShares(llvm::Module &module, llvm::MutableArrayRef<PlanModel> models,
               bool fusesMultiplyAdd);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_DEVICE_H
