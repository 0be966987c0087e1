//===- Transpose.cpp - Tiles of small elements ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing the columns of a matrix one after another accesses a new line for
// every element. So square tiles are read by rows, transposed in registers and
// written by columns:
//
//   row 0  a0 a1 a2 a3          column 0  a0 b0 c0 d0
//   row 1  b0 b1 b2 b3    ->    column 1  a1 b1 c1 d1
//   row 2  c0 c1 c2 c3          column 2  a2 b2 c2 d2
//   row 3  d0 d1 d2 d3          column 3  a3 b3 c3 d3
//
// Each of log2(lanes) rounds exchanges blocks of twice the size between rows.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include <bit>

using namespace llvm;
using namespace sluice::pack;
using namespace sluice::pack::jit;

/// One round: rows `distance` apart exchange blocks of `distance` elements.
static void exchangeBlocks(IRBuilder<> &builder, SmallVectorImpl<Value *> &rows,
                           size_t distance, int unitsPerElement) {
  size_t lanes = rows.size();
  for (size_t row = 0; row != lanes; ++row) {
    if (row & distance)
      continue;
    SmallVector<int, 64> low, high;
    for (size_t lane = 0; lane != lanes; ++lane)
      for (int unit = 0; unit != unitsPerElement; ++unit) {
        bool isSecond = (lane & distance) != 0;
        size_t fromLow = isSecond ? lanes + lane - distance : lane;
        size_t fromHigh = isSecond ? lanes + lane : lane + distance;
        low.push_back(static_cast<int>(fromLow) * unitsPerElement + unit);
        high.push_back(static_cast<int>(fromHigh) * unitsPerElement + unit);
      }
    Value *first = rows[row], *second = rows[row + distance];
    rows[row] = builder.CreateShuffleVector(first, second, low);
    rows[row + distance] = builder.CreateShuffleVector(first, second, high);
  }
}

void Emitter::emitTile(int64_t element, int64_t lanes, int64_t fromStep,
                       int64_t toStep, Cursor at) {
  int64_t unit = std::min<int64_t>(element, 8);
  auto unitsPerElement = static_cast<int>(element / unit);
  auto *type =
      FixedVectorType::get(builder.getIntNTy(static_cast<unsigned>(unit * 8)),
                           static_cast<unsigned>(lanes * element / unit));
  Value *from = isPack ? at.strided : at.packed;
  Value *to = isPack ? at.packed : at.strided;
  SmallVector<Value *, 16> rows;
  for (int64_t i = 0; i != lanes; ++i)
    rows.push_back(
        builder.CreateAlignedLoad(type, offset(from, i * fromStep), Align(1)));
  for (auto distance = static_cast<size_t>(lanes) / 2; distance; distance /= 2)
    exchangeBlocks(builder, rows, distance, unitsPerElement);
  for (int64_t i = 0; i != lanes; ++i)
    builder.CreateAlignedStore(rows[static_cast<size_t>(i)],
                               offset(to, i * toStep), Align(1));
}

/// The number of elements on a side of the tile, or 0 if tiles do not pay.
static int64_t lanesOf(int64_t element, const CodeTarget &target) {
  if (!std::has_single_bit(static_cast<uint64_t>(element)) || element > 16 ||
      target.vectorBytes < 32)
    return 0;
  return std::min<int64_t>(target.vectorBytes / element, 16);
}

bool Emitter::emitTranspose(ArrayRef<FormLoop> loops, const Pattern &pattern,
                            Cursor at) {
  if (loops.size() < 2 || pattern.runs.size() != 1)
    return false;
  const FormLoop &columns = loops[loops.size() - 2], &rows = loops.back();
  int64_t element = pattern.bytes;
  int64_t lanes = lanesOf(element, target);
  if (lanes == 0 || columns.stride != element || rows.known < lanes ||
      std::abs(rows.stride) < lanes * element ||
      (columns.known >= 0 && columns.known < lanes))
    return false;

  at = offset(at, pattern.runs[0].offset, 0);
  int64_t columnBytes = rows.known * element;
  auto emitColumns = [&](Value *count, int64_t known, Cursor c) {
    emitLoop(count, element, columnBytes, c, [&](Cursor column) {
      emitPeriodic({{{0, element}}, element}, rows, column);
    });
  };
  auto emitTiles = [&](Value *turns, Cursor c) {
    int64_t tileRows = rows.known / lanes;
    // First the remaining rows below the tiles, then bands of tiles from top to
    // bottom.
    emitLoop(number(tileRows), lanes * rows.stride, lanes * element, c,
             [&](Cursor band) {
               emitLoop(turns, lanes * element, lanes * columnBytes, band,
                        [&](Cursor tile) {
                          int64_t fromStep = isPack ? rows.stride : columnBytes;
                          int64_t toStep = isPack ? columnBytes : rows.stride;
                          emitTile(element, lanes, fromStep, toStep, tile);
                        });
             });
    int64_t left = rows.known % lanes;
    if (left == 0)
      return;
    Cursor below =
        offset(c, tileRows * lanes * rows.stride, tileRows * lanes * element);
    Value *width = builder.CreateMul(turns, number(lanes));
    emitLoop(width, element, columnBytes, below, [&](Cursor column) {
      emitPeriodic({{{0, element}}, element}, {number(left), left, rows.stride},
                   column);
    });
  };
  emitLoops(loops.drop_back(2), columns.known * columnBytes, at, [&](Cursor c) {
    Value *turns = builder.CreateUDiv(columns.count, number(lanes));
    emitTiles(turns, c);
    Value *done = builder.CreateMul(turns, number(lanes));
    auto move = [&](Value *base, int64_t step) {
      return builder.CreateGEP(builder.getInt8Ty(), base,
                               builder.CreateMul(done, number(step)));
    };
    Value *left = builder.CreateSub(columns.count, done);
    emitColumns(left, -1,
                {move(c.strided, element), move(c.packed, columnBytes)});
  });
  return true;
}
