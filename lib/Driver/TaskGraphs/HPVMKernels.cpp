//===- HPVMKernels.cpp - Graphs of HPVM behind tasks --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resolve.h"

using namespace sluice;
using namespace sluice::driver;

bool driver::resolveHPVMKernels(Resolution &resolution) {
  bool isGood = true;
  for (dfg::TaskOp task : resolution.order.tasks) {
    if (task.getKind() != dfg::TaskKind::HPVM)
      continue;
    task.emitError("kernels of HPVM are not available in this build");
    isGood = false;
  }
  return isGood;
}
