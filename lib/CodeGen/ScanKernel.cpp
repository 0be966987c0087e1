//===- ScanKernel.cpp - Kernels whose elements become their scan ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instances of a chunk have written their elements, which are in the cache.
// If all chunks before are through, the elements become what they are to be in
// one pass. Else it is done alone first, from what changes nothing, and what
// the chunks before come to is folded into them later; both give the same bits:
//
//   x0 x1 x2 | x3 x4 ...     chunks; P = x0 + x1 + x2
//   behind    P + x3   P + (x3 + x4)   ...
//   alone     x3       x3 + x4         ...   joined: P + x3   P + (x3 + x4)
//
// Where it makes no difference to the bits, the pass behind goes on from P.
//
//===----------------------------------------------------------------------===//

#include "ReductionKernel.h"
#include "sluice-c/Reductions.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

using Op = LeafReduction::Op;
using Kind = LeafReduction::Kind;

namespace {
/// Emits one step for the elements of one scan.
class ScanSteps {
public:
  ScanSteps(IRBuilder<> &b, const LeafReduction &scan, Value *elements,
            Value *count, Value *copy, Value *before);

  void scan(bool isBehind);
  void join();
  /// The first element of all, in an exclusive scan.
  void setFirst(Value *chunk);

private:
  AllocaInst *makeSlot();
  Value *elementAt(Value *index);
  bool isAssociative() const;

  IRBuilder<> &b;
  const LeafReduction &reduction;
  Value *elements, *count, *copy, *before;
};
} // namespace

ScanSteps::ScanSteps(IRBuilder<> &b, const LeafReduction &scan,
                     Value *elements, Value *count, Value *copy, Value *before)
    : b(b), reduction(scan), elements(elements), count(count), copy(copy),
      before(before) {}

AllocaInst *ScanSteps::makeSlot() {
  BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> first(&entry, entry.begin());
  Type *type = reduction.type
                   ? reduction.type
                   : ArrayType::get(b.getInt8Ty(), reduction.elementBytes);
  AllocaInst *slot = first.CreateAlloca(type);
  slot->setAlignment(Align(16));
  return slot;
}

Value *ScanSteps::elementAt(Value *index) {
  Value *distance = b.CreateMul(index, b.getInt64(reduction.elementBytes), "",
                                /*HasNUW=*/true, /*HasNSW=*/true);
  return b.CreateInBoundsGEP(b.getInt8Ty(), elements, distance);
}

/// Whether results are the same bits wherever the parentheses are. (Extremes
/// keep the first of equal numbers, and choose no NaN.)
bool ScanSteps::isAssociative() const {
  if (reduction.op == Op::User)
    return false;
  return reduction.type->isIntegerTy() || reduction.op == Op::Min ||
         reduction.op == Op::Max;
}

void ScanSteps::scan(bool isBehind) {
  AllocaInst *sum = makeSlot(), *all = makeSlot(), *own = makeSlot();
  bool goesOn = isBehind && isAssociative();
  resetElement(b, reduction, sum);
  if (isBehind)
    copyElement(b, reduction, goesOn ? sum : all, before);
  UnitLoop loop(b, b.getInt64(0), count);
  Value *element = elementAt(loop.index);
  copyElement(b, reduction, own, element);
  auto write = [&] {
    if (isBehind && !goesOn) {
      copyElement(b, reduction, element, all);
      foldElement(b, reduction, element, sum);
    } else {
      copyElement(b, reduction, element, sum);
    }
  };
  if (reduction.kind == Kind::ExclusiveScan)
    write();
  foldElement(b, reduction, sum, own);
  if (reduction.kind == Kind::Scan)
    write();
  loop.finish();
  if (isBehind && !goesOn) {
    copyElement(b, reduction, copy, all);
    foldElement(b, reduction, copy, sum);
  } else {
    copyElement(b, reduction, copy, sum);
  }
}

