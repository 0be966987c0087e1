//===- FormSequence.cpp - Chaining forms ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs and indexed types with blocks of different lengths become sequences
// of parts. Most are not sequences in truth: small parts are runs of bytes,
// equal ones a list of places.
//
//===----------------------------------------------------------------------===//

#include "FormBuilding.h"

using namespace sluice::pack;

namespace {

/// The parts of a sequence while it is put together.
class SequenceBuilder {
public:
  void append(const FormRef &form, int64_t offset);
  PlacedForm finish();

private:
  void closeRuns();
  void push(const FormRef &form, int64_t offset);

  std::vector<Run> runs;
  std::vector<int64_t> offsets;
  std::vector<FormRef> children;
};

} // namespace

void SequenceBuilder::push(const FormRef &form, int64_t offset) {
  offsets.push_back(offset);
  children.push_back(form);
}

void SequenceBuilder::closeRuns() {
  if (runs.empty())
    return;
  PlacedForm list = simplifyRuns(std::move(runs));
  runs.clear();
  push(list.form, list.offset);
}

void SequenceBuilder::append(const FormRef &form, int64_t offset) {
  if (form->kind == FormKind::Empty)
    return;
  if (form->kind == FormKind::Sequence) {
    for (size_t i = 0; i != form->children.size(); ++i)
      append(form->children[i], checkedAdd(offset, form->offsets[i]));
    return;
  }
  if (!isListOfRuns(*form)) {
    closeRuns();
    return push(form, offset);
  }
  checkedAdd(offset, form->low);
  checkedAdd(offset, form->high);
  forEachRun(*form, offset, [&](int64_t place, int64_t length) {
    runs.push_back({place, length});
  });
}

static bool areEqual(const std::vector<FormRef> &forms) {
  for (const FormRef &form : forms)
    if (!(*form == *forms.front()))
      return false;
  return true;
}

PlacedForm SequenceBuilder::finish() {
  closeRuns();
  if (children.empty())
    return {0, emptyForm()};
  if (areEqual(children))
    return placeAt({0, children.front()}, offsets);
  int64_t first = offsets.front();
  for (int64_t &offset : offsets)
    offset = checkedSubtract(offset, first);
  return {first, makeSequence(std::move(offsets), std::move(children))};
}

PlacedForm sluice::pack::sequence(std::span<const PlacedForm> parts) {
  int64_t runCount = 0;
  bool canExpand = true;
  for (const PlacedForm &part : parts) {
    runCount = saturatingAdd(runCount, part.form->runs);
    canExpand &= !part.form->hasCustom;
  }
  if (canExpand && runCount <= expansionLimit) {
    std::vector<Run> runs;
    runs.reserve(size_t(runCount));
    for (const PlacedForm &part : parts) {
      checkedAdd(part.offset, part.form->low);
      checkedAdd(part.offset, part.form->high);
      forEachRun(*part.form, part.offset, [&](int64_t place, int64_t length) {
        runs.push_back({place, length});
      });
    }
    return simplifyRuns(std::move(runs));
  }
  SequenceBuilder builder;
  for (const PlacedForm &part : parts)
    builder.append(part.form, part.offset);
  return builder.finish();
}
