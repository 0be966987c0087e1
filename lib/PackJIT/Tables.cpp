//===- Tables.cpp - Loops over constant tables of offsets -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists too long for a straight line are read from a table in the code's
// constants, with 32 bits per offset if possible.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace llvm;
using namespace sluice::pack;
using namespace sluice::pack::jit;

/// Offsets handled per iteration of a loop over a table.
static constexpr int64_t placesPerTurn = 8;
/// Runs of unknown length from this length on are copied by a call.
static constexpr int64_t tableCallBytes = 1024;

Value *Emitter::emitTable(ArrayRef<int64_t> values, Type *&elementType) {
  LLVMContext &llvmContext = builder.getContext();
  Module &module = *function()->getParent();
  bool isNarrow =
      llvm::all_of(values, [](int64_t value) { return isInt<32>(value); });
  Constant *data = nullptr;
  if (isNarrow) {
    SmallVector<uint32_t, 0> narrow(values.begin(), values.end());
    data = ConstantDataArray::get(llvmContext, narrow);
    elementType = builder.getInt32Ty();
  } else {
    SmallVector<uint64_t, 0> wide(values.begin(), values.end());
    data = ConstantDataArray::get(llvmContext, wide);
    elementType = builder.getInt64Ty();
  }
  auto *table = new GlobalVariable(module, data->getType(), true,
                                   GlobalValue::PrivateLinkage, data, "places");
  table->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return table;
}

void Emitter::emitIndexedTable(const Form &form, Cursor at) {
  const Form &child = *form.children[0];
  auto count = static_cast<int64_t>(form.offsets.size());
  Type *type = nullptr;
  Value *table = emitTable(form.offsets, type);
  int64_t entry = type->isIntegerTy(32) ? 4 : 8;
  int64_t turn = countRuns(child, 1) <= 1 ? placesPerTurn : 1;
  static_assert(placesPerTurn % collectedBlocks == 0);
  bool isCollected = child.kind == FormKind::Block && collects(child.size);
  // The loop's strided address walks along the table instead.
  Value *base = at.strided;
  auto emitPlaces = [&](int64_t places, Cursor c) {
    SmallVector<Value *, collectedBlocks> blocks;
    for (int64_t i = 0; i != places; ++i) {
      Value *place = builder.CreateLoad(type, offset(c.strided, i * entry));
      place = builder.CreateSExt(place, builder.getInt64Ty());
      Value *strided = builder.CreateGEP(builder.getInt8Ty(), base, place);
      if (!isCollected || places < placesPerTurn) {
        emitForm(child, {strided, offset(c.packed, i * child.size)});
        continue;
      }
      blocks.push_back(strided);
      if (blocks.size() != collectedBlocks)
        continue;
      auto first = i + 1 - static_cast<int64_t>(collectedBlocks);
      emitCollected(blocks, child.size, offset(c.packed, first * child.size));
      blocks.clear();
    }
  };
  Cursor end =
      emitLoop(number(count / turn), turn * entry, turn * child.size,
               {table, at.packed}, [&](Cursor c) { emitPlaces(turn, c); });
  emitPlaces(count % turn, end);
}

/// Moves `length` bytes, at most one vector.
void Emitter::emitMaskedMove(Cursor at, Value *length) {
  auto lanes = static_cast<unsigned>(target.vectorBytes);
  SmallVector<Constant *, 64> numbers;
  for (unsigned i = 0; i != lanes; ++i)
    numbers.push_back(builder.getInt8(static_cast<uint8_t>(i)));
  Value *used = builder.CreateTrunc(length, builder.getInt8Ty());
  Value *mask = builder.CreateICmpULT(ConstantVector::get(numbers),
                                      builder.CreateVectorSplat(lanes, used));
  auto *bytes = FixedVectorType::get(builder.getInt8Ty(), lanes);
  Value *from = isPack ? at.strided : at.packed;
  Value *to = isPack ? at.packed : at.strided;
  Value *value = builder.CreateMaskedLoad(bytes, from, Align(1), mask,
                                          Constant::getNullValue(bytes));
  builder.CreateMaskedStore(value, to, Align(1), mask);
}

