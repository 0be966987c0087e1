//===- StraightLine.cpp - Moves and shuffles of constant runs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The innermost code. One run is copied by moves of the widest power of two it
// holds and a narrower last one, which may overlap the one before. A window
// gathers its runs by shuffles of the vectors that cover them:
//
//   strided   |aa..bb..cc..dd..|ee..ff..gg..hh..|     two loads
//   packed    |aabbccddeeffgghh|                      one shuffle, one store
//
// and unpacking spreads one vector over masked stores.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include <bit>

using namespace llvm;
using namespace sluice::pack;
using namespace sluice::pack::jit;

/// Steps per basic block: instruction selection is not linear in their number.
static constexpr size_t stepsPerBlock = 32;
/// Longer straight lines use moves only.
static constexpr size_t maxShuffledRuns = 64;
/// Runs longer than so many vectors are copied by a loop.
static constexpr int64_t maxUnrolled = 16;
/// Runs of at least so many bytes are copied by a call.
static constexpr int64_t callBytes = 4096;

Type *Emitter::moveType(int64_t bytes) {
  if (bytes <= 8)
    return builder.getIntNTy(static_cast<unsigned>(bytes * 8));
  return FixedVectorType::get(builder.getInt64Ty(),
                              static_cast<unsigned>(bytes / 8));
}

void Emitter::emitMove(Type *type, int64_t strided, int64_t packed, Cursor at) {
  Value *stridedAt = offset(at.strided, strided);
  Value *packedAt = offset(at.packed, packed);
  // LLVM does not join volatile accesses to wider moves.
  Value *value = builder.CreateAlignedLoad(type, isPack ? stridedAt : packedAt,
                                           Align(1), narrowBytes != 0);
  builder.CreateAlignedStore(value, isPack ? packedAt : stridedAt, Align(1));
}

void Emitter::emitRun(int64_t strided, int64_t packed, int64_t length,
                      Cursor at) {
  auto width =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(length)));
  width = std::min(width, target.vectorBytes);
  if (narrowBytes != 0)
    width = std::min(width, narrowBytes);
  if (length > maxUnrolled * width)
    return emitLongRun(length, offset(at, strided, packed));
  Type *type = moveType(width);
  int64_t done = 0;
  for (; done + width <= length; done += width)
    emitMove(type, strided + done, packed + done, at);
  if (done == length)
    return;
  int64_t last = lastMove(length - done);
  emitMove(moveType(last), strided + length - last, packed + length - last, at);
}

void Emitter::emitLongRun(int64_t length, Cursor at) {
  if (length >= callBytes)
    return emitCopyCall(at, number(length));
  int64_t width = 4 * target.vectorBytes;
  Cursor end = emitLoop(number(length / width), width, width, at,
                        [&](Cursor part) { emitRun(0, 0, width, part); });
  if (length % width != 0)
    emitRun(0, 0, length % width, end);
}

static bool areAllSet(const SmallVectorImpl<bool> &lanes) {
  return llvm::all_of(lanes, [](bool lane) { return lane; });
}

static Constant *maskOf(LLVMContext &context,
                        const SmallVectorImpl<bool> &lanes) {
  SmallVector<Constant *, 64> bits;
  for (bool lane : lanes)
    bits.push_back(ConstantInt::getBool(context, lane));
  return ConstantVector::get(bits);
}

static SmallVector<bool, 64> firstLanes(Type *type, int64_t count) {
  auto all = cast<FixedVectorType>(type)->getNumElements();
  SmallVector<bool, 64> lanes(all, false);
  std::fill_n(lanes.begin(), count, true);
  return lanes;
}

Value *Emitter::loadLanes(Type *type, Value *from, int64_t lanes) {
  SmallVector<bool, 64> mask = firstLanes(type, lanes);
  if (areAllSet(mask))
    return builder.CreateAlignedLoad(type, from, Align(1));
  return builder.CreateMaskedLoad(type, from, Align(1),
                                  maskOf(builder.getContext(), mask),
                                  Constant::getNullValue(type));
}

