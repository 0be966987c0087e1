//===- PythonKernels.cpp - Functions in Python behind tasks -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resolve.h"

using namespace sluice;
using namespace sluice::driver;

bool driver::resolvePythonKernels(Resolution &resolution) {
  bool isGood = true;
  for (dfg::TaskOp task : resolution.order.tasks) {
    if (task.getKind() != dfg::TaskKind::Python &&
        task.getKind() != dfg::TaskKind::Fem)
      continue;
    task.emitError("kernels of Python are not available in this build");
    isGood = false;
  }
  return isGood;
}
