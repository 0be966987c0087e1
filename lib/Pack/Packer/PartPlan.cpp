//===- PartPlan.cpp - Copying parts of one instance fast ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the kernels of a plan.
//
//===----------------------------------------------------------------------===//

#include "PartPlan.h"

#include "../Form/FormBuilding.h"

using namespace sluice::pack;

/// Smaller children are copied run by run.
static constexpr int64_t minChild = 256;

/// The form that one iteration of the loop at `level` copies.
static FormRef iterationOf(const Form &form, size_t level) {
  auto inner = form.dimensions.begin() + int64_t(level) + 1;
  if (inner == form.dimensions.end())
    return form.children.front();
  return makeStrided({inner, form.dimensions.end()}, form.children.front());
}

/// The entries [first, first + segment) of a list of runs.
static FormRef segmentOf(const Form &form, size_t first) {
  size_t end = first + size_t(PartPlan::segment);
  if (form.kind == FormKind::Indexed) {
    std::vector<int64_t> offsets;
    for (size_t i = first; i != end; ++i)
      offsets.push_back(form.offsets[i] - form.offsets[first]);
    return makeIndexed(std::move(offsets), form.children.front());
  }
  std::vector<ByteRun> runs;
  for (size_t i = first; i != end; ++i)
    runs.push_back({form.offsets[i] - form.offsets[first], form.lengths[i]});
  return makeRuns(runs);
}

static std::unique_ptr<const PartPlan> planOfRuns(const Form &form,
                                                  const Processor &processor) {
  if (form.offsets.size() < 4 * size_t(PartPlan::segment))
    return nullptr;
  auto plan = std::make_unique<PartPlan>();
  for (size_t first = 0;
       first + size_t(PartPlan::segment) <= form.offsets.size();
       first += size_t(PartPlan::segment))
    plan->kernels.push_back(
        readyMadeKernel({0, 0, segmentOf(form, first)}, processor));
  return plan;
}

std::unique_ptr<const PartPlan> PartPlan::of(const Form &form,
                                             const Processor &processor) {
  if (form.hasCustom || form.kind == FormKind::Empty)
    return nullptr;
  if (isListOfRuns(form))
    return planOfRuns(form, processor);
  auto plan = std::make_unique<PartPlan>();
  for (size_t level = 0; level != form.dimensions.size(); ++level)
    plan->kernels.push_back(readyMadeKernel(
        {0, form.dimensions[level].stride, iterationOf(form, level)},
        processor));
  for (const FormRef &child : form.children) {
    plan->children.push_back(of(*child, processor));
    if (form.kind != FormKind::Strided)
      plan->kernels.push_back(child->size < minChild
                                  ? Kernel()
                                  : readyMadeKernel({0, 0, child}, processor));
  }
  return plan;
}
