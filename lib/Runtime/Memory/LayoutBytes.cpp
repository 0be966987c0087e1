//===- LayoutBytes.cpp - The bytes of a Pack layout -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text with Pack and joins the runs of bytes in its normal form.
//
//===----------------------------------------------------------------------===//

#include "LayoutBytes.h"

#include "sluice/Base/Text.h"
#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Form.h"

#include <exception>

using namespace sluice;
using pack::Form;
using pack::FormKind;

namespace {
/// Collects the runs of forms.
class RunList {
public:
  void add(const Form &form, uint64_t origin);
  /// Sorted; adjacent and overlapping runs are joined.
  std::vector<ByteRange> take();

private:
  void addLoops(const Form &form, size_t depth, uint64_t origin);
  void addRun(uint64_t begin, int64_t size) {
    uint64_t end = begin + static_cast<uint64_t>(size);
    if (!runs.empty() && runs.back().end == begin)
      runs.back().end = end;
    else if (size > 0)
      runs.push_back({begin, end});
  }

  std::vector<ByteRange> runs;
};
} // namespace

void RunList::addLoops(const Form &form, size_t depth, uint64_t origin) {
  if (depth == form.dimensions.size())
    return add(*form.children.front(), origin);
  auto [count, stride] = form.dimensions[depth];
  for (int64_t i = 0; i != count; ++i)
    addLoops(form, depth + 1, origin + uint64_t(i) * uint64_t(stride));
}

/// Addresses wrap around, as for pointers.
void RunList::add(const Form &form, uint64_t origin) {
  switch (form.kind) {
  case FormKind::Empty:
  case FormKind::Custom:
    return;
  case FormKind::Block:
    return addRun(origin, form.size);
  case FormKind::Strided:
    return addLoops(form, 0, origin);
  case FormKind::Indexed:
    for (int64_t offset : form.offsets)
      add(*form.children.front(), origin + uint64_t(offset));
    return;
  case FormKind::Runs:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      addRun(origin + uint64_t(form.offsets[i]), form.lengths[i]);
    return;
  case FormKind::Sequence:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      add(*form.children[i], origin + uint64_t(form.offsets[i]));
    return;
  }
}

std::vector<ByteRange> RunList::take() {
  std::sort(runs.begin(), runs.end(),
            [](auto &a, auto &b) { return a.begin < b.begin; });
  std::vector<ByteRange> joined;
  for (const ByteRange &run : runs)
    if (!joined.empty() && run.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, run.end);
    else
      joined.push_back(run);
  return joined;
}

Result<std::vector<ByteRange>>
sluice::addressesOf(const void *base, const std::string &text, int64_t count) {
  if (count < 0)
    return Status::invalidArgument(
        concat("there cannot be ", count, " instances of a layout"));
  try {
    auto types = farc::parseDatatypes(text);
    if (types.size() != 1)
      return Status::invalidArgument(
          concat("expected one layout, but the text names ", types.size()));
    pack::Layout layout = farc::layoutOf(*types.front());
    RunList runs;
    for (int64_t i = 0; i < count; ++i)
      runs.add(*layout.form, reinterpret_cast<uint64_t>(base) +
                                 uint64_t(i) * uint64_t(layout.extent) +
                                 uint64_t(layout.offset));
    return runs.take();
  } catch (const std::exception &error) {
    return Status::invalidArgument(
        concat("the layout ", quoted(text), " cannot be used: ", error.what()));
  }
}
