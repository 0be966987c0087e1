//===- SelfOverlap.cpp - Whether a layout uses a byte twice ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops are disjoint if, from the shortest stride to the longest, each stride
// exceeds the span of the inner loops. Lists are sorted.
//
//===----------------------------------------------------------------------===//

#include "SelfOverlap.h"

#include "CheckedArithmetic.h"

#include <algorithm>

using namespace sluice::pack;

namespace {

/// Bytes between the two bounds.
struct ByteInterval {
  int64_t low, high;
};

} // namespace

static uint64_t magnitude(int64_t number) {
  return number < 0 ? 0 - uint64_t(number) : uint64_t(number);
}

/// Whether loops over parts of `span` bytes keep these disjoint.
static bool areLoopsDisjoint(std::vector<Dimension> loops, uint64_t span) {
  std::sort(loops.begin(), loops.end(),
            [](const Dimension &a, const Dimension &b) {
              return magnitude(a.stride) < magnitude(b.stride);
            });
  for (auto [count, stride] : loops) {
    uint64_t distance;
    if (magnitude(stride) < span ||
        __builtin_mul_overflow(magnitude(stride), uint64_t(count - 1),
                               &distance) ||
        __builtin_add_overflow(span, distance, &span))
      return false;
  }
  return true;
}

static bool areDisjoint(std::vector<ByteInterval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const ByteInterval &a, const ByteInterval &b) {
              return a.low < b.low;
            });
  for (size_t i = 1; i < intervals.size(); ++i)
    if (intervals[i].low < intervals[i - 1].high)
      return false;
  return true;
}

static uint64_t spanOf(const Form &form) {
  return uint64_t(form.high) - uint64_t(form.low);
}

bool sluice::pack::isDisjoint(const Form &form) {
  for (const FormRef &child : form.children)
    if (!isDisjoint(*child))
      return false;
  switch (form.kind) {
  case FormKind::Empty:
  case FormKind::Block:
    return true;
  case FormKind::Custom:
    return false;
  case FormKind::Strided:
    return areLoopsDisjoint(form.dimensions, spanOf(*form.children.front()));
  case FormKind::Indexed:
  case FormKind::Runs:
  case FormKind::Sequence:
    break;
  }
  std::vector<ByteInterval> intervals(form.offsets.size());
  for (size_t i = 0; i != intervals.size(); ++i) {
    int64_t low = 0, high = 0;
    if (form.kind == FormKind::Runs) {
      high = form.lengths[i];
    } else {
      const Form &child =
          *form.children[form.kind == FormKind::Indexed ? 0 : i];
      low = child.low;
      high = child.high;
    }
    intervals[i] = {form.offsets[i] + low, form.offsets[i] + high};
  }
  return areDisjoint(std::move(intervals));
}

bool sluice::pack::areInstancesDisjoint(const Layout &layout, int64_t count) {
  const Form &form = *layout.form;
  if (count <= 1 || magnitude(layout.extent) >= spanOf(form))
    return true;
  if (form.kind != FormKind::Strided)
    return false;
  std::vector<Dimension> loops = form.dimensions;
  loops.push_back({count, layout.extent});
  return areLoopsDisjoint(std::move(loops), spanOf(*form.children.front()));
}
