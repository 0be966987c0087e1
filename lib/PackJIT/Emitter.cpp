//===- Emitter.cpp - From forms to LLVM IR --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the strategy for each part of a form.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Customs.h"

using namespace llvm;
using namespace sluice::pack;
using namespace sluice::pack::jit;

/// Lists of at most so many runs become a straight line.
static constexpr int64_t maxLine = 512;
/// Patterns of a periodic loop.
static constexpr int64_t patternRuns = 16;
static constexpr int64_t patternBytes = 1024;
/// Inner loops that become a part of the pattern around them.
static constexpr int64_t absorbedBytes = 64;
/// Nests of loops of which one turn is no more than that become one pattern, so
/// that a corner of an array of many dimensions is a straight line.
static constexpr int64_t cornerBytes = 512;
static constexpr int64_t cornerRuns = 40;

void Emitter::emitLayout(const Layout &layout, Value *strided, Value *count,
                         Value *packed) {
  auto *known = dyn_cast<ConstantInt>(count);
  FormLoop loop{count, known ? known->getSExtValue() : -1, layout.extent};
  emitNest({loop}, *layout.form, {offset(strided, layout.offset), packed});
}

/// Joins loops that continue each other, and drops those of one turn.
static void mergeLoops(SmallVectorImpl<FormLoop> &loops, IRBuilder<> &builder) {
  llvm::erase_if(loops, [](const FormLoop &loop) { return loop.known == 1; });
  for (size_t i = loops.size(); i > 1; --i) {
    FormLoop &outer = loops[i - 2], &inner = loops[i - 1];
    if (inner.known < 0 || outer.stride != inner.known * inner.stride)
      continue;
    inner.count = builder.CreateMul(outer.count, inner.count);
    inner.known = outer.known < 0 ? -1 : outer.known * inner.known;
    loops.erase(&outer);
  }
}

void Emitter::emitLoops(ArrayRef<FormLoop> loops, int64_t innerBytes, Cursor at,
                        function_ref<void(Cursor)> body) {
  if (loops.empty())
    return body(at);
  int64_t bytes = innerBytes;
  for (const FormLoop &inner : loops.drop_front())
    bytes *= inner.known;
  emitLoop(loops[0].count, loops[0].stride, bytes, at, [&](Cursor c) {
    emitLoops(loops.drop_front(), innerBytes, c, body);
  });
}

static bool isContiguous(const Pattern &pattern, const FormLoop &loop) {
  return pattern.runs.size() == 1 && loop.stride == pattern.bytes;
}

/// How many of the loops, from the innermost one on, make a small straight
/// line. Where a loop continues its elements, tiles are better.
static size_t countCorner(ArrayRef<FormLoop> loops, const Pattern &pattern) {
  int64_t bytes = pattern.bytes;
  auto runs = static_cast<int64_t>(pattern.runs.size());
  size_t count = 0;
  for (const FormLoop &loop : llvm::reverse(loops)) {
    if (loop.stride == pattern.bytes)
      return 0;
    if (loop.known < 1 || loop.known > cornerRuns / runs ||
        loop.known > cornerBytes / bytes)
      break;
    runs *= loop.known;
    bytes *= loop.known;
    ++count;
  }
  // A single loop has a pattern already.
  return count > 1 ? count : 0;
}

/// Makes small inner loops a part of `pattern`.
static void absorbLoops(SmallVectorImpl<FormLoop> &loops, Pattern &pattern) {
  while (!loops.empty()) {
    const FormLoop &loop = loops.back();
    auto runs = static_cast<int64_t>(pattern.runs.size());
    bool isSmall = loop.known <= absorbedBytes &&
                   loop.known * pattern.bytes <= absorbedBytes &&
                   loop.known * runs <= patternRuns;
    if (loop.known < 0 || !(isSmall || isContiguous(pattern, loop)))
      return;
    if (isContiguous(pattern, loop)) {
      pattern.bytes *= loop.known;
      pattern.runs[0].length = pattern.bytes;
      loops.pop_back();
      continue;
    }
    pattern = pattern.repeated(loop.known, loop.stride);
    loops.pop_back();
  }
}

void Emitter::emitNest(SmallVector<FormLoop, 8> loops, const Form &form,
                       Cursor at) {
  const Form *child = &form;
  while (child->kind == FormKind::Strided) {
    for (const Dimension &dimension : child->dimensions)
      loops.push_back(
          {number(dimension.count), dimension.count, dimension.stride});
    child = child->children[0].get();
  }
  if (child->size == 0 && child->kind != FormKind::Custom)
    return;
  mergeLoops(loops, builder);
  if (child->kind == FormKind::Custom && !loops.empty() &&
      loops.back().stride == child->custom->getExtent()) {
    Value *count = loops.pop_back_val().count;
    auto *known = dyn_cast<ConstantInt>(count);
    int64_t bytes = known ? child->size * known->getSExtValue() : child->size;
    return emitLoops(loops, bytes, at,
                     [&](Cursor c) { emitCustom(*child, count, c); });
  }
  if (countRuns(*child, patternRuns) > patternRuns ||
      child->size > patternBytes)
    return emitLoops(loops, child->size, at,
                     [&](Cursor c) { emitForm(*child, c); });
  Pattern pattern;
  flatten(*child, 0, pattern);
  absorbLoops(loops, pattern);
  for (size_t left = countCorner(loops, pattern); left != 0; --left) {
    FormLoop loop = loops.pop_back_val();
    pattern = pattern.repeated(loop.known, loop.stride);
  }
  if (loops.empty())
    return emitStraightLine(pattern.runs, at);
  if (isContiguous(pattern, loops.back())) {
    Value *count = loops.pop_back_val().count;
    Value *bytes = builder.CreateMul(count, number(pattern.bytes));
    return emitCopyCall(offset(at, pattern.runs[0].offset, 0), bytes);
  }
  if (emitTranspose(loops, pattern, at))
    return;
  FormLoop inner = loops.pop_back_val();
  emitLoops(loops, pattern.bytes * inner.known, at,
            [&](Cursor c) { emitPeriodic(pattern, inner, c); });
}

void Emitter::emitCustom(const Form &form, Value *count, Cursor at) {
  emitCustomCode(*this, *form.custom, count, isPack ? at.strided : at.packed,
                 isPack ? at.packed : at.strided);
}

void Emitter::emitSequence(const Form &form, Cursor at) {
  int64_t packed = 0;
  for (size_t i = 0; i != form.offsets.size(); ++i) {
    const Form &child = *form.children[i];
    emitForm(child, offset(at, form.offsets[i], packed));
    packed += child.size;
  }
}

void Emitter::emitForm(const Form &form, Cursor at) {
  switch (form.kind) {
  case FormKind::Empty:
    return;
  case FormKind::Block:
    return emitRun(0, 0, form.size, at);
  case FormKind::Custom:
    return emitCustom(form, number(1), at);
  case FormKind::Strided:
    return emitNest({}, form, at);
  case FormKind::Indexed:
  case FormKind::Runs:
  case FormKind::Sequence:
    break;
  }
  bool isShort = countRuns(form, maxLine) <= maxLine;
  Pattern pattern;
  if (isShort || form.kind == FormKind::Runs)
    flatten(form, 0, pattern);
  if (isShort)
    return emitStraightLine(pattern.runs, at);
  if (form.kind == FormKind::Runs)
    return emitRunsTable(pattern.runs, at);
  if (form.kind == FormKind::Indexed)
    return emitIndexedTable(form, at);
  emitSequence(form, at);
}
