//===- Periodic.cpp - Innermost loops -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An innermost loop repeats a pattern at a constant distance. Several periods
// are copied as one straight line, as many as make a byte cheapest; the rest
// is another straight line, or, if the count is not known, a chain of halves.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace llvm;
using namespace sluice::pack;
using namespace sluice::pack::jit;

/// Limits of what one turn of a loop copies.
static constexpr int64_t turnBytes = 256;
static constexpr size_t turnRuns = 64;
/// Known counts up to these limits need no loop.
static constexpr int64_t unrolledBytes = 512;
static constexpr int64_t unrolledRuns = 32;

/// Blocks at multiples of this distance meet in few sets of the caches. They
/// come from afar, and the processor foresees their addresses by instruction,
/// so that one period a turn is best.
static constexpr int64_t meetingStride = 1024;
/// The same for other distances from that one on, if blocks have some bytes.
static constexpr int64_t farBytes = 32;

/// Blocks so far apart are on pages of their own.
static constexpr int64_t pageBytes = 4096;
static constexpr int64_t lineBytes = 64;

/// The moves for a block of `length` bytes, one every `stride`; 0: the widest.
/// Blocks on pages of their own are loaded faster by several moves, and small
/// ones that come from few sets of the caches by words (Pack/Kernels/Blocks.cpp
/// does the same).
static int64_t narrowMoves(int64_t length, int64_t stride, bool isPack) {
  if (length >= lineBytes && length <= 2 * lineBytes &&
      std::abs(stride) >= pageBytes)
    return lineBytes / 2;
  if (isPack && length > 8 && length < lineBytes && length % 8 == 0 &&
      stride % meetingStride == 0)
    return 8;
  return 0;
}

/// How many periods of `pattern` one turn of the loop should copy.
static int64_t choosePeriods(const Pattern &pattern, int64_t stride,
                             int64_t most, const CodeTarget &target,
                             bool isPack) {
  int64_t choice = 1;
  bool isFar = std::abs(stride) > meetingStride && pattern.bytes >= farBytes;
  if (isFar || stride % meetingStride == 0)
    return choice;
  double best = 0;
  for (int64_t periods = 1; periods <= most; periods *= 2) {
    bool isTooMuch =
        periods * pattern.bytes > turnBytes ||
        static_cast<size_t>(periods) * pattern.runs.size() > turnRuns;
    if (periods > 1 && isTooMuch)
      break;
    Pattern turn = pattern.repeated(periods, stride);
    double cost = 1;
    for (const Step &step : planSteps(turn.runs, target, isPack))
      cost += step.cost;
    cost /= static_cast<double>(periods);
    if (periods > 1 && cost > best)
      continue;
    choice = periods;
    best = cost;
  }
  return choice;
}

/// One turn of a loop of which each moves by `stride`.
void Emitter::emitTurn(const Pattern &turn, int64_t stride, Cursor at) {
  if (turn.runs.size() == 1)
    narrowBytes = narrowMoves(turn.bytes, stride, isPack);
  if (narrowBytes != 0)
    emitRun(turn.runs[0].offset, 0, turn.bytes, at);
  else
    emitStraightLine(turn.runs, at);
  narrowBytes = 0;
}

void Emitter::emitFixedPeriods(const Pattern &pattern, const FormLoop &loop,
                               int64_t step, Cursor at) {
  Pattern turn = pattern.repeated(step, loop.stride);
  Cursor end =
      emitLoop(number(loop.known / step), step * loop.stride, turn.bytes, at,
               [&](Cursor c) { emitTurn(turn, step * loop.stride, c); });
  emitStraightLine(pattern.repeated(loop.known % step, loop.stride).runs, end);
}

void Emitter::emitCountedPeriods(const Pattern &pattern, const FormLoop &loop,
                                 int64_t step, Cursor at) {
  auto emitPart = [&](int64_t periods, Cursor c) {
    emitTurn(pattern.repeated(periods, loop.stride), periods * loop.stride, c);
  };
  // No count below zero is ever given, so that a shift divides.
  Value *turns = builder.CreateLShr(
      loop.count, number(Log2_64(static_cast<uint64_t>(step))));
  at = emitLoop(turns, step * loop.stride, step * pattern.bytes, at,
                [&](Cursor c) { emitPart(step, c); });
  for (int64_t part = step / 2; part != 0; part /= 2) {
    Value *bit = builder.CreateAnd(loop.count, number(part));
    at = emitIf(builder.CreateICmpNE(bit, number(0)), at, [&](Cursor c) {
      emitPart(part, c);
      return offset(c, part * loop.stride, part * pattern.bytes);
    });
  }
}

void Emitter::emitPeriodic(const Pattern &pattern, const FormLoop &loop,
                           Cursor at) {
  bool isKnown = loop.known >= 0;
  auto runs = static_cast<int64_t>(pattern.runs.size());
  if (isKnown && loop.known <= unrolledRuns &&
      loop.known * runs <= unrolledRuns &&
      loop.known * pattern.bytes <= unrolledBytes)
    return emitStraightLine(pattern.repeated(loop.known, loop.stride).runs, at);
  int64_t most = isKnown ? std::min(loop.known, windowBytes) : windowBytes;
  int64_t step = choosePeriods(pattern, loop.stride, most, target, isPack);
  if (isKnown)
    return emitFixedPeriods(pattern, loop, step, at);
  emitCountedPeriods(pattern, loop, step, at);
}