/// Emits one of two pieces of code, selected at run time.
static void emitChoice(IRBuilder<> &builder, Value *condition,
                       function_ref<void()> then, function_ref<void()> other) {
  Function *function = builder.GetInsertBlock()->getParent();
  LLVMContext &context = builder.getContext();
  auto *first = BasicBlock::Create(context, "short", function);
  auto *second = BasicBlock::Create(context, "long", function);
  auto *after = BasicBlock::Create(context, "copied", function);
  builder.CreateCondBr(condition, first, second);
  builder.SetInsertPoint(first);
  then();
  builder.CreateBr(after);
  builder.SetInsertPoint(second);
  other();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

/// Copies any number of bytes; most runs of tables are short.
void Emitter::emitVariableCopy(Cursor at, Value *length, int64_t longest) {
  if (longest <= target.vectorBytes)
    return emitMaskedMove(at, length);
  int64_t width = target.vectorBytes;
  auto emitVectors = [&] {
    Value *turns = builder.CreateLShr(
        length, number(Log2_64(static_cast<uint64_t>(width))));
    Cursor end = emitLoop(turns, width, width, at, [&](Cursor c) {
      emitMove(moveType(width), 0, 0, c);
    });
    emitMaskedMove(end, builder.CreateAnd(length, number(width - 1)));
  };
  auto emitLong = [&] {
    emitChoice(builder, builder.CreateICmpULT(length, number(tableCallBytes)),
               emitVectors, [&] { emitCopyCall(at, length); });
  };
  emitChoice(
      builder, builder.CreateICmpULE(length, number(width)),
      [&] { emitMaskedMove(at, length); }, emitLong);
}

void Emitter::emitRunsTable(ArrayRef<StridedRun> runs, Cursor at) {
  SmallVector<int64_t, 0> offsets, lengths;
  for (const StridedRun &run : runs) {
    offsets.push_back(run.offset);
    lengths.push_back(run.length);
  }
  int64_t longest = *llvm::max_element(lengths);
  Type *offsetType = nullptr, *lengthType = nullptr;
  Value *offsetTable = emitTable(offsets, offsetType);
  Value *lengthTable = emitTable(lengths, lengthType);
  auto entryOf = [&](Value *table, Type *type, Value *index) -> Value * {
    Value *place = builder.CreateGEP(type, table, index);
    return builder.CreateSExt(builder.CreateLoad(type, place),
                              builder.getInt64Ty());
  };
  // The packed address of a run depends on all earlier lengths.
  Value *packed = at.packed;
  auto emitRunAt = [&](Value *index) {
    Value *offset = entryOf(offsetTable, offsetType, index);
    Value *length = entryOf(lengthTable, lengthType, index);
    Value *strided = builder.CreateGEP(builder.getInt8Ty(), at.strided, offset);
    emitVariableCopy({strided, packed}, length, longest);
    packed = builder.CreateGEP(builder.getInt8Ty(), packed, length);
  };
  int64_t turn = longest <= target.vectorBytes ? 4 : 1;
  auto total = static_cast<int64_t>(runs.size());
  int64_t inTurns = total / turn * turn;

  BasicBlock *before = builder.GetInsertBlock();
  auto *loop = BasicBlock::Create(builder.getContext(), "runs", function());
  auto *after = BasicBlock::Create(builder.getContext(), "rest", function());
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2, "run");
  PHINode *address = builder.CreatePHI(builder.getPtrTy(), 2, "packed");
  packed = address;
  for (int64_t i = 0; i != turn; ++i)
    emitRunAt(builder.CreateAdd(index, number(i)));
  Value *next = builder.CreateAdd(index, number(turn));
  index->addIncoming(number(0), before);
  index->addIncoming(next, builder.GetInsertBlock());
  address->addIncoming(at.packed, before);
  address->addIncoming(packed, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpNE(next, number(inTurns)), loop,
                       after);
  builder.SetInsertPoint(after);
  for (int64_t i = inTurns; i != total; ++i)
    emitRunAt(number(i));
}
