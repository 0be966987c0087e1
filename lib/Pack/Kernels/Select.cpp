//===- Select.cpp - Selecting ops for forms -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of cases: one function per kind of form, the special cases first.
// Each receives the distance of its instances and returns an op for any number
// of them.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "OpProgram.h"
#include "ShufflePlan.h"
#include "Stretches.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_map>

using namespace sluice::pack;
using namespace sluice::pack::kernels;

namespace {

class Selector {
public:
  Selector(OpProgram &program, const Processor &processor, KernelEffort effort)
      : arena(program.arena), processor(processor), effort(effort),
        table(*program.table) {}

  std::string select(OpProgram &program);

private:
  /// `count` instances of an op are one instance of the requested form.
  struct Repeated {
    const Op *op;
    int64_t count;
  };

  const Op *choose(const Form &form, int64_t stride);
  const Op *choosePlain(const Form &form, int64_t stride);
  const Op *shuffled(const Form &form, int64_t stride);
  Repeated chooseRepeated(const Form &form);

  const BlocksOp *blocks(int64_t size, int64_t stride);
  const Op *strided(const Form &form, int64_t stride);
  const Op *rows(const Form &child, Dimension row, int64_t stride);
  const Op *loop(Repeated child, int64_t stride);
  const Op *indexed(const Form &form, int64_t stride);
  const Op *indexedBlocks(const Form &form, int64_t stride);
  const Op *runs(const Form &form, int64_t stride);
  const Op *stretch(const Form &form, size_t begin, size_t end, int64_t unit,
                    int64_t stride);
  const Op *sequence(const Form &form, int64_t stride);

  const void *narrowed(std::span<const int64_t> numbers, bool wide);

  /// The innermost op describes a kernel best.
  void describe(std::string text) {
    if (name.empty())
      name = std::move(text);
  }

  Arena &arena;
  const Processor &processor;
  KernelEffort effort;
  const FunctionTable &table;
  std::string name;
};

} // namespace

const FunctionTable &
sluice::pack::kernels::functionsOf(const Processor &processor) {
#if defined(__x86_64__)
  switch (processor.vectors) {
  case Processor::Vectors::AVX512:
    return avx512Functions;
  case Processor::Vectors::AVX2:
    return avx2Functions;
  case Processor::Vectors::Baseline:
    break;
  }
#endif
  return baselineFunctions;
}

const Op *Selector::choose(const Form &form, int64_t stride) {
  if (const Op *op = shuffled(form, stride))
    return op;
  return choosePlain(form, stride);
}

const Op *Selector::choosePlain(const Form &form, int64_t stride) {
  switch (form.kind) {
  case FormKind::Block:
    return blocks(form.size, stride);
  case FormKind::Strided:
    return strided(form, stride);
  case FormKind::Indexed:
    return indexed(form, stride);
  case FormKind::Runs:
    return runs(form, stride);
  case FormKind::Sequence:
    return sequence(form, stride);
  case FormKind::Empty:
  case FormKind::Custom:
    break;
  }
  assert(false && "forms without bytes and custom forms have no ops");
  return nullptr;
}

/// Loops that are long enough are better shuffled individually.
static bool isPeriodOfShuffles(const Form &form) {
  return form.kind != FormKind::Strided || form.size < 256;
}

static void packFew(const Op &op, const Byte *in, int64_t count, Byte *out,
                    const Limits &limits) {
  const Op &few = *static_cast<const ShuffleOp &>(op).few;
  few.functions.pack(few, in, count, out, limits);
}
static void unpackFew(const Op &op, const Byte *in, int64_t count, Byte *out,
                      const Limits &limits) {
  const Op &few = *static_cast<const ShuffleOp &>(op).few;
  few.functions.unpack(few, in, count, out, limits);
}

/// The fastest of the functions that run a program.
static const ShuffleFunctions &functionsFor(const ShuffleDraft &draft,
                                            const ShuffleTable &table) {
  size_t steps = draft.steps.size();
  int32_t loads = 1;
  for (const ShuffleStep &step : draft.steps)
    loads = std::max(loads, step.loads);
  if (steps == 1 && loads > ShuffleTable::heldLoads)
    return table.oneStep[loads - ShuffleTable::heldLoads - 1];
  if (steps > ShuffleTable::heldSteps || loads > ShuffleTable::heldLoads)
    return table.any;
  return table.held[steps - 1][loads - 1];
}

/// Whether each step stores one whole line.
static bool fillsLines(const ShuffleDraft &draft) {
  return std::all_of(
      draft.steps.begin(), draft.steps.end(), [](const ShuffleStep &step) {
        return step.storeMask == ~uint64_t(0) && step.storeOffset % 64 == 0;
      });
}

