//===- ReductionKernel.cpp - Kernels whose instances fold into memory -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node with reductions runs in chunks that its extents decide. Each chunk
// gets a copy of all that is reduced, which starts from what changes nothing;
// its instances run one after another on it; and the runtime says which copies
// to join. The chunk that ends last folds what came of all into the memory
// itself.
//
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "ReductionNodes.h"
#include "sluice/Analysis/LeafReductions.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::NodeOp;

/// Where the parts of a copy stand, one for each reduction.
struct KernelEmitter::CopyLayout {
  SmallVector<Value *> offsets, bytes;
  /// Of the whole copy: whole lines of the cache, which no other copy touches.
  Value *size = nullptr;
};

static constexpr uint64_t copyAlignment = 64;

static SmallVector<LeafReduction> reductionsOfNode(const FlatNode &node,
                                                   const Module &module) {
  return reductionsOf(*module.getFunction(node.getKernel().getCodeName()));
}

/// `value`, which follows from parameters of the leaf, as code elsewhere.
static Value *emitValue(const Value &value, IRBuilder<> &b,
                        function_ref<Value *(unsigned)> valueOfArgument) {
  if (auto *argument = dyn_cast<Argument>(&value))
    return valueOfArgument(argument->getArgNo());
  if (auto *constant = dyn_cast<ConstantInt>(&value))
    return b.getInt(constant->getValue());
  auto &instruction = cast<Instruction>(value);
  Value *first = emitValue(*instruction.getOperand(0), b, valueOfArgument);
  if (auto *cast = dyn_cast<CastInst>(&instruction))
    return b.CreateCast(cast->getOpcode(), first, cast->getType());
  return b.CreateBinOp(
      cast<BinaryOperator>(instruction).getOpcode(), first,
      emitValue(*instruction.getOperand(1), b, valueOfArgument));
}

KernelEmitter::CopyLayout KernelEmitter::layOutCopies(const FlatNode &node,
                                                      Value *frame,
                                                      IRBuilder<> &b) {
  NodeOp op = node.body;
  auto valueOfArgument = [&](unsigned index) -> Value * {
    Source source = op == node.op
                        ? node.operands[index].source
                        : node.bodyScope->values.lookup(op.getInputs()[index]);
    if (source.kind == Source::Kind::DatasetSize)
      return b.getInt64(module.getDataLayout().getTypeAllocSize(
          datasetGlobal(module, source.dataset)->getValueType()));
    return b.CreateLoad(
        typeOf(model, source),
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame,
                                     frameOffsetOf(model, source)));
  };
  CopyLayout layout;
  layout.size = b.getInt64(0);
  for (const LeafReduction &reduction : reductionsOfNode(node, module)) {
    layout.offsets.push_back(layout.size);
    layout.bytes.push_back(emitValue(*reduction.bytes, b, valueOfArgument));
    Value *whole = b.CreateAnd(
        b.CreateAdd(layout.bytes.back(), b.getInt64(copyAlignment - 1)),
        b.getInt64(~(copyAlignment - 1)));
    layout.size = b.CreateAdd(layout.size, whole);
  }
  layout.size = b.CreateBinaryIntrinsic(Intrinsic::umax, layout.size,
                                        b.getInt64(copyAlignment));
  return layout;
}

/// How many chunks `units` units are divided into, with copies of `size` bytes.
/// The results depend on it, and so it depends on nothing else.
static Value *emitNumChunks(IRBuilder<> &b, Value *units, Value *size) {
  auto least = [&](Value *x, Value *y) {
    return b.CreateBinaryIntrinsic(Intrinsic::umin, x, y);
  };
  auto atLeast = [&](Value *x, uint64_t bound) {
    return b.CreateBinaryIntrinsic(Intrinsic::umax, x, b.getInt64(bound));
  };
  // Enough for the workers of large machines, but few where instances are: to
  // join a copy costs as much as some instances.
  constexpr uint64_t fewChunks = 32, unitsPerChunk = 64;
  // Of large copies, as many as the instances have memory of such a size to
  // fill; several all the same, since instances may do much.
  constexpr uint64_t bytesPerUnit = 16, severalChunks = 8;
  constexpr uint64_t maxBytes = UINT64_C(1) << 30;
  Value *chunks =
      least(b.getInt64(maxReductionChunks),
            atLeast(b.CreateUDiv(units, b.getInt64(unitsPerChunk)), fewChunks));
  // (Sizes are multiples of 64.)
  Value *filled =
      b.CreateUDiv(units, b.CreateUDiv(size, b.getInt64(bytesPerUnit)));
  chunks = least(chunks, atLeast(filled, severalChunks));
  chunks = least(chunks, atLeast(b.CreateUDiv(b.getInt64(maxBytes), size), 1));
  return atLeast(least(chunks, units), 1);
}

