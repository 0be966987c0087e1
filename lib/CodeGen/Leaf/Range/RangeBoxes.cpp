//===- RangeBoxes.cpp - Loops over the boxes of instances -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leads from the number of a unit to its indices, through the levels within the
// unit, to calls of the group function. The group function runs a box of
// instances: as a whole, in tiles or in columns of tiles.
//
//===----------------------------------------------------------------------===//

#include "../Group/InstanceLoops.h"
#include "RangeBuilder.h"

using namespace llvm;

namespace sluice::codegen {

/// Sets the ids of some dimensions from the linear number of an instance.
void RangeBuilder::decode(Value *number, ArrayRef<Axis> fastestFirst) {
  for (const Axis &axis : fastestFirst) {
    Value *&id = ids[axis.level][axis.dim];
    if (&axis == &fastestFirst.back()) {
      id = number;
      return;
    }
    Value *extent = extents[axis.level][axis.dim];
    id = builder.CreateURem(number, extent);
    number = builder.CreateUDiv(number, extent);
  }
}

CallInst *RangeBuilder::callGroup(ArrayRef<Value *> counts, Part part) {
  Function *group = groupFor(part).function;
  SmallVector<Value *> arguments(group->arg_size());
  for (unsigned i = 0; i <= signature.numInputs; ++i)
    arguments[i] = parameter(i);
  for (unsigned level = 0; level < signature.numLevels; ++level)
    for (unsigned dim = 0; dim < 3; ++dim) {
      arguments[signature.id(level, dim)] = ids[level][dim];
      arguments[signature.extent(level, dim)] = extents[level][dim];
    }
  for (unsigned port = 0; port < signature.numOutputs; ++port) {
    arguments[signature.last(port)] =
        parameter(beginParameter() + 2 + 2 * port);
    arguments[signature.array(port)] =
        parameter(beginParameter() + 3 + 2 * port);
  }
  arguments[signature.lastUnit()] = builder.getInt1(part == Part::Last);
  for (unsigned dim = 0; dim < 3; ++dim)
    arguments[signature.count(dim)] = counts[dim];
  arguments[signature.scratch()] = scratch;
  CallInst *call = builder.CreateCall(group, arguments);
  // Code for the rest stays a separate function.
  if (part != Part::Bulk)
    call->setIsNoInline();
  calls.push_back(call);
  return call;
}

Value *RangeBuilder::minimum(Value *left, Value *right) {
  return builder.CreateBinaryIntrinsic(Intrinsic::smin, left, right);
}

/// Runs one tile. The extents are constants, which makes it fast, unless the
/// tile is at the border. Returns the start of the code of a whole tile.
BasicBlock *RangeBuilder::emitTile(ArrayRef<Value *> counts, Part part,
                                   int64_t width) {
  Value *isFull = builder.getTrue();
  SmallVector<Value *, 3> full;
  for (unsigned dim = 0; dim < 3; ++dim) {
    full.push_back(
        builder.getInt64(dim == 0 ? width : (*groupFor(part).tile)[dim]));
    isFull =
        builder.CreateAnd(isFull, builder.CreateICmpEQ(counts[dim], full[dim]));
  }
  LLVMContext &context = range->getContext();
  BasicBlock *whole = BasicBlock::Create(context, "tile.full", range);
  BasicBlock *border = BasicBlock::Create(context, "tile.border", range);
  BasicBlock *next = BasicBlock::Create(context, "tile.end", range);
  builder.CreateCondBr(isFull, whole, border);
  builder.SetInsertPoint(whole);
  callGroup(full, part);
  builder.CreateBr(next);
  builder.SetInsertPoint(border);
  callGroup(counts, part)->setIsNoInline();
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  return whole;
}

/// Runs vertically adjacent tiles of `width` columns.
TileColumn RangeBuilder::emitRowsOfTiles(ArrayRef<Value *> counts, Part part,
                                         int64_t width) {
  Value *&y = ids[lastLevel()][1], *first = y;
  int64_t step = (*groupFor(part).tile)[1];
  Value *end = builder.CreateNSWAdd(first, counts[1]);
  CountedLoop loop = beginCountedLoop(builder, first, end, "rows",
                                      /*mayBeEmpty=*/false, step);
  y = loop.index;
  Value *height = minimum(builder.CreateNSWSub(end, y), builder.getInt64(step));
  BasicBlock *full = emitTile({counts[0], height, counts[2]}, part, width);
  endCountedLoop(builder, loop);
  y = first;
  return {nullptr, full, loop.latch, unsigned(width)};
}

/// The same for tiles that read the same elements: if there are many tiles, the
/// elements are copied first.
void RangeBuilder::emitColumn(ArrayRef<Value *> counts, Part part,
                              int64_t width) {
  LLVMContext &context = range->getContext();
  BasicBlock *shared = BasicBlock::Create(context, "column.shared", range);
  BasicBlock *plain = BasicBlock::Create(context, "column.plain", range);
  BasicBlock *next = BasicBlock::Create(context, "column.end", range);
  Value *isLong = builder.CreateICmpSGE(counts[1], builder.getInt64(manyRows));
  BranchInst *choice = builder.CreateCondBr(isLong, shared, plain);
  builder.SetInsertPoint(shared);
  TileColumn column = emitRowsOfTiles(counts, part, width);
  column.choice = choice;
  columns.push_back(column);
  builder.CreateBr(next);
  builder.SetInsertPoint(plain);
  emitRowsOfTiles(counts, part, width);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// Runs one plane of a box whose tiles share columns: first the columns of the
/// widest tiles, then narrower ones for the remainder, and finally code for any
/// number of columns.
void RangeBuilder::emitColumns(ArrayRef<Value *> counts, Part part) {
  Value *&x = ids[lastLevel()][0], *first = x;
  Value *end = builder.CreateNSWAdd(first, counts[0]), *from = first;
  int64_t widest = (*groupFor(part).tile)[0];
  SmallVector<int64_t> widths{widest};
  for (int64_t width = widest / 4; widest % 16 == 0 && width >= 4; width /= 4)
    widths.push_back(width);
  for (int64_t width : widths) {
    Value *left = builder.CreateNSWSub(end, from);
    Value *to = builder.CreateNSWSub(
        end, builder.CreateURem(left, builder.getInt64(width)));
    CountedLoop loop = beginCountedLoop(builder, from, to, "column",
                                        /*mayBeEmpty=*/true, width);
    x = loop.index;
    Value *own[] = {builder.getInt64(width), counts[1], counts[2]};
    if (width == widest)
      emitColumn(own, part, width);
    else
      emitRowsOfTiles(own, part, width);
    endCountedLoop(builder, loop);
    from = to;
  }
  CountedLoop loop = beginCountedLoop(builder, from, end, "column.rest",
                                      /*mayBeEmpty=*/true, widest);
  x = loop.index;
  emitRowsOfTiles({builder.CreateNSWSub(end, from), counts[1], counts[2]}, part,
                  widest);
  endCountedLoop(builder, loop);
  x = first;
}

/// Runs the box that starts at the current ids, in tiles if needed.
void RangeBuilder::emitBox(ArrayRef<Value *> counts, Part part) {
  const GroupFunction &group = groupFor(part);
  if (!group.tile) {
    callGroup(counts, part);
    return;
  }
  std::array<Value *, 3> start = ids[lastLevel()];
  SmallVector<CountedLoop> loops;
  SmallVector<Value *, 3> tileCounts(counts);
  bool hasColumns =
      group.sharesColumns && constantExtent({lastLevel(), 1}) != 1;
  for (unsigned dim = 3; dim-- > 0;) {
    if (dim != 2 && hasColumns)
      continue;
    int64_t step = (*group.tile)[dim];
    if (constantExtent({lastLevel(), dim}) == 1) {
      tileCounts[dim] = builder.getInt64(1);
      continue;
    }
    Value *end = builder.CreateNSWAdd(start[dim], counts[dim]);
    loops.push_back(beginCountedLoop(builder, start[dim], end, "tile",
                                     /*mayBeEmpty=*/false, step));
    ids[lastLevel()][dim] = loops.back().index;
    tileCounts[dim] = minimum(builder.CreateNSWSub(end, loops.back().index),
                              builder.getInt64(step));
  }
  if (hasColumns)
    emitColumns(tileCounts, part);
  else
    emitTile(tileCounts, part, (*group.tile)[0]);
  for (const CountedLoop &loop : reverse(loops))
    endCountedLoop(builder, loop);
  ids[lastLevel()] = start;
}

/// Runs `numGroups` adjacent groups in x as one box.
void RangeBuilder::emitFusedBox(Value *firstGroup, Value *numGroups) {
  unsigned own = lastLevel(), parent = own - 1;
  std::array<Value *, 3> counts = extents[own], start = ids[own];
  ids[parent][0] = builder.getInt64(0); // Fused code does not use it.
  // The box covers all of the last level; earlier code may have left ids of it.
  ids[own].fill(builder.getInt64(0));
  ids[own][0] = builder.CreateNSWMul(firstGroup, extents[own][0]);
  counts[0] = builder.CreateNSWMul(numGroups, extents[own][0]);
  if (fused[1])
    ids[own][1] = builder.CreateNSWMul(ids[parent][1], extents[own][1]);
  emitBox(counts, Part::Bulk);
  ids[own] = start;
}

/// Units are groups, in rows of the parent's x.
void RangeBuilder::emitFusedUnits(Value *begin, Value *end) {
  SmallVector<Axis> unitAxes = axes(spec.numFixedLevels, lastLevel());
  Value *one = builder.getInt64(1);
  unsigned parent = lastLevel() - 1;
  if (constantExtent({parent, 0}) == 1) {
    CountedLoop loop = beginCountedLoop(builder, begin, end, "unit", true);
    decode(loop.index, unitAxes);
    emitFusedBox(builder.getInt64(0), one);
    endCountedLoop(builder, loop);
    return;
  }
  Value *length = extents[parent][0];
  Value *firstRow = builder.CreateUDiv(begin, length);
  Value *endRow = builder.CreateAdd(
      builder.CreateUDiv(builder.CreateSub(end, one), length), one);
  CountedLoop loop = beginCountedLoop(builder, firstRow, endRow, "row", true);
  Value *start = builder.CreateMul(loop.index, length);
  Value *from = builder.CreateBinaryIntrinsic(
      Intrinsic::smax, builder.CreateSub(begin, start), builder.getInt64(0));
  Value *to = minimum(builder.CreateSub(end, start), length);
  decode(loop.index, ArrayRef(unitAxes).drop_front());
  emitFusedBox(from, builder.CreateSub(to, from));
  endCountedLoop(builder, loop);
}

/// Loops over the levels that run completely for every unit; the last level
/// is the box.
void RangeBuilder::emitLevels(unsigned level, Part part) {
  if (level == lastLevel()) {
    emitBox(extents[level], part);
    return;
  }
  bool isFused = level + 1 == lastLevel() && fused[0] && part == Part::Bulk;
  SmallVector<CountedLoop> loops;
  SmallVector<Axis> fastestFirst = axes(level, level + 1);
  for (const Axis &axis : reverse(fastestFirst)) {
    if (isFused && axis.dim == 0)
      continue;
    loops.push_back(beginCountedLoop(builder, builder.getInt64(0),
                                     extents[axis.level][axis.dim], "level",
                                     /*mayBeEmpty=*/true));
    ids[axis.level][axis.dim] = loops.back().index;
  }
  if (isFused)
    emitFusedBox(builder.getInt64(0), extents[level][0]);
  else
    emitLevels(level + 1, part);
  for (const CountedLoop &loop : reverse(loops))
    endCountedLoop(builder, loop);
}

void RangeBuilder::emitUnits(Value *begin, Value *end, Part part) {
  if (fused[0] && part == Part::Bulk && spec.numUnitLevels == lastLevel()) {
    emitFusedUnits(begin, end);
    return;
  }
  CountedLoop loop = beginCountedLoop(builder, begin, end, "unit",
                                      /*mayBeEmpty=*/true);
  decode(loop.index, axes(spec.numFixedLevels, spec.numUnitLevels));
  emitLevels(spec.numUnitLevels, part);
  endCountedLoop(builder, loop);
}

} // namespace sluice::codegen
