//===- ShufflePlan.cpp - Generating programs of shuffles ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles only forms with ascending runs, so that sources and destinations
// ascend together and one pass over the pieces finds the windows of each step.
//
//===----------------------------------------------------------------------===//

#include "ShufflePlan.h"

#include "../Form/FormBuilding.h"

#include <algorithm>

using namespace sluice::pack;
using namespace sluice::pack::kernels;

namespace {

constexpr int64_t width = ShuffleStep::width;
/// Limits of a program: loading larger programs takes longer than they save.
constexpr size_t maximumSteps = 8;
constexpr int64_t maxPeriod = 512;
/// With more than this many bytes per copied byte, loads contain too little
/// data.
constexpr int64_t sparsest = 8;
/// Cycles per byte for one aligned load and store of a whole line.
constexpr double minCost = 3.5 / width;

/// Generates the steps for pieces in ascending order.
class StepWriter {
public:
  /// Loads (stores) begin at whole cache lines relative to the group if they do
  /// so for all groups.
  StepWriter(int64_t unit, bool alignLoads, bool alignStores)
      : unit(unit), unitBits(unit == 1 ? 0 : 2),
        loadAlignment(alignLoads ? width : 1),
        storeAlignment(alignStores ? width : 1) {
    steps.reserve(4);
  }

  void add(ByteMove piece) {
    while (piece.length > 0) {
      int64_t taken = takeFront(piece);
      piece.from += taken;
      piece.to += taken;
      piece.length -= taken;
    }
  }

  std::vector<ShuffleStep> steps;

private:
  /// Puts the beginning of `piece` into the current step, or into a new one, as
  /// far as one load and one store reach.
  int64_t takeFront(const ByteMove &piece) {
    if (steps.empty() || !stores(steps.back(), piece.to))
      begin(piece);
    else if (!loads(steps.back(), piece.from)) {
      if (steps.back().loads == ShuffleStep::maximumLoads)
        begin(piece);
      else
        addLoad(steps.back(), piece.from);
    }
    ShuffleStep &step = steps.back();
    int64_t load = step.loads - 1;
    int64_t source = piece.from - step.loadOffset[load];
    int64_t target = piece.to - step.storeOffset;
    int64_t taken = std::min({piece.length, width - source, width - target});
    uint64_t mask = maskOf(taken);
    step.storeMask |= mask << target;
    step.loadMask[load] |= mask << source;
    uint8_t *index = step.nearIndex;
    if (load >= 2) {
      step.farMask |= mask << target;
      index = step.farIndex;
    }
    for (int64_t i = 0; i < taken; i += unit)
      index[(target + i) >> unitBits] =
          uint8_t((source + i + load % 2 * width) >> unitBits);
    return taken;
  }

  static uint64_t maskOf(int64_t bytes) {
    return bytes == width ? ~uint64_t(0) : (uint64_t(1) << bytes) - 1;
  }

  static bool stores(const ShuffleStep &step, int64_t to) {
    return to < step.storeOffset + width;
  }
  static bool loads(const ShuffleStep &step, int64_t from) {
    return from < step.loadOffset[step.loads - 1] + width;
  }

  void addLoad(ShuffleStep &step, int64_t from) {
    step.loadOffset[step.loads++] = int32_t(from - from % loadAlignment);
  }

  void begin(const ByteMove &piece) {
    ShuffleStep step = {};
    step.storeOffset = int32_t(piece.to - piece.to % storeAlignment);
    addLoad(step, piece.from);
    steps.push_back(step);
  }

  int64_t unit, unitBits, loadAlignment, storeAlignment;
};

/// The runs of one instance, with data for the planner.
struct Instance {
  std::vector<ByteRun> runs;
  int64_t size;
  int64_t stride;
};

} // namespace

/// Whether one instance's runs and those of the next ascend without overlap,
/// all in whole units.
static bool isSuitable(const Instance &instance, int64_t unit) {
  int64_t end = instance.runs.front().offset;
  if (instance.stride % unit != 0)
    return false;
  for (auto [offset, length] : instance.runs) {
    if (offset < end || offset % unit != 0 || length % unit != 0)
      return false;
    end = offset + length;
  }
  return end <= instance.stride + instance.runs.front().offset;
}