/// `count / size`, rounded up.
static Value *divideUp(IRBuilder<> &b, Value *count, Value *size) {
  Value *rest = b.CreateURem(count, size);
  return b.CreateAdd(b.CreateUDiv(count, size),
                     b.CreateZExt(b.CreateIsNotNull(rest), b.getInt64Ty()));
}

/// The extents of the levels of chunks and of bytes; those of the graph's
/// levels stand in `result` already.
void KernelEmitter::emitCopyExtents(const FlatNode &node, Value *frame,
                                    Value *result, IRBuilder<> &b) {
  auto at = [&](unsigned position) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), result, position);
  };
  Value *units = b.getInt64(1);
  for (unsigned i = 0; i != 3 * node.numUnitLevels; ++i)
    units = b.CreateMul(
        units, b.CreateLoad(b.getInt64Ty(), at(3 * numCopyLevels + i)));
  // Where there are none, the kernel does not run.
  units = b.CreateBinaryIntrinsic(Intrinsic::umax, units, b.getInt64(1));
  Value *size = layOutCopies(node, frame, b).size;
  Value *chunks = emitNumChunks(b, units, size);
  // None is empty.
  chunks = divideUp(b, units, divideUp(b, units, chunks));
  for (unsigned i = 0; i != 3 * numCopyLevels; ++i)
    b.CreateStore(i == 0 ? chunks : i == 3 ? size : b.getInt64(1), at(i));
}

/// A loop over the elements in `bytes` bytes at `start`; `emit` gets the
/// address of each, and its distance from the start.
static void emitElementLoop(IRBuilder<> &b, const LeafReduction &reduction,
                            Value *start, Value *bytes,
                            function_ref<void(Value *, Value *)> emit) {
  Value *size = b.getInt64(reduction.elementBytes);
  UnitLoop loop(b, b.getInt64(0), b.CreateUDiv(bytes, size));
  Value *distance = b.CreateMul(loop.index, size, "", /*HasNUW=*/true,
                                /*HasNSW=*/true);
  emit(b.CreateInBoundsGEP(b.getInt8Ty(), start, distance), distance);
  loop.finish();
}

static void emitIdentity(IRBuilder<> &b, const LeafReduction &reduction,
                         Value *copy, Value *bytes) {
  emitElementLoop(b, reduction, copy, bytes, [&](Value *element, Value *) {
    if (reduction.identity)
      b.CreateCall(reduction.identity->getFunctionType(), reduction.identity,
                   {element});
    else
      b.CreateStore(identityOf(reduction), element);
  });
}

static void emitFold(IRBuilder<> &b, const LeafReduction &reduction,
                     Value *into, Value *from, Value *bytes) {
  emitElementLoop(
      b, reduction, into, bytes, [&](Value *element, Value *distance) {
        Value *other = b.CreateInBoundsGEP(b.getInt8Ty(), from, distance);
        if (reduction.combine) {
          b.CreateCall(reduction.combine->getFunctionType(), reduction.combine,
                       {element, other});
          return;
        }
        Value *left = b.CreateLoad(reduction.type, element);
        Value *right = b.CreateLoad(reduction.type, other);
        b.CreateStore(emitReduction(b, reduction, left, right), element);
      });
}

/// Folds one copy into another one.
Function *KernelEmitter::emitCombine(const FlatNode &node, StringRef name) {
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::get(context, 0);
  auto *type =
      FunctionType::get(Type::getVoidTy(context), {ptr, ptr, ptr}, false);
  Function *function =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(
      Attribute::getWithUWTableKind(context, UWTableKind::Async));
  function->addParamAttr(1, Attribute::NoAlias);
  function->addParamAttr(2, Attribute::NoAlias);
  IRBuilder<> b(BasicBlock::Create(context, "entry", function));
  CopyLayout layout = layOutCopies(node, function->getArg(0), b);
  for (auto [reduction, offset, bytes] :
       llvm::zip(reductionsOfNode(node, module), layout.offsets, layout.bytes))
    emitFold(b, reduction,
             b.CreateInBoundsGEP(b.getInt8Ty(), function->getArg(1), offset),
             b.CreateInBoundsGEP(b.getInt8Ty(), function->getArg(2), offset),
             bytes);
  b.CreateRetVoid();
  return function;
}

