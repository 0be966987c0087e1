//===- EmitImages.cpp - Images of a neutral module ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of the back ends: the requested formats, and the available
// programs that make them.
//
//===----------------------------------------------------------------------===//

#include "BackEndProcess.h"
#include "DeviceTarget.h"
#include "Lowering/DeviceFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <thread>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// The file that back ends read; requires the programs they need.
static Expected<NeutralFile> prepare(const Module &neutral,
                                     const DeviceCodeOptions &options) {
  if (!sys::fs::can_execute(options.worker))
    return createStringError("cannot run '" + options.worker +
                             "', which makes code for devices");
  return NeutralFile::write(neutral);
}

Expected<std::vector<DeviceImage>>
codegen::emitSPIRV(const Module &neutral, const DeviceCodeOptions &options,
                   std::vector<KernelProblem> &problems) {
  Expected<NeutralFile> file = prepare(neutral, options);
  if (!file)
    return file.takeError();
  return makeSPIRV(*file, options, problems);
}

Expected<std::vector<DeviceImage>>
codegen::emitPTX(const Module &neutral, const DeviceCodeOptions &options,
                 std::vector<KernelProblem> &problems) {
  Expected<NeutralFile> file = prepare(neutral, options);
  if (!file)
    return file.takeError();
  return makePTX(*file, options, problems);
}

Expected<std::vector<DeviceImage>>
codegen::emitImages(const Module &neutral, const DeviceCodeOptions &options,
                    std::vector<KernelProblem> &problems) {
  Expected<NeutralFile> file = prepare(neutral, options);
  if (!file)
    return file.takeError();
  std::vector<DeviceImage> images, ptx;
  std::vector<KernelProblem> ptxProblems;
  std::thread beside;
  auto makeOther = [&] { ptx = makePTX(*file, options, ptxProblems); };
  if (options.wantsPTX) {
    try {
      beside = std::thread(makeOther);
    } catch (const std::system_error &) {
      makeOther(); // one after the other, then
    }
  }
  if (options.wantsSPIRV)
    images = makeSPIRV(*file, options, problems);
  if (beside.joinable())
    beside.join();
  std::move(ptx.begin(), ptx.end(), std::back_inserter(images));
  append_range(problems, ptxProblems);
  return images;
}

bool codegen::isDeviceFunction(StringRef name) {
  Intrinsic::ID intrinsic = Intrinsic::lookupIntrinsicID(name);
  if (intrinsic != Intrinsic::not_intrinsic)
    return lowering::isDeviceIntrinsic(intrinsic) ||
           lowering::findMathFunction(intrinsic);
  return lowering::findMathFunction(name) != nullptr;
}
