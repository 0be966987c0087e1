//===- Runs.cpp - Runs of bytes and their copying -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs are in cycles of a core that issues two loads and one store per cycle,
// with vectors of 64 bytes taking two slots, as measured on current cores.
//
//===----------------------------------------------------------------------===//

#include "Runs.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

using namespace sluice::pack;
using namespace sluice::pack::jit;
using llvm::ArrayRef;
using llvm::SmallVector;

void Pattern::append(StridedRun run) {
  bytes += run.length;
  if (!runs.empty() && runs.back().offset + runs.back().length == run.offset)
    runs.back().length += run.length;
  else
    runs.push_back(run);
}

Pattern Pattern::repeated(int64_t count, int64_t stride) const {
  Pattern out;
  out.runs.reserve(runs.size() * static_cast<size_t>(count));
  for (int64_t i = 0; i != count; ++i)
    for (const StridedRun &run : runs)
      out.append({run.offset + i * stride, run.length});
  return out;
}

static int64_t countChildren(const Form &form, int64_t limit) {
  int64_t total = 0;
  for (const FormRef &child : form.children)
    if ((total += countRuns(*child, limit)) > limit)
      return limit + 1;
  return total;
}

int64_t jit::countRuns(const Form &form, int64_t limit) {
  int64_t total = limit + 1;
  switch (form.kind) {
  case FormKind::Empty:
    return 0;
  case FormKind::Block:
    return std::min<int64_t>(1, limit + 1);
  case FormKind::Custom:
    return limit + 1;
  case FormKind::Runs:
    return std::min<int64_t>(form.offsets.size(), limit + 1);
  case FormKind::Sequence:
    return countChildren(form, limit);
  case FormKind::Indexed:
  case FormKind::Strided:
    total = countChildren(form, limit);
    break;
  }
  auto times = [&](int64_t count) {
    total =
        total > limit / std::max<int64_t>(count, 1) ? limit + 1 : total * count;
  };
  if (form.kind == FormKind::Indexed)
    times(static_cast<int64_t>(form.offsets.size()));
  for (const Dimension &dimension : form.dimensions)
    times(dimension.count);
  return total;
}

static void flattenStrided(const Form &form, size_t depth, int64_t origin,
                           Pattern &out) {
  if (depth == form.dimensions.size())
    return flatten(*form.children[0], origin, out);
  const Dimension &dimension = form.dimensions[depth];
  for (int64_t i = 0; i != dimension.count; ++i)
    flattenStrided(form, depth + 1, origin + i * dimension.stride, out);
}

void jit::flatten(const Form &form, int64_t origin, Pattern &out) {
  switch (form.kind) {
  case FormKind::Empty:
  case FormKind::Custom:
    return;
  case FormKind::Block:
    return out.append({origin, form.size});
  case FormKind::Strided:
    return flattenStrided(form, 0, origin, out);
  case FormKind::Indexed:
    for (int64_t offset : form.offsets)
      flatten(*form.children[0], origin + offset, out);
    return;
  case FormKind::Runs:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      out.append({origin + form.offsets[i], form.lengths[i]});
    return;
  case FormKind::Sequence:
    for (size_t i = 0; i != form.offsets.size(); ++i)
      flatten(*form.children[i], origin + form.offsets[i], out);
    return;
  }
}

int64_t jit::granuleOf(ArrayRef<StridedRun> runs) {
  int64_t granule = 8;
  for (const StridedRun &run : runs)
    granule =
        std::gcd(granule, std::gcd(run.length, run.offset - runs[0].offset));
  return granule;
}

SmallVector<Piece, 8> jit::piecesOf(ArrayRef<StridedRun> runs,
                                    bool mayOverlap) {
  SmallVector<StridedRun, 64> sorted(runs.begin(), runs.end());
  auto before = [](const StridedRun &a, const StridedRun &b) {
    return a.offset < b.offset;
  };
  if (!std::is_sorted(sorted.begin(), sorted.end(), before))
    std::sort(sorted.begin(), sorted.end(), before);
  SmallVector<Piece, 8> pieces;
  for (const StridedRun &run : sorted) {
    int64_t at = run.offset, end = run.offset + run.length;
    while (at < end) {
      if (pieces.empty() || at >= pieces.back().start + windowBytes)
        pieces.push_back({at, 0});
      Piece &piece = pieces.back();
      int64_t used = std::min(end - piece.start, windowBytes);
      piece.used = std::max(piece.used, used);
      at = piece.start + used;
    }
  }
  Piece &last = pieces.back();
  if (mayOverlap && pieces.size() > 1) {
    last.start = last.start + last.used - windowBytes;
    last.used = windowBytes;
  }
  return pieces;
}

