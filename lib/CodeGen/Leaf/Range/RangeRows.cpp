//===- RangeRows.cpp - Loops over units and rows --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a range counts single instances, it consists mostly of whole rows of the
// last level. Groups that the range cuts, and the last unit, are handled
// separately.
//
//===----------------------------------------------------------------------===//

#include "../Group/InstanceLoops.h"
#include "RangeBuilder.h"

using namespace llvm;

namespace sluice::codegen {

/// The number of rows of the last level, from `row` on, that make one box. Only
/// with tiles there are several: as many as a tile has or all, and only
/// complete rows of one plane.
Value *RangeBuilder::numRowsAtOnce(Value *row, Value *begin, Value *end,
                                   Part part) {
  Value *one = builder.getInt64(1);
  const GroupFunction &group = groupFor(part);
  if (!group.tile || (*group.tile)[1] == 1)
    return one;
  Value *length = extents[lastLevel()][0];
  Value *firstFull = builder.CreateUDiv(
      builder.CreateAdd(begin, builder.CreateSub(length, one)), length);
  Value *endFull = builder.CreateUDiv(end, length);
  Value *isFull = builder.CreateAnd(builder.CreateICmpSGE(row, firstFull),
                                    builder.CreateICmpSLT(row, endFull));
  Value *left =
      minimum(builder.CreateSub(extents[lastLevel()][1], ids[lastLevel()][1]),
              builder.CreateSub(endFull, row));
  if (!group.sharesColumns)
    left = minimum(left, builder.getInt64((*group.tile)[1]));
  return builder.CreateSelect(isFull, left, one);
}

/// Whether instances compare numbers that are not known at compile time, as in
/// `if (j == k) return;`. In unrolled rows, each vector keeps a mask for this,
/// and there are more masks than registers.
static bool comparesUnknown(const Instruction &instruction) {
  const auto *test = dyn_cast<ICmpInst>(&instruction);
  return test && test->isEquality() && !isa<Constant>(test->getOperand(0)) &&
         !isa<Constant>(test->getOperand(1)) &&
         any_of(test->users(), [](const User *user) {
           return !cast<Instruction>(user)->getMetadata(LLVMContext::MD_loop);
         });
}

/// Whether separate code for whole rows pays off, in addition to the code for
/// any part of a row. It knows the length of rows, which makes short rows
/// faster, if there is little code. The analysis of atomic updates only covers
/// one function.
bool RangeBuilder::knowsWholeRows(Part part) const {
  constexpr unsigned most = 200;
  constexpr int64_t longest = 2048;
  const GroupFunction &group = groupFor(part);
  std::optional<int64_t> length = constantExtent({lastLevel(), 0});
  if (part != Part::Bulk || group.tile || spec.options.reference || !length ||
      *length > longest)
    return false;
  unsigned size = 0;
  for (const BasicBlock &block : *group.function)
    for (const Instruction &instruction : block)
      if (++size > most || instruction.isAtomic() ||
          comparesUnknown(instruction))
        return false;
  return true;
}

/// Runs `count` instances from the current ids on: usually a whole row, except
/// at the ends of the range.
void RangeBuilder::emitRow(Value *count, Part part) {
  LLVMContext &context = range->getContext();
  BasicBlock *whole = BasicBlock::Create(context, "row.whole", range);
  BasicBlock *cut = BasicBlock::Create(context, "row.cut", range);
  BasicBlock *next = BasicBlock::Create(context, "row.end", range);
  Value *length = extents[lastLevel()][0], *one = builder.getInt64(1);
  Value *&x = ids[lastLevel()][0], *first = x;
  builder.CreateCondBr(builder.CreateICmpEQ(count, length), whole, cut);
  builder.SetInsertPoint(whole);
  x = builder.getInt64(0);
  callGroup({length, one, one}, part);
  builder.CreateBr(next);
  builder.SetInsertPoint(cut);
  x = first;
  callGroup({count, one, one}, part)->setIsNoInline();
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// Units are single instances; boxes are rows of the last level's x, or parts
/// of a row.
void RangeBuilder::emitRows(Value *begin, Value *end, Part part) {
  SmallVector<Axis> unitAxes = axes(spec.numFixedLevels, spec.numUnitLevels);
  Value *one = builder.getInt64(1);
  Value *&x = ids[lastLevel()][0];
  if (constantExtent({lastLevel(), 0}) == 1) {
    CountedLoop loop = beginCountedLoop(builder, begin, end, "unit", true);
    decode(loop.index, unitAxes);
    emitBox({one, one, one}, part);
    endCountedLoop(builder, loop);
    return;
  }
  if (unitAxes.size() == 1) {
    x = begin;
    emitBox({builder.CreateSub(end, begin), one, one}, part);
    return;
  }
  Value *length = extents[lastLevel()][0];
  Value *firstRow = builder.CreateUDiv(begin, length);
  Value *lastRow = builder.CreateUDiv(builder.CreateSub(end, one), length);

  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *body = BasicBlock::Create(range->getContext(), "rows", range);
  BasicBlock *exit = BasicBlock::Create(range->getContext(), "rows.end", range);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  PHINode *row = builder.CreatePHI(builder.getInt64Ty(), 2, "row");
  row->addIncoming(firstRow, before);
  Value *start = builder.CreateMul(row, length);
  Value *isFirst = builder.CreateICmpEQ(row, firstRow);
  x = builder.CreateSelect(isFirst, builder.CreateSub(begin, start),
                           builder.getInt64(0));
  Value *isLast = builder.CreateICmpEQ(row, lastRow);
  Value *stop =
      builder.CreateSelect(isLast, builder.CreateSub(end, start), length);
  decode(row, ArrayRef(unitAxes).drop_front());
  Value *numRows = numRowsAtOnce(row, begin, end, part);
  Value *count = builder.CreateSub(stop, x);
  if (knowsWholeRows(part))
    emitRow(count, part);
  else
    emitBox({count, numRows, one}, part);
  Value *next = builder.CreateAdd(row, numRows, "", true, true);
  row->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpSLE(next, lastRow), body, exit);
  builder.SetInsertPoint(exit);
}

/// Units are instances, but whole groups can be fused. The instances before the
/// first and after the last whole group run separately.
void RangeBuilder::emitFusedInstances(Value *begin, Value *end) {
  Value *size = numInstances(lastLevel(), signature.numLevels);
  Value *up =
      builder.CreateAdd(begin, builder.CreateSub(size, builder.getInt64(1)));
  Value *firstGroup = builder.CreateUDiv(up, size);
  Value *endGroup = builder.CreateBinaryIntrinsic(
      Intrinsic::smax, builder.CreateUDiv(end, size), firstGroup);
  Value *headEnd = minimum(builder.CreateMul(firstGroup, size), end);
  Value *tailBegin = builder.CreateBinaryIntrinsic(
      Intrinsic::smax, headEnd,
      minimum(builder.CreateMul(endGroup, size), end));
  emitIfAny(begin, headEnd, Part::Edge);
  emitIfAny(firstGroup, endGroup, Part::Bulk);
  emitIfAny(tailBegin, end, Part::Edge);
}

/// Emits the loops over a range that is not empty. For the bulk of fused
/// groups, the range counts groups.
void RangeBuilder::emitPart(Value *begin, Value *end, Part part) {
  if (!countsInstances())
    emitUnits(begin, end, part);
  else if (fused[0] && part == Part::Bulk)
    emitFusedUnits(begin, end);
  else
    emitRows(begin, end, part);
}

void RangeBuilder::emitIfAny(Value *begin, Value *end, Part part) {
  BasicBlock *some = BasicBlock::Create(range->getContext(), "some", range);
  BasicBlock *next = BasicBlock::Create(range->getContext(), "next", range);
  builder.CreateCondBr(builder.CreateICmpSLT(begin, end), some, next);
  builder.SetInsertPoint(some);
  emitPart(begin, end, part);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// Emits everything between entry and return. Only the last unit can contain
/// the instance whose values leave the node, so it runs separately: the bulk
/// then needs no outputs.
void RangeBuilder::emitAll() {
  Value *begin = parameter(beginParameter());
  Value *end = parameter(beginParameter() + 1);
  // Signed divisions of ids can then become unsigned ones.
  builder.CreateAssumption(builder.CreateICmpSGE(begin, builder.getInt64(0)));
  Value *hasWork =
      builder.CreateAnd(builder.CreateICmpSLT(begin, end),
                        builder.CreateICmpSGT(numInstances(spec.numUnitLevels,
                                                           signature.numLevels),
                                              builder.getInt64(0)));
  BasicBlock *work = BasicBlock::Create(range->getContext(), "work", range);
  BasicBlock *done = BasicBlock::Create(range->getContext(), "done", range);
  builder.CreateCondBr(hasWork, work, done);
  builder.SetInsertPoint(work);
  allocateScratch();

  Value *bulkEnd = end;
  if (hasLastOutput()) {
    Value *total = numInstances(spec.numFixedLevels, spec.numUnitLevels);
    Value *holdsLast = builder.CreateICmpEQ(end, total);
    bulkEnd = builder.CreateSub(
        end, builder.CreateZExt(holdsLast, builder.getInt64Ty()));
  }
  if (countsInstances() && fused[0])
    emitFusedInstances(begin, bulkEnd);
  else
    emitIfAny(begin, bulkEnd, Part::Bulk);
  if (hasLastOutput())
    emitIfAny(bulkEnd, end, Part::Last);
  freeScratch();
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
}

} // namespace sluice::codegen
