//===- ScanKernel.cpp - Kernels whose elements become their scan ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instances of a chunk write some elements, which then become their scan,
// then some more: while elements are in the cache, reading and writing them
// again is cheap. If all earlier chunks are complete, elements get their final
// value at once. Otherwise the chunk is first scanned alone, from the neutral
// value, and the total of the earlier chunks is folded into its elements later.
// Both give the same bits:
//
//   x0 x1 x2 | x3 x4 ...     chunks; P = x0 + x1 + x2
//   behind    P + x3   P + (x3 + x4)   ...
//   alone     x3       x3 + x4         ...   joined: P + x3   P + (x3 + x4)
//
// If it makes no difference to the bits, a chunk behind continues from P.
//
//===----------------------------------------------------------------------===//

#include "ReductionKernel.h"
#include "sluice-c/Reductions.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

using Op = LeafReduction::Op;
using Kind = LeafReduction::Kind;

AllocaInst *codegen::makeElement(IRBuilder<> &b,
                                 const LeafReduction &reduction) {
  BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> first(&entry, entry.begin());
  Type *type = reduction.type
                   ? reduction.type
                   : ArrayType::get(b.getInt8Ty(), reduction.elementBytes);
  AllocaInst *slot = first.CreateAlloca(type);
  slot->setAlignment(Align(16));
  return slot;
}

static void emitLoop(IRBuilder<> &b, const LeafReduction &reduction,
                     Value *elements, Value *count,
                     function_ref<void(Value *)> emit) {
  UnitLoop loop(b, b.getInt64(0), count);
  Value *distance =
      b.CreateMul(loop.index, b.getInt64(reduction.elementBytes), "",
                  /*HasNUW=*/true, /*HasNSW=*/true);
  emit(b.CreateInBoundsGEP(b.getInt8Ty(), elements, distance));
  loop.finish();
}

