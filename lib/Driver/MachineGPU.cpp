//===- MachineGPU.cpp - The GPU that programs will find here --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A separate file, since only tools that contain the runtime can look for
// devices.
//
//===----------------------------------------------------------------------===//

#include "sluice/Device/Device.h"
#include "sluice/Driver/Build.h"
#include "llvm/Support/FileSystem.h"

using namespace sluice;

std::string driver::chipOfMachine() {
  // Opening the vendors' libraries takes longer than most compilations.
  if (!llvm::sys::fs::exists("/dev/nvidiactl"))
    return "";
  for (const device::Found &found : device::findDevices())
    if (found.properties.kind == device::Kind::CUDA && found.problem.empty())
      return found.properties.target;
  return "";
}