/// A power of two of leading lanes, and at least 8 bytes: one plain store.
static bool isPlainStore(Type *type, const SmallVectorImpl<bool> &lanes) {
  auto count = static_cast<size_t>(llvm::count(lanes, true));
  return lanes[0] && std::has_single_bit(count) &&
         count * type->getScalarSizeInBits() >= 64 &&
         llvm::all_of(ArrayRef<bool>(lanes).take_front(count),
                      [](bool lane) { return lane; });
}

void Emitter::storeLanes(Value *value, Value *to,
                         const SmallVectorImpl<bool> &lanes) {
  if (!isPlainStore(value->getType(), lanes)) {
    builder.CreateMaskedStore(value, to, Align(1),
                              maskOf(builder.getContext(), lanes));
    return;
  }
  SmallVector<int, 64> order;
  for (int lane = 0; lane != llvm::count(lanes, true); ++lane)
    order.push_back(lane);
  if (order.size() != lanes.size())
    value = builder.CreateShuffleVector(value, order);
  builder.CreateAlignedStore(value, to, Align(1));
}

/// The vector of `granule` units that a window of `bytes` bytes needs.
static FixedVectorType *vectorFor(IRBuilder<> &builder, int64_t granule,
                                  int64_t bytes) {
  auto width =
      std::max<uint64_t>(16, std::bit_ceil(static_cast<uint64_t>(bytes)));
  return FixedVectorType::get(
      builder.getIntNTy(static_cast<unsigned>(granule * 8)),
      static_cast<unsigned>(width / static_cast<uint64_t>(granule)));
}

static size_t pieceOf(ArrayRef<Piece> pieces, int64_t offset) {
  for (size_t i = 0; i != pieces.size(); ++i)
    if (offset >= pieces[i].start && offset < pieces[i].start + pieces[i].used)
      return i;
  llvm_unreachable("pieces cover all runs");
}

static int64_t widest(ArrayRef<Piece> pieces) {
  int64_t bytes = 0;
  for (const Piece &piece : pieces)
    bytes = std::max(bytes, piece.used);
  return bytes;
}

/// Offsets on the strided side of the units of a window, in pack order.
static SmallVector<int64_t, 64> unitsOf(const Step &step, int64_t granule) {
  SmallVector<int64_t, 64> units;
  for (const StridedRun &run : step.runs)
    for (int64_t at = 0; at != run.length; at += granule)
      units.push_back(run.offset + at);
  return units;
}

void Emitter::emitPackWindow(const Step &step, Cursor at) {
  int64_t granule = granuleOf(step.runs);
  SmallVector<Piece, 8> pieces = piecesOf(step.runs, true);
  FixedVectorType *type =
      vectorFor(builder, granule, std::max(widest(pieces), step.bytes));
  int width = static_cast<int>(type->getNumElements());
  SmallVector<int64_t, 64> units = unitsOf(step, granule);

  // Lanes of `sum` are final once their piece has been shuffled in.
  Value *sum = nullptr;
  SmallVector<int, 64> order(static_cast<size_t>(width), -1);
  for (size_t piece = 0; piece != pieces.size(); ++piece) {
    Value *part = loadLanes(type, offset(at.strided, pieces[piece].start),
                            pieces[piece].used / granule);
    for (size_t i = 0; i != units.size(); ++i) {
      if (pieceOf(pieces, units[i]) != piece)
        continue;
      auto lane = static_cast<int>((units[i] - pieces[piece].start) / granule);
      order[i] = piece == 0 ? lane : width + lane;
    }
    if (piece == 0 && pieces.size() > 1) {
      sum = part;
      continue;
    }
    sum = piece == 0 ? builder.CreateShuffleVector(part, order)
                     : builder.CreateShuffleVector(sum, part, order);
    for (size_t i = 0; i != units.size(); ++i)
      if (order[i] >= 0)
        order[i] = static_cast<int>(i);
  }
  storeLanes(sum, offset(at.packed, step.packed),
             firstLanes(type, step.bytes / granule));
}