static void emitBranch(IRBuilder<> &b, Value *condition,
                       function_ref<void()> emit,
                       function_ref<void()> otherwise) {
  LLVMContext &context = b.getContext();
  Function *function = b.GetInsertBlock()->getParent();
  auto *first = BasicBlock::Create(context, "if", function);
  auto *second = BasicBlock::Create(context, "else", function);
  auto *after = BasicBlock::Create(context, "after", function);
  b.CreateCondBr(condition, first, second);
  b.SetInsertPoint(first);
  emit();
  b.CreateBr(after);
  b.SetInsertPoint(second);
  otherwise();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

/// Whether results have the same bits for any placement of parentheses. (Minima
/// and maxima keep the first of equal numbers, and never select NaN.)
bool ChunkScan::isAssociative() const {
  if (reduction.op == Op::User)
    return false;
  return reduction.type->isIntegerTy() || reduction.op == Op::Min ||
         reduction.op == Op::Max;
}

void ChunkScan::begin() {
  resetElement(b, reduction, copy);
  if (isAssociative())
    emitBranch(
        b, isBehind, [&] { copyElement(b, reduction, copy, before); }, [] {});
}

/// `values`, shifted by `distance` lanes; neutral values are shifted in.
static Value *shiftLanes(IRBuilder<> &b, Value *none, Value *values,
                         unsigned distance) {
  unsigned lanes = cast<FixedVectorType>(values->getType())->getNumElements();
  SmallVector<int> mask;
  for (unsigned lane = 0; lane != lanes; ++lane)
    mask.push_back(lane < distance ? lane : lanes + lane - distance);
  return b.CreateShuffleVector(none, values, mask);
}

/// Scans as many elements as fill whole vectors, continuing from the value at
/// `sum`. Returns their number.
///
///   x0       x1       x2       x3
///   x0       x0+x1    x1+x2    x2+x3       one lane further
///   x0       x0+x1    x0..x2   x0..x3      two lanes further, and so on
Value *ChunkScan::scanVectors(Value *elements, Value *count, Value *sum) {
  constexpr unsigned vectorBytes = 32;
  unsigned lanes = vectorBytes / reduction.elementBytes;
  auto *type = FixedVectorType::get(reduction.type, lanes);
  Value *none = b.CreateVectorSplat(lanes, identityOf(reduction));
  auto fold = [&](Value *into, Value *from) {
    return emitReduction(b, reduction, into, from);
  };
  BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  AllocaInst *before = IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
  b.CreateStore(b.CreateVectorSplat(lanes, b.CreateLoad(reduction.type, sum)),
                before);
  Value *numVectors = b.CreateUDiv(count, b.getInt64(lanes));
  UnitLoop loop(b, b.getInt64(0), numVectors);
  Value *place = b.CreateInBoundsGEP(type, elements, loop.index);
  Align alignment(reduction.elementBytes);
  // A NaN is never selected.
  Value *own = fold(none, b.CreateAlignedLoad(type, place, alignment));
  for (unsigned distance = 1; distance != lanes; distance *= 2)
    own = fold(shiftLanes(b, none, own, distance), own);
  Value *all = b.CreateLoad(type, before);
  bool isExclusive = reduction.kind == Kind::ExclusiveScan;
  Value *written = fold(all, isExclusive ? shiftLanes(b, none, own, 1) : own);
  b.CreateAlignedStore(written, place, alignment);
  // The dependence chain has one operation per vector.
  SmallVector<int> last(lanes, lanes - 1);
  b.CreateStore(fold(all, b.CreateShuffleVector(own, last)), before);
  loop.finish();
  b.CreateStore(b.CreateExtractElement(b.CreateLoad(type, before), uint64_t(0)),
                sum);
  return b.CreateMul(numVectors, b.getInt64(lanes));
}

/// Scans elements one after another, continuing from the value at `sum`. With
/// `all`, they are joined with the value there.
void ChunkScan::scanEach(Value *elements, Value *count, Value *sum,
                         Value *all) {
  AllocaInst *own = makeElement(b, reduction);
  emitLoop(b, reduction, elements, count, [&](Value *element) {
    auto write = [&] {
      copyElement(b, reduction, element, all ? all : sum);
      if (all)
        foldElement(b, reduction, element, sum);
    };
    copyElement(b, reduction, own, element);
    if (reduction.kind == Kind::ExclusiveScan)
      write();
    foldElement(b, reduction, sum, own);
    if (reduction.kind == Kind::Scan)
      write();
  });
}

void ChunkScan::scanPart(Value *elements, Value *count, bool foldsBefore) {
  AllocaInst *sum = makeElement(b, reduction), *all = nullptr;
  copyElement(b, reduction, sum, copy);
  if (foldsBefore) {
    all = makeElement(b, reduction);
    copyElement(b, reduction, all, before);
  }
  if (isAssociative()) {
    Value *done = scanVectors(elements, count, sum);
    elements = b.CreateInBoundsGEP(reduction.type, elements, done);
    count = b.CreateSub(count, done);
  }
  scanEach(elements, count, sum, all);
  copyElement(b, reduction, copy, sum);
}

void ChunkScan::scan(Value *elements, Value *count) {
  if (isAssociative())
    return scanPart(elements, count, /*foldsBefore=*/false);
  emitBranch(
      b, isBehind, [&] { scanPart(elements, count, /*foldsBefore=*/true); },
      [&] { scanPart(elements, count, /*foldsBefore=*/false); });
}

void codegen::foldBefore(IRBuilder<> &b, const LeafReduction &reduction,
                         Value *before, Value *place, Value *slot) {
  copyElement(b, reduction, slot, place);
  copyElement(b, reduction, place, before);
  foldElement(b, reduction, place, slot);
}

void ChunkScan::end(Value *elements, Value *chunk) {
  if (!isAssociative())
    emitBranch(
        b, isBehind,
        [&] {
          foldBefore(b, reduction, before, copy, makeElement(b, reduction));
        },
        [] {});
  endExclusive(elements, chunk);
}

void ChunkScan::scanAlone(Value *elements, Value *count, Value *chunk) {
  AllocaInst *sum = makeElement(b, reduction);
  resetElement(b, reduction, sum);
  scanEach(elements, count, sum, /*all=*/nullptr);
  copyElement(b, reduction, copy, sum);
  endExclusive(elements, chunk);
}

/// The neutral value of a sum is -0.0, but an empty sum is 0.0.
void ChunkScan::endExclusive(Value *elements, Value *chunk) {
  if (reduction.kind == Kind::ExclusiveScan && reduction.op == Op::Sum &&
      reduction.type->isFloatingPointTy())
    emitBranch(
        b, b.CreateIsNull(chunk),
        [&] { b.CreateStore(ConstantFP::get(reduction.type, 0.0), elements); },
        [] {});
}

/// A SluiceJoin of the C interface.
Function *KernelEmitter::emitJoin(const FlatNode &node, StringRef name) {
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
    return b.CreateLoad(copies->getElementType(index),
                        b.CreateStructGEP(copies, function->getArg(1), index));
  };
  Value *isCopy =
      b.CreateICmpEQ(function->getArg(3), b.getInt32(SLUICE_JOIN_COPY));
  CopyLayout layout = layOutCopiesOf(node, frame, b);
  Value *copy = b.CreateInBoundsGEP(b.getInt8Ty(), field(0),
                                    b.CreateMul(chunk, layout.size));
  Value *units = field(5);
  Value *first = b.CreateMul(chunk, units);
  Value *count = b.CreateBinaryIntrinsic(Intrinsic::umin, units,
                                         b.CreateSub(field(6), first));
  for (auto [reduction, offset] :
       llvm::zip(reductionsOfNode(node, module), layout.offsets)) {
    if (!isScan(reduction))
      continue;
    Value *elements = b.CreateInBoundsGEP(
        b.getInt8Ty(),
        loadInput(module, model, node, reduction.memory->getArgNo(), frame, b),
        b.CreateMul(first, b.getInt64(reduction.elementBytes)));
    Value *own = b.CreateInBoundsGEP(b.getInt8Ty(), copy, offset);
    AllocaInst *all = makeElement(b, reduction);
    AllocaInst *slot = makeElement(b, reduction);
    copyElement(b, reduction, all,
                b.CreateGEP(b.getInt8Ty(), own, b.CreateNeg(layout.size)));
    const LeafReduction &scan = reduction;
    emitBranch(
        b, isCopy, [&] { foldBefore(b, scan, all, own, slot); },
        [&] {
          emitLoop(b, scan, elements, count, [&](Value *element) {
            foldBefore(b, scan, all, element, slot);
          });
        });
  }
  b.CreateRetVoid();
  return function;
}