/// Fails the launch where a size is not a whole number of elements.
void KernelEmitter::checkSizes(ArrayRef<LeafReduction> reductions,
                               const CopyLayout &layout, Body &body) {
  IRBuilder<> &b = body.builder;
  Value *isWrong = b.getFalse();
  for (auto [reduction, bytes] : llvm::zip(reductions, layout.bytes))
    isWrong =
        b.CreateOr(isWrong, b.CreateIsNotNull(b.CreateURem(
                                bytes, b.getInt64(reduction.elementBytes))));
  LLVMContext &context = b.getContext();
  auto *wrong = BasicBlock::Create(context, "wrong.size", body.function);
  auto *right = BasicBlock::Create(context, "right.size", body.function);
  b.CreateCondBr(isWrong, wrong, right);
  b.SetInsertPoint(wrong);
  FunctionCallee fail = module.getOrInsertFunction("sluiceFail", b.getVoidTy(),
                                                   b.getPtrTy(), b.getPtrTy());
  b.CreateCall(fail, {body.invocation,
                      b.CreateGlobalString("the bytes of a reduction are not "
                                           "a whole number of elements")});
  b.CreateUnreachable();
  b.SetInsertPoint(right);
}

/// Calls the range function for the units of each chunk in the range of chunks
/// that the kernel was given. `arguments` are those for all units.
Error KernelEmitter::callChunks(const FlatNode &node, const RangeSpec &spec,
                                const ArgumentPairs &unknown,
                                SmallVectorImpl<Value *> &arguments,
                                Body &body) {
  IRBuilder<> &b = body.builder, &entry = body.entry;
  Type *i64 = b.getInt64Ty(), *ptr = b.getPtrTy();
  SmallVector<LeafReduction> reductions = reductionsOfNode(node, module);
  CopyLayout layout = layOutCopies(node, body.frame, entry);
  uint64_t offset = node.outputs.back().arrayOffset;
  auto atFrame = [&](uint64_t position) {
    return entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), body.frame,
                                            position);
  };
  Value *copies = entry.CreateLoad(ptr, atFrame(offset));
  Value *numChunks = entry.CreateLoad(
      i64, entry.CreateLoad(ptr, entry.CreateConstInBoundsGEP1_64(
                                     entry.getInt8Ty(), body.invocation,
                                     offsetof(SluiceInvocation, extents))));
  Value *numUnits = entry.getInt64(1);
  for (unsigned level = 0; level != node.numUnitLevels; ++level)
    for (Value *extent : body.extents[level])
      numUnits = entry.CreateMul(numUnits, extent);
  Value *chunkUnits = divideUp(entry, numUnits, numChunks);
  auto *type = StructType::get(ptr, i64, i64, ptr);
  AllocaInst *description = entry.CreateAlloca(type);
  for (auto [index, value] : llvm::enumerate(std::array<Value *, 4>{
           copies, layout.size, numChunks, atFrame(offset + 8)}))
    entry.CreateStore(value, entry.CreateStructGEP(type, description, index));
  Function *combine = emitCombine(node, body.name + ".combine");
  checkSizes(reductions, layout, body);

  UnitLoop chunk(b, body.begin, body.end);
  Value *first = b.CreateMul(chunk.index, chunkUnits);
  Value *end = b.CreateBinaryIntrinsic(
      Intrinsic::umin, b.CreateAdd(first, chunkUnits), numUnits);
  Value *copy = b.CreateInBoundsGEP(b.getInt8Ty(), copies,
                                    b.CreateMul(chunk.index, layout.size));
  SmallVector<Value *> memory;
  for (auto [reduction, distance, bytes] :
       llvm::zip(reductions, layout.offsets, layout.bytes)) {
    Value *part = b.CreateInBoundsGEP(b.getInt8Ty(), copy, distance);
    emitIdentity(b, reduction, part, bytes);
    Value *&argument = arguments[1 + reduction.memory->getArgNo()];
    memory.push_back(argument);
    if (rangeOptions.check)
      b.CreateCall(module.getOrInsertFunction("sluiceCheckReduction",
                                              b.getVoidTy(), ptr, ptr, i64),
                   {part, argument, bytes});
    argument = part;
  }
  unsigned units = 1 + spec.inputs.size() + 3 * spec.levels.size();
  arguments[units] = first;
  arguments[units + 1] = end;
  if (Error error = callRange(spec, unknown, arguments, body))
    return error;

  FunctionCallee join =
      module.getOrInsertFunction("sluiceJoinCopies", ptr, ptr, i64, ptr, ptr);
  Value *all =
      b.CreateCall(join, {description, chunk.index, body.frame, combine});
  LLVMContext &context = b.getContext();
  auto *last = BasicBlock::Create(context, "last", body.function);
  auto *next = BasicBlock::Create(context, "next", body.function);
  b.CreateCondBr(b.CreateIsNull(all), next, last);
  b.SetInsertPoint(last);
  for (auto [reduction, into, distance, bytes] :
       llvm::zip(reductions, memory, layout.offsets, layout.bytes))
    emitFold(b, reduction, into,
             b.CreateInBoundsGEP(b.getInt8Ty(), all, distance), bytes);
  b.CreateBr(next);
  b.SetInsertPoint(next);
  chunk.finish();
  return Error::success();
}
