//===- HintNames.cpp - The numbers of HPVM's targets ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions of HPVM number their targets differently.
//
//===----------------------------------------------------------------------===//

#include "ReadCalls.h"

using namespace sluice;

llvm::StringRef sluice::hintOf(int64_t target, HPVMVersion version) {
  static constexpr llvm::StringRef names0_5[] = {"",
                                                 "hpvm_hint_cpu",
                                                 "hpvm_hint_gpu",
                                                 "hpvm_hint_spir",
                                                 "hpvm_hint_cudnn",
                                                 "hpvm_hint_promise",
                                                 "hpvm_hint_cpu_gpu",
                                                 "hpvm_hint_cpu_spir"};
  static constexpr llvm::StringRef names1_0[] = {"",
                                                 "hpvm_hint_cpu",
                                                 "hpvm_hint_gpu",
                                                 "hpvm_hint_cudnn",
                                                 "hpvm_hint_promise",
                                                 "hpvm_hint_cpu_gpu"};
  // The names that hpvm.h takes from other versions start at 100.
  static constexpr llvm::StringRef beyond0_5[] = {"hpvm_hint_promise"};
  static constexpr llvm::StringRef beyond1_0[] = {
      "hpvm_hint_spir", "hpvm_hint_cpu_spir", "hpvm_hint_promise"};
  bool isOld = version == HPVMVersion::V0_5;
  llvm::ArrayRef<llvm::StringRef> names(names1_0), beyond(beyond1_0);
  if (isOld) {
    names = names0_5;
    beyond = beyond0_5;
  }
  if (target >= 0 && target < int64_t(names.size()))
    return names[target];
  if (target >= 100 && target - 100 < int64_t(beyond.size()))
    return beyond[target - 100];
  return {};
}
