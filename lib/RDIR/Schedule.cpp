//===- Schedule.cpp - What may run at the same time -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's step is one more than the last step of those it waits for.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/Order.h"

#include <algorithm>

using namespace sluice::rdir;

Schedule sluice::rdir::schedule(const TaskOrder &order) {
  Schedule result;
  result.steps.resize(order.tasks.size());
  std::vector<uint32_t> tasksInStep;
  for (size_t i = 0; i < order.tasks.size(); ++i) {
    uint32_t step = 0;
    for (uint32_t j = order.predecessorBegin[i];
         j < order.predecessorBegin[i + 1]; ++j)
      step = std::max(step, result.steps[order.predecessors[j]] + 1);
    result.steps[i] = step;
    if (step == tasksInStep.size())
      tasksInStep.push_back(0);
    result.width = std::max(result.width, ++tasksInStep[step]);
  }
  result.criticalPath = tasksInStep.size();
  return result;
}
