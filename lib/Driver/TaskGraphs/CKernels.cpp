//===- CKernels.cpp - Functions in C behind tasks -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resolve.h"

using namespace sluice;
using namespace sluice::driver;

bool driver::resolveCKernels(Resolution &resolution) {
  bool isGood = true;
  for (dfg::TaskOp task : resolution.order.tasks) {
    if (task.getKind() != dfg::TaskKind::C)
      continue;
    task.emitError("kernels of C are not available in this build");
    isGood = false;
  }
  return isGood;
}
