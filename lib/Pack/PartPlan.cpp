//===- PartPlan.cpp - Copying parts of one instance fast ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the kernels of a plan.
//
//===----------------------------------------------------------------------===//

#include "PartPlan.h"

#include "FormBuilding.h"

using namespace sluice::pack;

/// Children of fewer bytes are copied run by run.
static constexpr int64_t smallestChild = 256;

/// What one iteration of the loop at `level` copies.
static FormRef iterationOf(const Form &form, size_t level) {
  auto inner = form.dimensions.begin() + int64_t(level) + 1;
  if (inner == form.dimensions.end())
    return form.children.front();
  return makeStrided({inner, form.dimensions.end()}, form.children.front());
}

std::unique_ptr<const PartPlan> PartPlan::of(const Form &form) {
  if (isListOfRuns(form) || form.hasCustom || form.kind == FormKind::Empty)
    return nullptr;
  auto plan = std::make_unique<PartPlan>();
  for (size_t level = 0; level != form.dimensions.size(); ++level)
    plan->kernels.push_back(readyMadeKernel(
        {0, form.dimensions[level].stride, iterationOf(form, level)}));
  for (const FormRef &child : form.children) {
    plan->children.push_back(of(*child));
    if (form.kind != FormKind::Strided)
      plan->kernels.push_back(child->size < smallestChild
                                  ? Kernel()
                                  : readyMadeKernel({0, 0, child}));
  }
  return plan;
}