static std::vector<ShuffleStep>
writeSteps(const Instance &instance, int64_t group, int64_t unit, bool isPack) {
  int64_t typedStep = group * instance.stride,
          packedStep = group * instance.size;
  StepWriter writer(unit, (isPack ? typedStep : packedStep) % width == 0,
                    !isPack && typedStep % width == 0);
  int64_t packed = 0;
  for (int64_t i = 0; i != group; ++i)
    for (auto [offset, length] : instance.runs) {
      int64_t typed = offset + i * instance.stride;
      writer.add(isPack ? ByteMove{typed, packed, length}
                        : ByteMove{packed, typed, length});
      packed += length;
      if (writer.steps.size() > maximumSteps)
        return {};
    }
  return std::move(writer.steps);
}

/// Cycles of one execution of the steps, as measured on Zen 4. Loads and stores
/// that cross cache lines cost more, and so do indices that are not in
/// registers.
static double costOf(const std::vector<ShuffleStep> &steps, int64_t loadStep,
                     int64_t storeStep) {
  int32_t loads = 1;
  for (const ShuffleStep &step : steps)
    loads = std::max(loads, step.loads);
  bool held = steps.size() == 1 || (steps.size() <= ShuffleTable::heldSteps &&
                                    loads <= ShuffleTable::heldLoads);
  double load = loadStep % width == 0 ? 1 : 1.6;
  double store = storeStep % width == 0 ? 2 : 2.5;
  return double(steps.size()) * (loads * load + store + (held ? 0.5 : 4));
}

bool sluice::pack::kernels::mayShuffle(const Form &form, int64_t stride) {
  bool isDense = form.size <= stride && stride <= sparsest * form.size;
  return stride > 0 && stride <= maxPeriod && isSmall(form) && isDense &&
         costOfRuns(form) > minCost;
}

ShuffleDraft sluice::pack::kernels::draftShuffle(const Form &form,
                                                 int64_t stride, int64_t unit,
                                                 bool isPack) {
  ShuffleDraft best;
  if (!mayShuffle(form, stride))
    return best;
  Instance instance = {{}, form.size, stride};
  forEachRun(form, 0, [&](int64_t offset, int64_t length) {
    instance.runs.push_back({offset, length});
  });
  if (!isSuitable(instance, unit))
    return best;
  // The groups that fill one store, or a whole number of stores.
  int64_t period = isPack ? form.size : stride;
  for (int64_t filled = 1; filled <= 8; filled += filled < 4 ? 1 : 2) {
    int64_t group = filled * width / period;
    if (group == 0 || group == best.group)
      continue;
    auto steps = writeSteps(instance, group, unit, isPack);
    if (steps.empty())
      break;
    int64_t typedStep = group * stride, packedStep = group * form.size;
    double cost = costOf(steps, isPack ? typedStep : packedStep,
                         isPack ? packedStep : typedStep) /
                  double(packedStep);
    if (best.steps.empty() || cost < best.cost * 0.95)
      best = {group, std::move(steps), cost};
    // Larger groups would repeat this one.
    if (typedStep % width == 0 && packedStep % width == 0)
      break;
  }
  return best;
}

/// Cycles to copy one run, as measured on Zen 4.
static double movesFor(int64_t length) {
  bool isPower = (length & (length - 1)) == 0;
  if (length > 64)
    return double(length) / 32;
  if (!isPower)
    return length == 12 || length == 24 ? 2 : 2.8;
  return length == 32 ? 2.6 : length == 16 ? 1.3 : 1;
}

double sluice::pack::kernels::costOfRuns(const Form &form) {
  double cycles = 0;
  bool isBlock = form.runs == 1;
  forEachRun(form, 0, [&](int64_t, int64_t length) {
    cycles += movesFor(length) + (isBlock ? 0 : 2);
  });
  return cycles / double(form.size);
}

ShuffleProgram sluice::pack::kernels::keepIn(Arena &arena,
                                             const ShuffleDraft &draft) {
  auto *steps = arena.array<ShuffleStep>(draft.steps.size());
  std::copy(draft.steps.begin(), draft.steps.end(), steps);
  ShuffleProgram program = {draft.group, int64_t(draft.steps.size()), steps, 0,
                            0};
  for (const ShuffleStep &step : draft.steps) {
    for (int i = 0; i != step.loads; ++i)
      program.loadReach =
          std::max(program.loadReach, step.loadOffset[i] + width);
    program.storeReach = std::max(program.storeReach, step.storeOffset + width);
  }
  return program;
}