void Emitter::emitUnpackWindow(const Step &step, Cursor at) {
  int64_t granule = granuleOf(step.runs);
  SmallVector<Piece, 8> pieces = piecesOf(step.runs, false);
  FixedVectorType *type = vectorFor(builder, granule, step.bytes);
  Value *all =
      loadLanes(type, offset(at.packed, step.packed), step.bytes / granule);
  SmallVector<int64_t, 64> units = unitsOf(step, granule);
  for (size_t piece = 0; piece != pieces.size(); ++piece) {
    auto width =
        vectorFor(builder, granule, pieces[piece].used)->getNumElements();
    SmallVector<int, 64> order(width, -1);
    SmallVector<bool, 64> lanes(width, false);
    for (size_t i = 0; i != units.size(); ++i) {
      if (pieceOf(pieces, units[i]) != piece)
        continue;
      auto lane =
          static_cast<size_t>((units[i] - pieces[piece].start) / granule);
      order[lane] = static_cast<int>(i);
      lanes[lane] = true;
    }
    storeLanes(builder.CreateShuffleVector(all, order),
               offset(at.strided, pieces[piece].start), lanes);
  }
}

void Emitter::emitStep(const Step &step, Cursor at) {
  if (step.runs.size() == 1)
    return emitRun(step.runs[0].offset, step.packed, step.bytes, at);
  if (isPack)
    return emitPackWindow(step, at);
  emitUnpackWindow(step, at);
}

/// Stores are what limits packing short blocks from many places.
bool Emitter::collects(int64_t length) const {
  return isPack && (length == 4 || length == 8) && target.vectorBytes >= 32;
}

void Emitter::emitCollected(ArrayRef<Value *> blocks, int64_t length,
                            Value *packed) {
  Type *block = builder.getIntNTy(static_cast<unsigned>(length * 8));
  auto *type =
      FixedVectorType::get(block, static_cast<unsigned>(blocks.size()));
  Value *all = PoisonValue::get(type);
  for (size_t i = 0; i != blocks.size(); ++i)
    all = builder.CreateInsertElement(
        all, builder.CreateAlignedLoad(block, blocks[i], Align(1)), i);
  builder.CreateAlignedStore(all, packed, Align(1));
}

/// The first steps if they can be collected; returns how many were.
size_t Emitter::emitCollectedSteps(ArrayRef<Step> steps, Cursor at) {
  if (steps.size() < collectedBlocks || !collects(steps[0].bytes))
    return 0;
  steps = steps.take_front(collectedBlocks);
  SmallVector<Value *, collectedBlocks> blocks;
  for (const Step &step : steps) {
    if (step.runs.size() != 1 || step.bytes != steps[0].bytes)
      return 0;
    blocks.push_back(offset(at.strided, step.runs[0].offset));
  }
  emitCollected(blocks, steps[0].bytes, offset(at.packed, steps[0].packed));
  return collectedBlocks;
}

void Emitter::emitStraightLine(ArrayRef<StridedRun> runs, Cursor at) {
  // Each window of a long list has shuffles of its own, which take long to
  // compile; moves do not.
  CodeTarget moves = target;
  moves.hasMasks = target.hasMasks && runs.size() <= maxShuffledRuns;
  std::vector<Step> steps = planSteps(runs, moves, isPack);
  size_t inBlock = 0;
  for (size_t i = 0; i != steps.size();) {
    if (inBlock >= stepsPerBlock) {
      beginBlock("more");
      inBlock = 0;
    }
    size_t done = emitCollectedSteps(ArrayRef(steps).drop_front(i), at);
    if (done == 0) {
      emitStep(steps[i], at);
      done = 1;
    }
    i += done;
    inBlock += done;
  }
}
