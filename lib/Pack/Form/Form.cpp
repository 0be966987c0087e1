//===- Form.cpp - Nodes of normal forms -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes single nodes and derives their properties. FormAlgebra.cpp and
// FormLists.cpp simplify them.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Form.h"

#include "FormBuilding.h"
#include "sluice/Pack/Datatype.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>

using namespace sluice::pack;

[[noreturn]] static void throwOverflow(int64_t a, const char *operation,
                                       int64_t b) {
  throw farc::Error(farc::Error::OVERFLOW_64,
                    "layout too large: " + std::to_string(a) + operation +
                        std::to_string(b) + " exceeds 64 bits");
}

void sluice::pack::throwSumOverflow(int64_t a, int64_t b) {
  throwOverflow(a, " + ", b);
}

void sluice::pack::throwDifferenceOverflow(int64_t a, int64_t b) {
  throwOverflow(a, " - ", b);
}

void sluice::pack::throwProductOverflow(int64_t a, int64_t b) {
  throwOverflow(a, " x ", b);
}

bool Form::operator==(const Form &other) const {
  if (this == &other)
    return true;
  if (kind != other.kind || size != other.size || low != other.low ||
      high != other.high || dimensions != other.dimensions ||
      offsets != other.offsets || lengths != other.lengths ||
      custom != other.custom || children.size() != other.children.size())
    return false;
  for (size_t i = 0; i != children.size(); ++i)
    if (!(*children[i] == *other.children[i]))
      return false;
  return true;
}

bool Layout::operator==(const Layout &other) const {
  return offset == other.offset && extent == other.extent &&
         *form == *other.form;
}

FormRef sluice::pack::emptyForm() {
  // Never destroyed, like all permanent objects here: destructors of a
  // program's static objects may still describe and pack data.
  static const FormRef &empty = *new FormRef(std::make_shared<Form>());
  return empty;
}

static FormRef makeBlock(int64_t size) {
  auto form = std::make_shared<Form>();
  form->kind = FormKind::Block;
  form->size = form->high = form->tail = size;
  form->runs = 1;
  return form;
}

FormRef sluice::pack::blockForm(int64_t size) {
  if (size < 0)
    throw farc::Error(farc::Error::ARGUMENT,
                      "a block cannot have " + std::to_string(size) + " bytes");
  if (size == 0)
    return emptyForm();
  using SmallBlocks = std::array<FormRef, 33>;
  static const SmallBlocks &small = *[] {
    auto *blocks = new SmallBlocks;
    for (size_t i = 1; i != blocks->size(); ++i)
      (*blocks)[i] = makeBlock(int64_t(i));
    return blocks;
  }();
  return size_t(size) < small.size() ? small[size_t(size)] : makeBlock(size);
}

FormRef sluice::pack::customForm(std::shared_ptr<const farc::Datatype> type,
                                 int64_t size, int64_t low, int64_t high) {
  auto form = std::make_shared<Form>();
  form->kind = FormKind::Custom;
  form->size = size;
  form->low = low;
  form->high = form->tail = high;
  form->runs = 1;
  form->hasCustom = true;
  form->custom = std::move(type);
  static std::atomic<uint64_t> serial = 0;
  form->customSerial = ++serial;
  return form;
}

/// Extends the bounds of `form` by those of `child` at each of `offsets`, and
/// adds up sizes and runs.
static void placeChild(Form &form, const Form &child, int64_t lowest,
                       int64_t highest, int64_t count) {
  form.size = checkedAdd(form.size, checkedMultiply(child.size, count));
  form.low = std::min(form.low, checkedAdd(lowest, child.low));
  form.high = std::max(form.high, checkedAdd(highest, child.high));
  form.runs = saturatingAdd(form.runs, saturatingMultiply(child.runs, count));
  form.hasCustom |= child.hasCustom;
}

void sluice::pack::checkParts(int64_t parts) {
  if (parts > MaximumParts)
    throw farc::Error(farc::Error::OVERFLOW_64,
                      "layout too large: it has more than " +
                          std::to_string(MaximumParts) + " parts");
}

FormRef sluice::pack::makeStrided(std::vector<Dimension> dimensions,
                                  FormRef child) {
  auto form = std::make_shared<Form>();
  form->kind = FormKind::Strided;
  form->low = INT64_MAX;
  form->high = INT64_MIN;
  int64_t lowest = 0, highest = 0, count = 1;
  for (auto [times, stride] : dimensions) {
    int64_t span = checkedMultiply(times - 1, stride);
    (span < 0 ? lowest : highest) =
        checkedAdd(span < 0 ? lowest : highest, span);
    count = checkedMultiply(count, times);
  }
  placeChild(*form, *child, lowest, highest, count);
  form->tail = checkedAdd(checkedAdd(lowest, highest), child->tail);
  form->parts = child->parts + 1;
  form->dimensions = std::move(dimensions);
  form->children.push_back(std::move(child));
  return form;
}

FormRef sluice::pack::makeIndexed(std::vector<int64_t> offsets, FormRef child) {
  assert(offsets.front() == 0 && "a list begins at its origin");
  auto form = std::make_shared<Form>();
  form->kind = FormKind::Indexed;
  form->low = INT64_MAX;
  form->high = INT64_MIN;
  auto [lowest, highest] = std::minmax_element(offsets.begin(), offsets.end());
  placeChild(*form, *child, *lowest, *highest, int64_t(offsets.size()));
  form->tail = checkedAdd(offsets.back(), child->tail);
  form->parts = child->kind == FormKind::Block ? 0 : child->parts + 1;
  form->offsets = std::move(offsets);
  form->children.push_back(std::move(child));
  return form;
}

FormRef sluice::pack::makeRuns(std::span<const ByteRun> runs) {
  assert(runs.front().offset == 0 && "a list begins at its origin");
  auto form = std::make_shared<Form>();
  form->kind = FormKind::Runs;
  form->offsets.reserve(runs.size());
  form->lengths.reserve(runs.size());
  form->positions.reserve(runs.size());
  for (auto [offset, length] : runs) {
    form->offsets.push_back(offset);
    form->lengths.push_back(length);
    form->positions.push_back(form->size);
    form->size = checkedAdd(form->size, length);
    form->low = std::min(form->low, offset);
    form->tail = checkedAdd(offset, length);
    form->high = std::max(form->high, form->tail);
  }
  form->runs = int64_t(runs.size());
  return form;
}

FormRef sluice::pack::makeSequence(std::vector<int64_t> offsets,
                                   std::vector<FormRef> children) {
  assert(offsets.size() == children.size() && "each child has a place");
  auto form = std::make_shared<Form>();
  form->kind = FormKind::Sequence;
  form->low = INT64_MAX;
  form->high = INT64_MIN;
  form->positions.reserve(offsets.size());
  for (size_t i = 0; i != offsets.size(); ++i) {
    form->positions.push_back(form->size);
    placeChild(*form, *children[i], offsets[i], offsets[i], 1);
    form->parts = saturatingAdd(form->parts, children[i]->parts + 1);
  }
  checkParts(form->parts);
  form->tail = checkedAdd(offsets.back(), children.back()->tail);
  form->offsets = std::move(offsets);
  form->children = std::move(children);
  return form;
}