void ScanSteps::join() {
  AllocaInst *all = makeSlot(), *own = makeSlot();
  copyElement(b, reduction, all, before);
  auto foldInto = [&](Value *place) {
    copyElement(b, reduction, own, place);
    copyElement(b, reduction, place, all);
    foldElement(b, reduction, place, own);
  };
  UnitLoop loop(b, b.getInt64(0), count);
  foldInto(elementAt(loop.index));
  loop.finish();
  foldInto(copy);
}

/// What changes no sum is -0.0, but a sum of nothing is 0.0.
void ScanSteps::setFirst(Value *chunk) {
  if (reduction.kind != Kind::ExclusiveScan || reduction.op != Op::Sum ||
      !reduction.type->isFloatingPointTy())
    return;
  LLVMContext &context = b.getContext();
  Function *function = b.GetInsertBlock()->getParent();
  auto *first = BasicBlock::Create(context, "first", function);
  auto *rest = BasicBlock::Create(context, "rest", function);
  b.CreateCondBr(b.CreateIsNull(chunk), first, rest);
  b.SetInsertPoint(first);
  b.CreateStore(ConstantFP::get(reduction.type, 0.0), elements);
  b.CreateBr(rest);
  b.SetInsertPoint(rest);
}

/// A SluiceScan of the C interface.
Function *KernelEmitter::emitScan(const FlatNode &node, StringRef name) {
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::get(context, 0), *i64 = Type::getInt64Ty(context);
  auto *type =
      FunctionType::get(Type::getVoidTy(context),
                        {ptr, ptr, i64, Type::getInt32Ty(context)}, false);
  Function *function =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(
      Attribute::getWithUWTableKind(context, UWTableKind::Async));
  Value *frame = function->getArg(0), *chunk = function->getArg(2);
  IRBuilder<> b(BasicBlock::Create(context, "entry", function));
  StructType *copies = copiesType(context);
  auto field = [&](unsigned index) {
    return b.CreateLoad(
        copies->getElementType(index),
        b.CreateStructGEP(copies, function->getArg(1), index));
  };
  CopyLayout layout = layOutCopies(node, frame, b);
  Value *copy = b.CreateInBoundsGEP(b.getInt8Ty(), field(0),
                                    b.CreateMul(chunk, layout.size));
  Value *units = field(5);
  Value *first = b.CreateMul(chunk, units);
  Value *count = b.CreateBinaryIntrinsic(Intrinsic::umin, units,
                                         b.CreateSub(field(6), first));
  SmallVector<Value *> elements;
  SmallVector<LeafReduction> reductions = reductionsOfNode(node, module);
  for (const LeafReduction &reduction : reductions)
    elements.push_back(
        isScan(reduction)
            ? b.CreateInBoundsGEP(
                  b.getInt8Ty(),
                  loadInput(node, reduction.memory->getArgNo(), frame, b),
                  b.CreateMul(first, b.getInt64(reduction.elementBytes)))
            : nullptr);

  auto *end = BasicBlock::Create(context, "end", function);
  SwitchInst *steps = b.CreateSwitch(function->getArg(3), end, 3);
  auto emitStep = [&](uint32_t step) {
    auto *block = BasicBlock::Create(context, "step", function);
    steps->addCase(b.getInt32(step), block);
    b.SetInsertPoint(block);
    for (auto [reduction, memory, offset] :
         llvm::zip(reductions, elements, layout.offsets)) {
      if (!isScan(reduction))
        continue;
      Value *own = b.CreateInBoundsGEP(b.getInt8Ty(), copy, offset);
      Value *before =
          b.CreateGEP(b.getInt8Ty(), own, b.CreateNeg(layout.size));
      ScanSteps scan(b, reduction, memory, count, own, before);
      if (step == SLUICE_SCAN_JOIN)
        scan.join();
      else
        scan.scan(/*isBehind=*/step == SLUICE_SCAN_BEHIND);
      if (step == SLUICE_SCAN_ALONE)
        scan.setFirst(chunk);
    }
    b.CreateBr(end);
  };
  emitStep(SLUICE_SCAN_ALONE);
  emitStep(SLUICE_SCAN_BEHIND);
  emitStep(SLUICE_SCAN_JOIN);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
  return function;
}