/// Shuffles for dense forms, where they are faster; null otherwise.
const Op *Selector::shuffled(const Form &form, int64_t stride) {
  if (processor.vectors != Processor::Vectors::AVX512 ||
      effort == KernelEffort::Quick || stride == form.size ||
      !isPeriodOfShuffles(form))
    return nullptr;
#if defined(__x86_64__)
  const ShuffleTable &shuffles =
      processor.hasVBMI ? vbmiShuffles : wordShuffles;
  ShuffleDraft pack = draftShuffle(form, stride, shuffles.unit, true);
  if (pack.steps.empty())
    return nullptr;
  ShuffleDraft unpack = draftShuffle(form, stride, shuffles.unit, false);
  double limit = 0.9 * costOfRuns(form);
  bool packs = pack.cost < limit;
  bool unpacks = !unpack.steps.empty() && unpack.cost < limit;
  if (!packs && !unpacks)
    return nullptr;
  bool lines = packs && fillsLines(pack);
  describe("shuffles of " + std::to_string(form.size) + " in " +
           std::to_string(stride) + " bytes");
  return arena.make(ShuffleOp{
      {.functions = {packs ? functionsFor(pack, shuffles).functions.pack
                           : packFew,
                     unpacks ? functionsFor(unpack, shuffles).functions.unpack
                             : unpackFew},
       .packStreamed = nullptr,
       .packLines = lines ? functionsFor(pack, shuffles).packLines : nullptr,
       .lineGroup = pack.group,
       .size = form.size,
       .stride = stride},
      keepIn(arena, pack),
      keepIn(arena, unpack),
      choosePlain(form, stride),
      form.high});
#else
  return nullptr;
#endif
}

const BlocksOp *Selector::blocks(int64_t size, int64_t stride) {
  bool dense = stride == size;
  describe(dense ? "consecutive bytes"
                 : "blocks of " + std::to_string(size) + " bytes");
  return arena.make(BlocksOp{
      {.functions = dense ? table.bytes : table.blocks(size),
       .packStreamed = streamBlocks,
       .packLines = !dense && size % 64 == 0 ? table.blockLines : nullptr,
       .lineGroup = 1,
       .size = size,
       .stride = stride}});
}

/// Loops over blocks become rows, further loops are nested around them.
const Op *Selector::strided(const Form &form, int64_t stride) {
  const Form &child = *form.children.front();
  auto &dimensions = form.dimensions;
  size_t depth = dimensions.size();
  auto strideOf = [&](size_t level) {
    return level == 0 ? stride : dimensions[level - 1].stride;
  };
  const Op *op;
  size_t level = depth - 1;
  if (child.kind == FormKind::Block)
    op = rows(child, dimensions[level], strideOf(level));
  else
    op =
        loop({choose(child, dimensions[level].stride), dimensions[level].count},
             strideOf(level));
  while (level-- > 0)
    op = loop({op, dimensions[level].count}, strideOf(level));
  return op;
}

/// Whether blocks of neighbouring rows share cache lines while blocks of a row
/// are far apart, as in a transpose.
static bool wantsTiles(int64_t block, Dimension row, int64_t stride) {
  int64_t near = std::abs(stride), far = std::abs(row.stride);
  return block <= 32 && near < 64 && far >= 256 && row.count >= 8;
}

const Op *Selector::rows(const Form &child, Dimension row, int64_t stride) {
  int64_t block = child.size;
  bool tiled = wantsTiles(block, row, stride);
  if (!tiled && row.count * block >= 128)
    if (const Op *op = shuffled(child, row.stride))
      return loop({op, row.count}, stride);
  describe((tiled ? "tiles of blocks of " : "rows of blocks of ") +
           std::to_string(block) + " bytes");
  return arena.make(
      RowsOp{{.functions = tiled ? table.tiles(block) : table.rows(block),
              .packStreamed = tiled ? nullptr : streamRows,
              .size = block * row.count,
              .stride = stride},
             block,
             row.count,
             row.stride,
             blocks(block, row.stride)});
}

const Op *Selector::loop(Repeated child, int64_t stride) {
  return arena.make(LoopOp{{.functions = loopFunctions,
                            .packStreamed = loopFunctions.pack,
                            .size = child.op->size * child.count,
                            .stride = stride},
                           child.op,
                           child.count});
}

/// An op for single instances of `form`; loops return their outermost one.
Selector::Repeated Selector::chooseRepeated(const Form &form) {
  if (form.kind != FormKind::Strided || form.dimensions.size() != 1)
    return {choose(form, form.size), 1};
  auto [count, stride] = form.dimensions.front();
  return {choose(*form.children.front(), stride), count};
}

/// The numbers in as few bits as `wide` allows.
const void *Selector::narrowed(std::span<const int64_t> numbers, bool wide) {
  if (wide) {
    auto *copy = arena.array<int64_t>(numbers.size());
    std::copy(numbers.begin(), numbers.end(), copy);
    return copy;
  }
  auto *copy = arena.array<int32_t>(numbers.size());
  std::transform(numbers.begin(), numbers.end(), copy,
                 [](int64_t number) { return int32_t(number); });
  return copy;
}

/// Whether numbers between `low` and `high` need more than 32 bits.
static bool needs64Bits(int64_t low, int64_t high) {
  return low < std::numeric_limits<int32_t>::min() ||
         high > std::numeric_limits<int32_t>::max();
}

