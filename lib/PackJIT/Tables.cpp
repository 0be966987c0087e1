//===- Tables.cpp - Loops over constant tables of places ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists too long for a straight line are read from a table in the code's own
// constants, with 32 bits a place where that suffices.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace llvm;
using namespace sluice::pack;

/// Places copied by one turn of a loop over a table.
static constexpr int64_t placesPerTurn = 8;
/// Runs of unknown length from here on are copied by a call.
static constexpr int64_t callBytes = 1024;

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
  // The loop's strided address walks along the table instead.
  Value *base = at.strided;
  auto emitPlaces = [&](int64_t places, Cursor c) {
    for (int64_t i = 0; i != places; ++i) {
      Value *place = builder.CreateLoad(type, offset(c.strided, i * entry));
      place = builder.CreateSExt(place, builder.getInt64Ty());
      Value *strided = builder.CreateGEP(builder.getInt8Ty(), base, place);
      emitForm(child, {strided, offset(c.packed, i * child.size)});
    }
  };
  Cursor end =
      emitLoop(number(count / turn), turn * entry, turn * child.size,
               {table, at.packed}, [&](Cursor c) { emitPlaces(turn, c); });
  emitPlaces(count % turn, end);
}

void Emitter::emitVariableCopy(Cursor at, Value *length) {
  if (!target.hasMasks)
    return emitCopyCall(at, length);
  int64_t width = target.vectorBytes;
  Value *turns =
      builder.CreateLShr(length, number(Log2_64(static_cast<uint64_t>(width))));
  Type *type = moveType(width);
  Cursor end = emitLoop(turns, width, width, at,
                        [&](Cursor c) { emitMove(type, 0, 0, c); });
  auto lanes = static_cast<unsigned>(width);
  SmallVector<Constant *, 64> numbers;
  for (unsigned i = 0; i != lanes; ++i)
    numbers.push_back(builder.getInt8(static_cast<uint8_t>(i)));
  Value *rest = builder.CreateTrunc(
      builder.CreateAnd(length, number(width - 1)), builder.getInt8Ty());
  Value *mask = builder.CreateICmpULT(ConstantVector::get(numbers),
                                      builder.CreateVectorSplat(lanes, rest));
  auto *bytes = FixedVectorType::get(builder.getInt8Ty(), lanes);
  Value *from = isPack ? end.strided : end.packed;
  Value *to = isPack ? end.packed : end.strided;
  Value *value = builder.CreateMaskedLoad(bytes, from, Align(1), mask,
                                          Constant::getNullValue(bytes));
  builder.CreateMaskedStore(value, to, Align(1), mask);
}

/// Emits one of two pieces of code, chosen when it runs.
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

void Emitter::emitRunsTable(ArrayRef<Run> runs, Cursor at) {
  SmallVector<int64_t, 0> offsets, lengths, positions;
  int64_t packed = 0;
  for (const Run &run : runs) {
    offsets.push_back(run.offset);
    lengths.push_back(run.length);
    positions.push_back(packed);
    packed += run.length;
  }
  Type *offsetType = nullptr, *lengthType = nullptr, *positionType = nullptr;
  Value *offsetTable = emitTable(offsets, offsetType);
  Value *lengthTable = emitTable(lengths, lengthType);
  Value *positionTable = emitTable(positions, positionType);
  auto entryOf = [&](Value *table, Type *type, Value *index) -> Value * {
    Value *value =
        builder.CreateLoad(type, builder.CreateGEP(type, table, index));
    return builder.CreateSExt(value, builder.getInt64Ty());
  };
  Value *total = number(static_cast<int64_t>(runs.size()));
  Value *zero = ConstantPointerNull::get(builder.getPtrTy());
  emitLoop(total, 1, 0, {zero, at.packed}, [&](Cursor c) {
    Value *index = builder.CreatePtrToInt(c.strided, builder.getInt64Ty());
    auto addressOf = [&](Value *base, Value *table, Type *type) {
      return builder.CreateGEP(builder.getInt8Ty(), base,
                               entryOf(table, type, index));
    };
    Cursor place = {addressOf(at.strided, offsetTable, offsetType),
                    addressOf(at.packed, positionTable, positionType)};
    Value *length = entryOf(lengthTable, lengthType, index);
    emitChoice(
        builder, builder.CreateICmpULT(length, number(callBytes)),
        [&] { emitVariableCopy(place, length); },
        [&] { emitCopyCall(place, length); });
  });
}
