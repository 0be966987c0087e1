//===- FormBuilding.h - Parts of the algebra of forms ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of the files of the algebra: nodes with their derived
// properties, lists of runs, and the simplification of lists.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_FORM_FORMBUILDING_H
#define SLUICE_LIB_PACK_FORM_FORMBUILDING_H

#include "CheckedArithmetic.h"
#include "sluice/Pack/Form.h"

namespace sluice::pack {

/// Consecutive bytes.
struct ByteRun {
  int64_t offset;
  int64_t length;
  bool operator==(const ByteRun &) const = default;
};

/// Forms with at most this many runs are expanded if that allows joining
/// neighbours and makes forms equal that copy the same bytes in the same order.
inline constexpr int64_t expansionLimit = 64;
/// Nested lists become one list up to this length.
inline constexpr int64_t flatteningLimit = 4096;

// Nodes as requested, without simplification, with derived properties. Lists
// begin with offset 0.

FormRef makeStrided(std::vector<Dimension> dimensions, FormRef child);
FormRef makeIndexed(std::vector<int64_t> offsets, FormRef child);
FormRef makeRuns(std::span<const ByteRun> runs);
FormRef makeSequence(std::vector<int64_t> offsets,
                     std::vector<FormRef> children);

/// Throws farc::Error for more than `MaximumParts`.
void checkParts(int64_t parts);

/// The form of `child` (which is not empty) at each of `offsets`: finds equal
/// distances and repeated patterns. Modifies `offsets`.
PlacedForm simplifyPlaces(FormRef child, std::vector<int64_t> offsets);
/// The form of a list of runs with adjacent ones not yet joined. Modifies
/// `runs`.
PlacedForm simplifyRuns(std::vector<ByteRun> runs);

/// Whether the form can be expanded to a few runs.
inline bool isSmall(const Form &form) {
  return form.runs <= expansionLimit && !form.hasCustom;
}

/// Whether the form is a plain list of runs.
inline bool isListOfRuns(const Form &form) {
  return form.kind == FormKind::Block || form.kind == FormKind::Runs ||
         (form.kind == FormKind::Indexed &&
          form.children.front()->kind == FormKind::Block);
}

/// Calls `visit(offset, length)` for each run in pack order.
template <typename Visitor>
void forEachRun(const Form &form, int64_t origin, Visitor &&visit);

namespace detail {

template <typename Visitor>
void forEachRunOfLoops(const Form &form, size_t depth, int64_t origin,
                       Visitor &visit) {
  if (depth == form.dimensions.size())
    return forEachRun(*form.children.front(), origin, visit);
  auto [count, stride] = form.dimensions[depth];
  for (int64_t i = 0; i != count; ++i)
    forEachRunOfLoops(form, depth + 1, origin + i * stride, visit);
}

} // namespace detail

template <typename Visitor>
void forEachRun(const Form &form, int64_t origin, Visitor &&visit) {
  switch (form.kind) {
  case FormKind::Empty:
  case FormKind::Custom:
    return;
  case FormKind::Block:
    return visit(origin, form.size);
  case FormKind::Strided:
    return detail::forEachRunOfLoops(form, 0, origin, visit);
  case FormKind::Indexed:
    for (int64_t offset : form.offsets)
      forEachRun(*form.children.front(), origin + offset, visit);
    return;
  case FormKind::Runs:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      visit(origin + form.offsets[i], form.lengths[i]);
    return;
  case FormKind::Sequence:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      forEachRun(*form.children[i], origin + form.offsets[i], visit);
    return;
  }
}

/// Throws farc::Error if an offset exceeds 64 bits.
inline void appendRuns(std::vector<ByteRun> &runs, const Form &form,
                       int64_t origin) {
  checkedAdd(origin, form.low);
  checkedAdd(origin, form.high);
  forEachRun(form, origin, [&](int64_t offset, int64_t length) {
    runs.push_back({offset, length});
  });
}

/// The maximum length of a list that is searched for a period.
inline constexpr size_t maxSearchedList = size_t(1) << 31;

/// The smallest divisor `p` of `count` such that position `i + p` continues
/// like position `i`, for all `i`. `sameStep(i, j)` compares the steps that
/// lead to positions `i` and `j`, both at least 1. Lists of fewer than four
/// have no period here, since equal distances and lengths are found earlier.
/// Knuth, Morris and Pratt's failure function yields the smallest period of the
/// steps; all its multiples are periods, too.
template <typename SameStep> size_t periodOf(size_t count, SameStep sameStep) {
  if (count < 4 || count > maxSearchedList)
    return count;
  size_t steps = count - 1;
  std::vector<uint32_t> border(steps + 1, 0);
  for (size_t i = 2; i <= steps; ++i) {
    size_t match = border[i - 1];
    while (match != 0 && !sameStep(i, match + 1))
      match = border[match];
    border[i] = uint32_t(sameStep(i, match + 1) ? match + 1 : 0);
  }
  size_t smallest = steps - border[steps];
  for (size_t period = smallest; period <= count / 2; period += smallest)
    if (count % period == 0)
      return period;
  return count;
}

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_FORM_FORMBUILDING_H
