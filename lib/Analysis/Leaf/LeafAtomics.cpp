//===- LeafAtomics.cpp - The atomic operations of HPVM --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single place that knows what each atomic operation does and makes
// instructions of it: for checks, code generation, and front ends for code that
// also runs as ordinary code.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LeafAtomics.h"
#include "sluice/Analysis/BarrierCheck.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace sluice {

std::optional<HPVMAtomic> hpvmAtomicOf(const Value &value) {
  StringRef name = hpvmIntrinsicName(value);
  if (!name.consume_front("atomic."))
    return std::nullopt;
  const auto &call = cast<CallBase>(value);
  StringRef operation = name.split('.').first;
  // Calls in unchecked code may have any form.
  if (call.arg_size() < (operation == "store" ? 2 : 1) ||
      !call.getArgOperand(0)->getType()->isPointerTy())
    return std::nullopt;
  HPVMAtomic atomic{operation, call.getArgOperand(0), call.getType()};
  if (operation == "load")
    atomic.isWritten = false;
  if (operation == "store") {
    atomic.isRead = false;
    atomic.type = call.getArgOperand(1)->getType();
  }
  return atomic;
}

static std::optional<AtomicRMWInst::BinOp> updateNamed(StringRef operation,
                                                       bool isReal) {
  using Op = AtomicRMWInst::BinOp;
  if (isReal)
    return StringSwitch<std::optional<Op>>(operation)
        .Case("add", Op::FAdd)
        .Case("xchg", Op::Xchg)
        .Default(std::nullopt);
  return StringSwitch<std::optional<Op>>(operation)
      .Cases({"add", "inc"}, Op::Add)
      .Cases({"sub", "dec"}, Op::Sub)
      .Case("xchg", Op::Xchg)
      .Case("min", Op::Min)
      .Case("max", Op::Max)
      .Case("umin", Op::UMin)
      .Case("umax", Op::UMax)
      .Case("and", Op::And)
      .Case("or", Op::Or)
      .Case("xor", Op::Xor)
      .Default(std::nullopt);
}

Value *emitAtomic(IRBuilderBase &builder, StringRef operation,
                  ArrayRef<Value *> arguments, Type *type) {
  constexpr AtomicOrdering relaxed = AtomicOrdering::Monotonic;
  const DataLayout &layout = builder.GetInsertBlock()->getDataLayout();
  Value *address = arguments[0];
  if (operation == "load") {
    LoadInst *load = builder.CreateAlignedLoad(
        type, address, Align(layout.getTypeStoreSize(type)));
    load->setAtomic(relaxed);
    return load;
  }
  if (operation == "store") {
    Value *value = arguments[1];
    StoreInst *store = builder.CreateAlignedStore(
        value, address, Align(layout.getTypeStoreSize(value->getType())));
    store->setAtomic(relaxed);
    return store;
  }
  if (operation == "cmpxchg") {
    Value *pair = builder.CreateAtomicCmpXchg(
        address, arguments[1], arguments[2], MaybeAlign(), relaxed, relaxed);
    return builder.CreateExtractValue(pair, 0);
  }
  std::optional<AtomicRMWInst::BinOp> update =
      updateNamed(operation, type->isFloatingPointTy());
  if (!update)
    return nullptr;
  Value *operand =
      arguments.size() > 1 ? arguments[1] : ConstantInt::get(type, 1);
  return builder.CreateAtomicRMW(*update, address, operand, MaybeAlign(),
                                 relaxed);
}

} // namespace sluice
