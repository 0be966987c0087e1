//===- LeafPlugin.cpp - The passes over leaves, for LLVM's opt ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With this plugin, LLVM's opt runs passes over leaves one at a time:
//
//   opt -load-pass-plugin=libSluiceLeafPasses.so -passes=sluice-jam-loops x.ll
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/LeafPasses.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "SluiceLeafPasses", LLVM_VERSION_STRING,
          sluice::codegen::registerLeafPasses};
}