/// For few elements at a time, a loop copies faster than a call.
static void keepLoops(Function &function) {
  for (const char *name : {"memcpy", "memmove", "memset"})
    function.addFnAttr((Twine("no-builtin-") + name).str());
}

/// Calls the range function for some instances of the chunk at a time, and
/// scans the elements that they have written.
Error KernelEmitter::scanChunk(const FlatNode &node, const RangeSpec &spec,
                               const ArgumentPairs &unknown,
                               SmallVectorImpl<Value *> &arguments,
                               const Chunk &chunk, Body &body) {
  IRBuilder<> &b = body.builder;
  Type *i64 = b.getInt64Ty(), *i32 = b.getInt32Ty(), *ptr = b.getPtrTy();
  Value *wasBehind =
      b.CreateCall(module.getOrInsertFunction("sluiceIsBehind", i32, ptr, i64),
                   {chunk.description, chunk.number});
  Value *isBehind = b.CreateIsNotNull(wasBehind);
  SmallVector<LeafReduction> reductions = reductionsOfNode(node, module);
  std::vector<ChunkScan> scans;
  SmallVector<Value *> memory;
  SmallVector<uint64_t> sizes;
  for (auto [reduction, offset] : llvm::zip(reductions, chunk.layout.offsets)) {
    if (!isScan(reduction))
      continue;
    Value *copy = b.CreateInBoundsGEP(b.getInt8Ty(), chunk.copy, offset);
    scans.emplace_back(
        b, reduction, isBehind, copy,
        b.CreateGEP(b.getInt8Ty(), copy, b.CreateNeg(chunk.layout.size)));
    memory.push_back(arguments[1 + reduction.memory->getArgNo()]);
    sizes.push_back(reduction.elementBytes);
  }
  auto elementsFrom = [&](unsigned index, Value *instance) {
    return b.CreateInBoundsGEP(b.getInt8Ty(), memory[index],
                               b.CreateMul(instance, b.getInt64(sizes[index])));
  };
  for (ChunkScan &scan : scans)
    scan.begin();

  // About a page of elements: enough to make the cost of calls small.
  constexpr uint64_t stripBytes = 1024, fewUnits = 64;
  uint64_t perStrip =
      std::max(stripBytes / *llvm::max_element(sizes), fewUnits);
  Value *numStrips =
      b.CreateUDiv(b.CreateAdd(b.CreateSub(chunk.end, chunk.first),
                               b.getInt64(perStrip - 1)),
                   b.getInt64(perStrip));
  UnitLoop strip(b, b.getInt64(0), numStrips);
  Value *first =
      b.CreateAdd(chunk.first, b.CreateMul(strip.index, b.getInt64(perStrip)));
  Value *end = b.CreateBinaryIntrinsic(
      Intrinsic::umin, b.CreateAdd(first, b.getInt64(perStrip)), chunk.end);
  unsigned units = 1 + spec.inputs.size() + 3 * spec.levels.size();
  arguments[units] = first;
  arguments[units + 1] = end;
  if (Error error = callRange(spec, unknown, arguments, body))
    return error;
  keepLoops(*body.function);
  for (const char *suffix : {"", ".overlap"})
    if (Function *range = module.getFunction(spec.name + suffix))
      keepLoops(*range);
  for (auto [index, scan] : llvm::enumerate(scans))
    scan.scan(elementsFrom(index, first), b.CreateSub(end, first));
  strip.finish();

  for (auto [index, scan] : llvm::enumerate(scans))
    scan.end(elementsFrom(index, chunk.first), chunk.number);
  b.CreateCall(module.getOrInsertFunction("sluiceEndScan", b.getVoidTy(), ptr,
                                          i64, i32, ptr, ptr),
               {chunk.description, chunk.number, wasBehind, body.frame,
                emitJoin(node, body.name + ".join")});
  return Error::success();
}