static double storeCost(int64_t bytes) { return bytes > 32 ? 2 : 1; }
static double loadCost(int64_t bytes) { return bytes > 32 ? 1 : 0.5; }

/// Plain moves of one run; see Emitter::emitRun.
static double runCost(int64_t length, const CodeTarget &target) {
  int64_t width = std::min<int64_t>(
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(length))),
      target.vectorBytes);
  int64_t rest = length % width;
  double cost = static_cast<double>(length / width) *
                (loadCost(width) + storeCost(width));
  if (rest != 0)
    cost += loadCost(lastMove(rest)) + storeCost(lastMove(rest));
  return cost;
}

/// Whether most vectors are whole cache lines apart. Such data comes from
/// distant caches, for which plain moves wait less.
static bool areSparse(ArrayRef<Piece> pieces) {
  int64_t span = pieces.back().start - pieces.front().start;
  return pieces.size() > 1 &&
         span >= 2 * windowBytes * static_cast<int64_t>(pieces.size() - 1);
}

static double windowCost(ArrayRef<StridedRun> runs, int64_t bytes,
                         bool isPack) {
  SmallVector<Piece, 8> pieces = piecesOf(runs, isPack);
  if (isPack && areSparse(piecesOf(runs, false)))
    return std::numeric_limits<double>::max();
  double cost = isPack ? storeCost(bytes) : loadCost(bytes);
  for (const Piece &piece : pieces)
    cost += isPack ? loadCost(piece.used) : 1 + storeCost(piece.used);
  if (isPack)
    cost += std::max<double>(1, static_cast<double>(pieces.size()) - 1);
  return cost;
}

namespace {
/// Walks along the runs and takes the cheapest step each time.
class Planner {
public:
  Planner(ArrayRef<StridedRun> runs, const CodeTarget &target, bool isPack)
      : rest(runs), target(target), isPack(isPack) {}

  std::vector<Step> plan() {
    while (!rest.empty())
      take(best());
    return std::move(steps);
  }

private:
  StridedRun first() const {
    return {rest[0].offset + taken, rest[0].length - taken};
  }

  Step single() const {
    StridedRun run = first();
    return {{run}, packed, run.length, runCost(run.length, target)};
  }

  bool canShuffle(ArrayRef<StridedRun> runs) const {
    return target.hasMasks && (granuleOf(runs) > 1 || target.shufflesBytes);
  }

  /// The step with the lowest cost per byte: only the next run, or a window of
  /// the next runs, of which the last may be cut.
  Step best() const {
    Step choice = single();
    if (!target.hasMasks || choice.bytes >= windowBytes)
      return choice;
    Step window{{first()}, packed, choice.bytes, 0};
    for (size_t i = 1; i < rest.size() && window.bytes < windowBytes; ++i) {
      int64_t room = windowBytes - window.bytes;
      int64_t length = std::min(rest[i].length, room);
      window.runs.push_back({rest[i].offset, length});
      window.bytes += length;
      if (!isWorthLooking(i, window.bytes) || !canShuffle(window.runs) ||
          isScattered(window.runs))
        continue;
      window.cost = windowCost(window.runs, window.bytes, isPack);
      // The next window begins within a run, and so differs from this one.
      if (length != rest[i].length)
        window.cost += 0.4;
      if (window.cost * static_cast<double>(choice.bytes) <
          choice.cost * static_cast<double>(window.bytes))
        choice = window;
    }
    return choice;
  }

  /// Whether there are long runs with one vector each: shuffles would save
  /// accesses only on the packed side, and masked accesses are more expensive
  /// than the model assumes.
  bool isScattered(ArrayRef<StridedRun> runs) const {
    return runs[0].length >= 16 && piecesOf(runs, isPack).size() >= runs.size();
  }

  /// Windows are tried only at a few sizes, so that planning stays linear.
  bool isWorthLooking(size_t index, int64_t bytes) const {
    return bytes == windowBytes || index + 1 == rest.size() ||
           std::has_single_bit(index + 1) ||
           bytes + rest[index + 1].length > windowBytes;
  }

  void take(Step step) {
    packed += step.bytes;
    for (const StridedRun &run : step.runs) {
      taken += run.length;
      if (taken != rest[0].length)
        break;
      taken = 0;
      rest = rest.drop_front();
    }
    steps.push_back(std::move(step));
  }

  ArrayRef<StridedRun> rest;
  /// Bytes of rest[0] that have been handled.
  int64_t taken = 0;
  int64_t packed = 0;
  const CodeTarget &target;
  bool isPack;
  std::vector<Step> steps;
};
} // namespace

std::vector<Step> jit::planSteps(ArrayRef<StridedRun> runs,
                                 const CodeTarget &target, bool isPack) {
  return Planner(runs, target, isPack).plan();
}
