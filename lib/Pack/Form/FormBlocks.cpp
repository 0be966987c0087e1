//===- FormBlocks.cpp - Lists of runs as lists of equal blocks ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The normal form joins adjacent bytes. If a program lists thousands of equal
// blocks, some are adjacent by chance. The few resulting longer runs make a
// list of different lengths, which is copied at a third of the speed of equal
// blocks. For kernels this file reverses the joining.
//
//===----------------------------------------------------------------------===//

#include "FormBuilding.h"

#include <numeric>

using namespace sluice::pack;

namespace {

/// Consecutive entries of a list of runs whose lengths are multiples of
/// `block`.
struct FormStretch {
  size_t begin, end;
  int64_t block;
  int64_t bytes;

  int64_t blocks() const { return bytes / block; }
  int64_t runs() const { return int64_t(end - begin); }
};

} // namespace

/// Shorter lists do not matter; shorter stretches are not worth a loop.
static constexpr size_t shortestList = 256;
static constexpr int64_t shortestStretch = 128;

/// Whether cutting adds only a few entries.
static bool isWorthCutting(const FormStretch &stretch) {
  return stretch.blocks() <= stretch.runs() + stretch.runs() / 4 + 4;
}

/// Extends each stretch as long as its blocks do not become too small.
static std::vector<FormStretch> findStretches(const Form &list) {
  std::vector<FormStretch> stretches;
  for (size_t i = 0; i != list.lengths.size(); ++i) {
    int64_t length = list.lengths[i];
    if (!stretches.empty()) {
      FormStretch longer = stretches.back();
      longer.end = i + 1;
      longer.block = std::gcd(longer.block, length);
      longer.bytes += length;
      if (isWorthCutting(longer)) {
        stretches.back() = longer;
        continue;
      }
    }
    stretches.push_back({i, i + 1, length, length});
  }
  return stretches;
}

/// Stretches that are too short are joined to their neighbours as runs: `block`
/// is 0.
static std::vector<FormStretch>
joinShort(const std::vector<FormStretch> &stretches) {
  std::vector<FormStretch> joined;
  for (FormStretch stretch : stretches) {
    if (stretch.blocks() < shortestStretch)
      stretch.block = 0;
    if (!joined.empty() && stretch.block == 0 && joined.back().block == 0) {
      joined.back().end = stretch.end;
      joined.back().bytes += stretch.bytes;
    } else {
      joined.push_back(stretch);
    }
  }
  return joined;
}

/// Most runs must be in stretches of equal blocks, and there must be few
/// stretches.
static bool areUseful(const std::vector<FormStretch> &stretches, size_t runs) {
  size_t covered = 0;
  for (const FormStretch &stretch : stretches)
    covered += stretch.block != 0 ? stretch.end - stretch.begin : 0;
  return covered >= runs - runs / 4 && stretches.size() <= 1 + runs / 256;
}

static PlacedForm formOf(const Form &list, const FormStretch &stretch) {
  std::vector<ByteRun> runs;
  std::vector<int64_t> offsets;
  for (size_t i = stretch.begin; i != stretch.end; ++i) {
    runs.push_back({list.offsets[i], list.lengths[i]});
    if (stretch.block != 0)
      for (int64_t at = 0; at != list.lengths[i]; at += stretch.block)
        offsets.push_back(list.offsets[i] + at);
  }
  if (stretch.block == 0)
    return simplifyRuns(std::move(runs));
  return simplifyPlaces(blockForm(stretch.block), std::move(offsets));
}

/// Adds a part; adds those of a sequence one by one.
static void addPart(PlacedForm part, std::vector<int64_t> &offsets,
                    std::vector<FormRef> &children) {
  if (part.form->kind != FormKind::Sequence) {
    offsets.push_back(part.offset);
    children.push_back(std::move(part.form));
    return;
  }
  for (size_t i = 0; i != part.form->offsets.size(); ++i) {
    offsets.push_back(part.offset + part.form->offsets[i]);
    children.push_back(part.form->children[i]);
  }
}

static FormRef cutRuns(const FormRef &form) {
  if (form->lengths.size() < shortestList)
    return form;
  std::vector<FormStretch> stretches = joinShort(findStretches(*form));
  if (!areUseful(stretches, form->lengths.size()))
    return form;
  std::vector<int64_t> offsets;
  std::vector<FormRef> children;
  for (const FormStretch &stretch : stretches)
    addPart(formOf(*form, stretch), offsets, children);
  if (children.size() == 1)
    return children.front();
  return makeSequence(std::move(offsets), std::move(children));
}

static FormRef cutSequence(const FormRef &form) {
  std::vector<int64_t> offsets;
  std::vector<FormRef> children;
  bool isChanged = false;
  for (size_t i = 0; i != form->children.size(); ++i) {
    FormRef child = cutIntoEqualBlocks(form->children[i]);
    isChanged |= child != form->children[i];
    addPart({form->offsets[i], std::move(child)}, offsets, children);
  }
  if (!isChanged)
    return form;
  return makeSequence(std::move(offsets), std::move(children));
}

FormRef sluice::pack::cutIntoEqualBlocks(const FormRef &form) {
  switch (form->kind) {
  case FormKind::Runs:
    return cutRuns(form);
  case FormKind::Sequence:
    return cutSequence(form);
  case FormKind::Strided:
  case FormKind::Indexed: {
    FormRef child = cutIntoEqualBlocks(form->children.front());
    // Nested loops are one loop for kernels; such children stay unchanged.
    if (child == form->children.front() || child->kind == FormKind::Strided)
      return form;
    return form->kind == FormKind::Strided
               ? makeStrided(form->dimensions, child)
               : makeIndexed(form->offsets, child);
  }
  default:
    return form;
  }
}
