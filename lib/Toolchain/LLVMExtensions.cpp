//===- LLVMExtensions.cpp - What LLVM's archives leave to programs --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debian's LLVM was configured with Polly, which its archives call but do not
// contain. Sluice never asks for Polly's passes, so programs that contain LLVM
// have an extension without passes in its place.
//
//===----------------------------------------------------------------------===//

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no-polly", "", [](llvm::PassBuilder &) {}};
}