const Op *Selector::indexed(const Form &form, int64_t stride) {
  if (form.children.front()->kind == FormKind::Block)
    return indexedBlocks(form, stride);
  Repeated child = chooseRepeated(*form.children.front());
  auto *offsets = arena.array<int64_t>(form.offsets.size());
  std::copy(form.offsets.begin(), form.offsets.end(), offsets);
  return arena.make(PlacesOp{{.functions = placesFunctions,
                              .packStreamed = placesFunctions.pack,
                              .size = form.size,
                              .stride = stride},
                             child.op,
                             child.count,
                             int64_t(form.offsets.size()),
                             offsets});
}

const Op *Selector::indexedBlocks(const Form &form, int64_t stride) {
  int64_t block = form.children.front()->size;
  bool wide = needs64Bits(form.low, form.high);
  describe("indexed blocks of " + std::to_string(block) + " bytes");
  return arena.make(IndexedOp{{.functions = table.indexed(block, wide),
                               .packStreamed = streamIndexed,
                               .size = form.size,
                               .stride = stride},
                              block,
                              int64_t(form.offsets.size()),
                              narrowed(form.offsets, wide),
                              wide});
}

/// Lists of several types contain stretches of runs of equal lengths, which are
/// copied faster as blocks.
const Op *Selector::runs(const Form &form, int64_t stride) {
  auto stretches = stretchesOf(form.lengths);
  if (stretches.size() == 1)
    return stretch(form, 0, form.offsets.size(), stretches[0].unit, stride);
  auto *parts = arena.array<SequenceOp::Part>(stretches.size());
  for (size_t i = 0; i != stretches.size(); ++i)
    parts[i] = {stretch(form, stretches[i].begin, stretches[i].end,
                        stretches[i].unit, 0),
                1, 0};
  return arena.make(SequenceOp{{.functions = sequenceFunctions,
                                .packStreamed = sequenceFunctions.pack,
                                .size = form.size,
                                .stride = stride},
                               int64_t(stretches.size()),
                               parts});
}

const Op *Selector::stretch(const Form &form, size_t begin, size_t end,
                            int64_t unit, int64_t stride) {
  bool wide = needs64Bits(form.low, form.high);
  auto offsets = std::span(form.offsets).subspan(begin, end - begin);
  auto lengths = std::span(form.lengths).subspan(begin, end - begin);
  int64_t size = std::accumulate(lengths.begin(), lengths.end(), int64_t(0));
  if (unit != 0) {
    std::vector<int64_t> places;
    places.reserve(size_t(size / unit));
    for (size_t i = 0; i != offsets.size(); ++i)
      for (int64_t at = 0; at != lengths[i]; at += unit)
        places.push_back(offsets[i] + at);
    describe("indexed blocks of " + std::to_string(unit) + " bytes");
    return arena.make(IndexedOp{{.functions = table.indexed(unit, wide),
                                 .packStreamed = streamIndexed,
                                 .size = size,
                                 .stride = stride},
                                unit,
                                int64_t(places.size()),
                                narrowed(places, wide),
                                wide});
  }
  int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  describe("runs of up to " + std::to_string(longest) + " bytes");
  return arena.make(RunsOp{{.functions = table.runs(longest, wide),
                            .packStreamed = streamRuns,
                            .size = size,
                            .stride = stride},
                           int64_t(offsets.size()),
                           narrowed(offsets, wide),
                           narrowed(lengths, wide),
                           wide});
}

const Op *Selector::sequence(const Form &form, int64_t stride) {
  size_t count = form.children.size();
  auto *parts = arena.array<SequenceOp::Part>(count);
  // Long sequences consist of few different forms.
  std::unordered_map<const Form *, Repeated> chosen;
  for (size_t i = 0; i != count; ++i) {
    auto [child, isNew] = chosen.try_emplace(form.children[i].get());
    if (isNew)
      child->second = chooseRepeated(*form.children[i]);
    parts[i] = {child->second.op, child->second.count, form.offsets[i]};
  }
  describe("sequence");
  return arena.make(SequenceOp{{.functions = sequenceFunctions,
                                .packStreamed = sequenceFunctions.pack,
                                .size = form.size,
                                .stride = stride},
                               int64_t(count),
                               parts});
}

/// Whether a single loop that the instances continue becomes one loop over all.
static bool continuesOverInstances(const Layout &layout) {
  const Form &form = *layout.form;
  if (form.kind != FormKind::Strided || form.dimensions.size() != 1)
    return false;
  int64_t span;
  auto [count, stride] = form.dimensions.front();
  return !__builtin_mul_overflow(count, stride, &span) && span == layout.extent;
}

std::string Selector::select(OpProgram &program) {
  const Layout &layout = program.layout;
  if (continuesOverInstances(layout)) {
    auto [op, count] = chooseRepeated(*layout.form);
    program.root = op;
    program.rootCount = count;
  } else {
    program.root = choose(*layout.form, layout.extent);
  }
  return name + ", " + table.name;
}

std::string sluice::pack::kernels::chooseOps(OpProgram &program,
                                             const Processor &processor,
                                             KernelEffort effort) {
  return Selector(program, processor, effort).select(program);
}
