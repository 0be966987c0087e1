//===- DeviceKernels.h - Device kernels of a program ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves with a device target become kernels of one module per program, in the
// formats that devices support. A leaf that a device cannot run is reported
// with its place and runs on the host.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_DEVICEKERNELS_H
#define SLUICE_CODEGEN_DEVICEKERNELS_H

#include "sluice/CodeGen/PlanModel.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice::codegen {

struct DeviceCodeOptions {
  /// Generate SPIR-V (and SPIR from it, if `translator` is set) and PTX.
  bool wantsSPIRV = true, wantsPTX = true;
  /// The oldest chip that the PTX supports.
  std::string chip = "sm_75";
  /// CUDA's math library in bitcode; empty: Sluice's own functions.
  std::string libdevice;
  /// llvm-spirv of LLVM 15, run as a child process; empty: no SPIR.
  std::string translator;
  /// sluice-device-codegen, the program that runs LLVM's back ends, which abort
  /// on unknown input.
  std::string worker;
  unsigned optimizationLevel = 3;
  /// Compute `a * b + c` with one rounding where the language allows it, like
  /// the host's code (see fusesMultiplyAdd), so that results are equal.
  bool fusesMultiplyAdd = true;
  /// Keep the kernels from before any back end as DeviceProgram::neutral.
  bool keepsNeutral = false;
  /// Kernels check whether an item has an instance. Kernels that only serve to
  /// find touched ranges never run and need no check.
  bool guardsItems = true;
  /// Nodes that reduce and scan run in chunks with copies. Otherwise a kernel
  /// runs only one of their instances and omits its reductions.
  bool runsChunks = true;
  /// Accept structures of any size by value; for kernels that never run.
  bool mayBeLarge = false;
};

/// A parameter of a kernel.
struct DeviceParameter : SluiceDeviceParameter {
  DeviceParameter() : SluiceDeviceParameter() {
    argument = SLUICE_NO_INDEX;
    sizeOffset = SLUICE_NO_OFFSET;
  }
  /// The dataset that `memory` will point to.
  llvm::GlobalVariable *dataset = nullptr;
};

/// A format that lacks a kernel, and the reason.
struct DeviceLack {
  SluiceDeviceFormat format;
  std::string problem;
};

/// How one node runs on a device: the content of its SluicePlanDeviceKernel.
struct DeviceNode {
  std::string entry; ///< empty: only on the host
  /// The reason with its place, if the target asks for a device.
  std::string problem;
  /// If only some formats have the kernel: the formats without it.
  std::vector<DeviceLack> lacks;
  std::vector<DeviceParameter> parameters;
  std::vector<SluiceDeviceForward> forwards;
  /// With DeviceCodeOptions::runsChunks off: arguments of the graph into which
  /// the node reduces, SLUICE_NO_INDEX for memory that is not an argument.
  std::vector<uint32_t> reduced;
  bool isGrouped = false;
  unsigned numLaunchLevels = 0;
  unsigned gridLevel = SLUICE_NO_INDEX;
  unsigned numLocals = 0;
  unsigned numGridDims = 0;
  unsigned numPhases = 0;
  uint32_t privateBytes = 0;
  /// Internal host functions in the program's module; null as in the plan.
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

/// Makes device kernels of all nodes with target GPU or CPU_OR_GPU. The host
/// functions that the kernels need are added to `module`, which contains the
/// leaf code. Kernels that a back end refuses are left out, with their problem.
llvm::Expected<DeviceProgram>
emitDeviceProgram(llvm::Module &module, llvm::ArrayRef<PlanModel> models,
                  const DeviceCodeOptions &options);

/// Adds functions to `module` that compute which bytes rows of a node access,
/// and records the functions in the models. Does so for nodes that may run row
/// by row and use memory of which only a window needs to exist; records nothing
/// if the bytes are unknown. The nodes run on the host; the analysis uses the
/// form that device kernels have.
void addRowTouches(llvm::Module &module,
                   llvm::MutableArrayRef<PlanModel> models,
                   bool fusesMultiplyAdd);

/// Finds in the same way how several processes may share the nodes, and records
/// the result in the models, with a reason if they may not. Adds functions to
/// `module`.
void addShares(llvm::Module &module, llvm::MutableArrayRef<PlanModel> models,
               bool fusesMultiplyAdd);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_DEVICEKERNELS_H
