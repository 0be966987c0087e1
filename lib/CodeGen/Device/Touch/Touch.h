//===- Touch.h - What shares of a node's instances touch --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To split a node among devices, the runtime must know which bytes each share
// needs. The program gets a function that tells it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TOUCH_TOUCH_H
#define SLUICE_LIB_CODEGEN_DEVICE_TOUCH_TOUCH_H

#include "sluice/CodeGen/DeviceKernels.h"

namespace sluice::codegen {

/// Facts about a node that processes share, besides the ranges.
struct SharedTouch {
  /// For each range, its parameter, numbered among POINTER parameters, and
  /// the place of an access, "file.c:12:3".
  struct Part {
    unsigned pointer;
    std::string place;
  };
  std::vector<Part> parts;
  /// Memory of parameters that only atomic operations of one kind change;
  /// `argument` is the parameter. It has no ranges.
  std::vector<SluiceAccumulated> accumulated;
  /// See SluicePlanShare::canCompare.
  bool canCompare = true;
};

/// Emits the SluiceDeviceTouch of a node into `module`. `kernel` is the node's
/// optimised kernel, whose parameters `device` lists. Null if it accesses no
/// POINTER parameter within bounds that the host can compute. Memory that is
/// only written counts as read where a part of the range may stay as it is.
/// With `shared`, for kernels that do not guard their items, there are more
/// ranges, which it lists; all memory that is written only in part counts as
/// read, too.
llvm::Function *emitTouch(llvm::Module &module, llvm::Function &kernel,
                          const DeviceNode &device, llvm::StringRef name,
                          SharedTouch *shared = nullptr);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_TOUCH_TOUCH_H
