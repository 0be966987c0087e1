//===- ReductionKernel.cpp - Kernels whose instances fold into memory -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node with reductions runs in chunks; its extents determine the chunks. Each
// chunk gets a copy of everything that is reduced, filled with neutral values.
// Its instances run one after another on this copy, and the runtime selects the
// copies to join. The chunk that ends last folds the result of all chunks into
// the memory itself.
//
//===----------------------------------------------------------------------===//

#include "ReductionKernel.h"
#include "ReductionNodes.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::NodeOp;

static constexpr uint64_t copyAlignment = 64;

SmallVector<LeafReduction> codegen::reductionsOfNode(const FlatNode &node,
                                                     const Module &module) {
  return reductionsOf(*module.getFunction(node.getKernel().getCodeName()));
}

StructType *codegen::copiesType(LLVMContext &context) {
  Type *i64 = Type::getInt64Ty(context), *ptr = PointerType::get(context, 0);
  return StructType::get(ptr, i64, i64, ptr, ptr, i64, i64);
}

/// `value`, which depends on parameters of the leaf, as code in another
/// function.
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

CopyLayout codegen::layOutCopies(ArrayRef<LeafReduction> reductions,
                                 IRBuilder<> &b,
                                 function_ref<Value *(unsigned)> inputOf) {
  CopyLayout layout;
  layout.size = b.getInt64(0);
  Value *areSingle = any_of(reductions, hasLanes) && none_of(reductions, isScan)
                         ? b.getTrue()
                         : b.getFalse();
  for (const LeafReduction &reduction : reductions) {
    Value *bytes = emitValue(*reduction.bytes, b, inputOf);
    layout.bytes.push_back(bytes);
    if (hasLanes(reduction))
      areSingle = b.CreateAnd(
          areSingle, b.CreateICmpEQ(bytes, b.getInt64(reduction.elementBytes)));
  }
  layout.laneMask =
      b.CreateSelect(areSingle, b.getInt64(numSumLanes - 1), b.getInt64(0));
  for (auto [reduction, bytes] : llvm::zip(reductions, layout.bytes)) {
    layout.offsets.push_back(layout.size);
    Value *element = b.getInt64(reduction.elementBytes);
    // There is one element even if the memory has none.
    Value *used = isScan(reduction) ? element
                                    : b.CreateBinaryIntrinsic(Intrinsic::umax,
                                                              bytes, element);
    if (hasLanes(reduction))
      used = b.CreateMul(used, layout.numLanes(b));
    Value *whole = b.CreateAnd(b.CreateAdd(used, b.getInt64(copyAlignment - 1)),
                               b.getInt64(~(copyAlignment - 1)));
    layout.size = b.CreateAdd(layout.size, whole);
  }
  layout.size = b.CreateBinaryIntrinsic(Intrinsic::umax, layout.size,
                                        b.getInt64(copyAlignment));
  return layout;
}

CopyLayout KernelEmitter::layOutCopiesOf(const FlatNode &node, Value *frame,
                                         IRBuilder<> &b) {
  return layOutCopies(reductionsOfNode(node, module), b, [&](unsigned index) {
    return loadInput(module, model, node, index, frame, b);
  });
}

bool codegen::hasLanes(const LeafReduction &reduction) {
  using Op = LeafReduction::Op;
  return !isScan(reduction) && !reduction.combine && reduction.type &&
         reduction.type->isFloatingPointTy() &&
         (reduction.op == Op::Sum || reduction.op == Op::Product);
}

/// The number of chunks into which `units` units are divided, with copies of
/// `size` bytes. The results depend on this number, so it must depend on
/// nothing else. With scans, chunks are so small that their writes are still in
/// the cache.
static Value *emitNumChunks(IRBuilder<> &b, Value *units, Value *size,
                            bool scans) {
  auto least = [&](Value *x, Value *y) {
    return b.CreateBinaryIntrinsic(Intrinsic::umin, x, y);
  };
  auto atLeast = [&](Value *x, uint64_t bound) {
    return b.CreateBinaryIntrinsic(Intrinsic::umax, x, b.getInt64(bound));
  };
  // Enough for the workers of large machines, but few if there are few
  // instances: joining a copy costs as much as some instances.
  const uint64_t fewChunks = scans ? 16 : 32;
  const uint64_t unitsPerChunk = scans ? 16384 : 64;
  // For large copies: as many as can be filled in proportion to the number of
  // instances, but at least several, since instances may be expensive.
  constexpr uint64_t bytesPerUnit = 16, severalChunks = 8;
  constexpr uint64_t maxBytes = UINT64_C(1) << 30;
  Value *chunks =
      least(b.getInt64(scans ? maxScanChunks : maxReductionChunks),
            atLeast(b.CreateUDiv(units, b.getInt64(unitsPerChunk)), fewChunks));
  // (Sizes are multiples of 64.)
  Value *filled =
      b.CreateUDiv(units, b.CreateUDiv(size, b.getInt64(bytesPerUnit)));
  chunks = least(chunks, atLeast(filled, severalChunks));
  chunks = least(chunks, atLeast(b.CreateUDiv(b.getInt64(maxBytes), size), 1));
  return atLeast(least(chunks, units), 1);
}

Value *codegen::divideUp(IRBuilder<> &b, Value *count, Value *size) {
  Value *rest = b.CreateURem(count, size);
  return b.CreateAdd(b.CreateUDiv(count, size),
                     b.CreateZExt(b.CreateIsNotNull(rest), b.getInt64Ty()));
}

Value *codegen::unitsOfChunk(IRBuilder<> &b, Value *units, Value *numChunks,
                             bool scans) {
  constexpr uint64_t step = SLUICE_CHUNK_STEP;
  Value *each = divideUp(b, units, numChunks);
  if (scans)
    return each;
  Value *whole = b.CreateAnd(b.CreateAdd(each, b.getInt64(step - 1)),
                             b.getInt64(~(step - 1)));
  return b.CreateSelect(b.CreateICmpUGE(each, b.getInt64(2 * step)), whole,
                        each);
}

/// The extents of the levels of chunks and of bytes; those of the graph's
/// levels are already in `result`.
void KernelEmitter::emitCopyExtents(const FlatNode &node, Value *frame,
                                    Value *result, IRBuilder<> &b) {
  auto at = [&](unsigned position) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), result, position);
  };
  Value *units = b.getInt64(1);
  for (unsigned i = 0; i != 3 * node.numUnitLevels; ++i)
    units = b.CreateMul(
        units, b.CreateLoad(b.getInt64Ty(), at(3 * numCopyLevels + i)));
  // If there are none, the kernel does not run.
  units = b.CreateBinaryIntrinsic(Intrinsic::umax, units, b.getInt64(1));
  Value *size = layOutCopiesOf(node, frame, b).size;
  bool scans = any_of(reductionsOfNode(node, module), isScan);
  Value *chunks = emitNumChunks(b, units, size, scans);
  // None is empty.
  chunks = divideUp(b, units, unitsOfChunk(b, units, chunks, scans));
  for (unsigned i = 0; i != 3 * numCopyLevels; ++i)
    b.CreateStore(i == 0 ? chunks : i == 3 ? size : b.getInt64(1), at(i));
}

/// A loop over the elements in the `bytes` bytes at `start`. `emit` gets the
/// address of each element and its distance from the start.
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

void codegen::resetElement(IRBuilder<> &b, const LeafReduction &reduction,
                           Value *into) {
  if (reduction.identity)
    b.CreateCall(reduction.identity->getFunctionType(), reduction.identity,
                 {into});
  else
    b.CreateStore(identityOf(reduction), into);
}

void codegen::foldElement(IRBuilder<> &b, const LeafReduction &reduction,
                          Value *into, Value *from) {
  if (reduction.combine) {
    b.CreateCall(reduction.combine->getFunctionType(), reduction.combine,
                 {into, from});
    return;
  }
  Value *left = b.CreateLoad(reduction.type, into);
  Value *right = b.CreateLoad(reduction.type, from);
  b.CreateStore(emitReduction(b, reduction, left, right), into);
}

void codegen::copyElement(IRBuilder<> &b, const LeafReduction &reduction,
                          Value *into, Value *from) {
  if (reduction.type)
    b.CreateStore(b.CreateLoad(reduction.type, from), into);
  else
    b.CreateMemCpy(into, Align(1), from, Align(1), reduction.elementBytes);
}

void codegen::resetElements(IRBuilder<> &b, const LeafReduction &reduction,
                            Value *copy, Value *bytes) {
  emitElementLoop(b, reduction, copy, bytes, [&](Value *element, Value *) {
    resetElement(b, reduction, element);
  });
}

void codegen::foldLanes(IRBuilder<> &b, const LeafReduction &reduction,
                        Value *copy) {
  constexpr unsigned half = numSumLanes / 2;
  auto *type = FixedVectorType::get(reduction.type, half);
  const Align align(reduction.elementBytes);
  Value *lanes = emitReduction(
      b, reduction, b.CreateAlignedLoad(type, copy, align),
      b.CreateAlignedLoad(type, b.CreateConstInBoundsGEP1_64(type, copy, 1),
                          align));
  for (unsigned rest = half / 2; rest != 0; rest /= 2) {
    auto part = [&](unsigned first) {
      return b.CreateShuffleVector(lanes, createSequentialMask(first, rest, 0));
    };
    lanes = emitReduction(b, reduction, part(0), part(rest));
  }
  b.CreateStore(b.CreateExtractElement(lanes, uint64_t(0)), copy);
}

static void emitFold(IRBuilder<> &b, const LeafReduction &reduction,
                     Value *into, Value *from, Value *bytes) {
  emitElementLoop(
      b, reduction, into, bytes, [&](Value *element, Value *distance) {
        foldElement(b, reduction, element,
                    b.CreateInBoundsGEP(b.getInt8Ty(), from, distance));
      });
}

/// A function of `numPointers` pointers.
static Function *createFold(Module &module, unsigned numPointers,
                            StringRef name) {
  LLVMContext &context = module.getContext();
  const SmallVector<Type *> types(numPointers, PointerType::get(context, 0));
  Function *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), types, false),
      GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(
      Attribute::getWithUWTableKind(context, UWTableKind::Async));
  for (unsigned i = 1; i != numPointers; ++i)
    function->addParamAttr(i, Attribute::NoAlias);
  return function;
}

/// Folds one copy into another one.
Function *KernelEmitter::emitCombine(const FlatNode &node, StringRef name) {
  Function *function = createFold(module, 3, name);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "entry", function));
  CopyLayout layout = layOutCopiesOf(node, function->getArg(0), b);
  for (auto [reduction, offset, bytes] :
       llvm::zip(reductionsOfNode(node, module), layout.offsets, layout.bytes))
    if (!isScan(reduction))
      emitFold(b, reduction,
               b.CreateInBoundsGEP(b.getInt8Ty(), function->getArg(1), offset),
               b.CreateInBoundsGEP(b.getInt8Ty(), function->getArg(2), offset),
               bytes);
  b.CreateRetVoid();
  return function;
}

/// Folds a copy into the memory.
Function *KernelEmitter::emitStore(const FlatNode &node, StringRef name) {
  Function *function = createFold(module, 2, name);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "entry", function));
  Value *frame = function->getArg(0);
  CopyLayout layout = layOutCopiesOf(node, frame, b);
  for (auto [reduction, offset, bytes] :
       llvm::zip(reductionsOfNode(node, module), layout.offsets, layout.bytes))
    if (!isScan(reduction))
      emitFold(b, reduction,
               loadInput(module, model, node, reduction.memory->getArgNo(),
                         frame, b),
               b.CreateInBoundsGEP(b.getInt8Ty(), function->getArg(1), offset),
               bytes);
  b.CreateRetVoid();
  return function;
}

KernelEmitter::Folds KernelEmitter::emitFolds(const FlatNode &node,
                                              StringRef name) {
  const SmallVector<LeafReduction> reductions = reductionsOfNode(node, module);
  Folds folds = {nullptr, nullptr, nullptr};
  if (!all_of(reductions, isScan)) {
    folds.combine = emitCombine(node, (name + ".combine").str());
    folds.store = emitStore(node, (name + ".store").str());
  }
  if (any_of(reductions, isScan))
    folds.join = emitJoin(node, (name + ".join").str());
  return folds;
}

SmallVector<std::pair<Value *, std::string>, 2>
codegen::wrongSizes(IRBuilder<> &b, const LeafReduction &reduction,
                    Value *bytes, Value *numUnits) {
  Value *size = b.getInt64(reduction.elementBytes);
  SmallVector<std::pair<Value *, std::string>, 2> wrong;
  wrong.push_back({b.CreateIsNotNull(b.CreateURem(bytes, size)),
                   "the bytes of a " + spellNoun(reduction.kind).str() +
                       " are not a whole number of elements"});
  if (isScan(reduction))
    wrong.push_back({b.CreateICmpULT(b.CreateUDiv(bytes, size), numUnits),
                     "the memory of a scan has fewer elements than there are "
                     "instances"});
  return wrong;
}

/// Fails the launch if memory is not a whole number of elements, or has fewer
/// elements than there are instances that write one each.
void KernelEmitter::checkSizes(ArrayRef<LeafReduction> reductions,
                               const CopyLayout &layout, Value *numUnits,
                               Body &body) {
  IRBuilder<> &b = body.builder;
  LLVMContext &context = b.getContext();
  FunctionCallee fail = module.getOrInsertFunction("sluiceFail", b.getVoidTy(),
                                                   b.getPtrTy(), b.getPtrTy());
  for (auto [reduction, bytes] : llvm::zip(reductions, layout.bytes))
    for (auto &[isWrong, message] : wrongSizes(b, reduction, bytes, numUnits)) {
      auto *wrong = BasicBlock::Create(context, "wrong.size", body.function);
      auto *right = BasicBlock::Create(context, "right.size", body.function);
      b.CreateCondBr(isWrong, wrong, right);
      b.SetInsertPoint(wrong);
      b.CreateCall(fail, {body.invocation, b.CreateGlobalString(message)});
      b.CreateUnreachable();
      b.SetInsertPoint(right);
    }
}

/// Whether the result is the same, bit for bit, in whatever order and by
/// whatever copies it is computed.
static bool isExact(const LeafReduction &reduction) {
  return !isScan(reduction) && !reduction.combine && reduction.type &&
         reduction.type->isIntegerTy();
}

/// Calls the range function for the units of a chunk whose instances fold in
/// lanes, and joins the lanes.
Error KernelEmitter::callInLanes(RangeSpec spec, const ArgumentPairs &unknown,
                                 ArrayRef<Value *> arguments,
                                 ArrayRef<LeafReduction> reductions,
                                 Body &body) {
  spec.name += ".lanes";
  for (const LeafReduction &reduction : reductions)
    if (hasLanes(reduction))
      spec.inputs[reduction.memory->getArgNo()].foldedLanes = numSumLanes;
  if (Error error = callRange(spec, unknown, arguments, body))
    return error;
  for (const LeafReduction &reduction : reductions)
    if (hasLanes(reduction))
      foldLanes(body.builder, reduction,
                arguments[1 + reduction.memory->getArgNo()]);
  return Error::success();
}

/// Calls the range function for the units of a chunk.
Error KernelEmitter::runChunk(const RangeSpec &spec,
                              const ArgumentPairs &unknown,
                              ArrayRef<Value *> arguments,
                              ArrayRef<LeafReduction> reductions,
                              const CopyLayout &layout, Body &body) {
  if (const auto *mask = dyn_cast<ConstantInt>(layout.laneMask))
    return mask->isZero()
               ? callRange(spec, unknown, arguments, body)
               : callInLanes(spec, unknown, arguments, reductions, body);
  IRBuilder<> &b = body.builder;
  auto addBlock = [&](const char *name) {
    return BasicBlock::Create(b.getContext(), name, body.function);
  };
  BasicBlock *inOrder = addBlock("in.order"), *inLanes = addBlock("in.lanes"),
             *next = addBlock("chunk.end");
  b.CreateCondBr(b.CreateIsNull(layout.laneMask), inOrder, inLanes);
  b.SetInsertPoint(inOrder);
  if (Error error = callRange(spec, unknown, arguments, body))
    return error;
  b.CreateBr(next);
  b.SetInsertPoint(inLanes);
  if (Error error = callInLanes(spec, unknown, arguments, reductions, body))
    return error;
  b.CreateBr(next);
  b.SetInsertPoint(next);
  return Error::success();
}

/// The end of the chunks that share a copy, of the chunks from `chunk` to
/// `end`: those of the largest part of the tree (SluiceCopies) that begins
/// there.
static Value *endOfTreePart(IRBuilder<> &b, Value *chunk, Value *end,
                            Value *numChunks, Value *&width) {
  Value *one = b.getInt64(1), *longest = b.getInt64(63);
  Value *aligned = b.CreateShl(
      one, b.CreateBinaryIntrinsic(
               Intrinsic::umin,
               b.CreateBinaryIntrinsic(Intrinsic::cttz, chunk, b.getFalse()),
               longest));
  Value *fitting = b.CreateShl(
      one, b.CreateSub(longest, b.CreateBinaryIntrinsic(Intrinsic::ctlz,
                                                        b.CreateSub(end, chunk),
                                                        b.getTrue())));
  // The tree may lack chunks at its end.
  width = b.CreateSelect(
      b.CreateICmpEQ(end, numChunks), aligned,
      b.CreateBinaryIntrinsic(Intrinsic::umin, aligned, fitting));
  return b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateAdd(chunk, width),
                                 end);
}

/// Calls the range function for the units of each chunk in the given range of
/// chunks. Where the order of operations does not matter, consecutive chunks
/// share a call and a copy as far as they are a part of the tree of copies: all
/// chunks if all are given. `arguments` are those for all units.
Error KernelEmitter::callChunks(const FlatNode &node, const RangeSpec &spec,
                                const ArgumentPairs &unknown,
                                SmallVectorImpl<Value *> &arguments,
                                Body &body) {
  IRBuilder<> &b = body.builder, &entry = body.entry;
  Type *i64 = b.getInt64Ty(), *ptr = b.getPtrTy();
  SmallVector<LeafReduction> reductions = reductionsOfNode(node, module);
  CopyLayout layout = layOutCopiesOf(node, body.frame, entry);
  uint64_t offset = node.outputs.back().arrayOffset;
  auto atFrame = [&](uint64_t position) {
    return entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), body.frame,
                                            position);
  };
  Value *copies = entry.CreateLoad(ptr, atFrame(offset));
  LoadInst *numChunks = entry.CreateLoad(
      i64, entry.CreateLoad(ptr, entry.CreateConstInBoundsGEP1_64(
                                     entry.getInt8Ty(), body.invocation,
                                     offsetof(SluiceInvocation, extents))));
  // So that LLVM may divide by it elsewhere.
  numChunks->setMetadata(
      LLVMContext::MD_range,
      MDBuilder(b.getContext())
          .createRange(APInt(64, 1), APInt(64, maxScanChunks + 1)));
  Value *numUnits = entry.getInt64(1);
  for (unsigned level = 0; level != node.numUnitLevels; ++level)
    for (Value *extent : body.extents[level])
      numUnits = entry.CreateMul(numUnits, extent);
  bool scans = any_of(reductions, isScan);
  Value *chunkUnits = unitsOfChunk(entry, numUnits, numChunks, scans);
  bool reduces = !all_of(reductions, isScan);
  Value *isWhole = entry.CreateAnd(entry.CreateIsNull(body.begin),
                                   entry.CreateICmpEQ(body.end, numChunks));
  Value *flags = atFrame(offset + chunkFlagsOffset);
  if (!scans)
    flags = entry.CreateSelect(isWhole, ConstantPointerNull::get(b.getPtrTy()),
                               flags);
  StructType *type = copiesType(b.getContext());
  AllocaInst *description = entry.CreateAlloca(type);
  for (auto [index, value] : llvm::enumerate(std::array<Value *, 7>{
           copies, layout.size, numChunks, flags,
           atFrame(offset + nextChunkOffset), chunkUnits, numUnits}))
    entry.CreateStore(value, entry.CreateStructGEP(type, description, index));
  checkSizes(reductions, layout, numUnits, body);

  const bool areExact = all_of(reductions, isExact);
  UnitLoop loop(b, body.begin, body.end);
  Value *chunk = loop.index;
  if (scans) // So that earlier chunks finish soon.
    chunk = b.CreateCall(
        module.getOrInsertFunction("sluiceTakeChunk", i64, ptr), {description});
  Value *first = b.CreateMul(chunk, chunkUnits);
  Value *width = b.getInt64(1), *endChunk = nullptr, *end = nullptr;
  if (areExact) {
    endChunk = endOfTreePart(b, chunk, body.end, numChunks, width);
    endChunk = b.CreateSelect(isWhole, body.end, endChunk);
    first = b.CreateSelect(isWhole, b.getInt64(0), first);
    end = b.CreateSelect(isWhole, numUnits, b.CreateMul(endChunk, chunkUnits));
  } else {
    end = b.CreateAdd(first, chunkUnits);
  }
  end = b.CreateBinaryIntrinsic(Intrinsic::umin, end, numUnits);
  Value *copy = b.CreateInBoundsGEP(b.getInt8Ty(), copies,
                                    b.CreateMul(chunk, layout.size));
  SmallVector<Value *> memory;
  for (auto [reduction, distance, bytes] :
       llvm::zip(reductions, layout.offsets, layout.bytes)) {
    if (isScan(reduction)) {
      memory.push_back(nullptr);
      continue;
    }
    Value *part = b.CreateInBoundsGEP(b.getInt8Ty(), copy, distance);
    Value *lanes = hasLanes(reduction) ? layout.numLanes(b) : b.getInt64(1);
    resetElements(b, reduction, part, b.CreateMul(bytes, lanes));
    Value *&argument = arguments[1 + reduction.memory->getArgNo()];
    memory.push_back(argument);
    if (rangeOptions.check) {
      UnitLoop lane(b, b.getInt64(0), lanes);
      b.CreateCall(module.getOrInsertFunction("sluiceCheckReduction",
                                              b.getVoidTy(), ptr, ptr, i64),
                   {b.CreateInBoundsGEP(b.getInt8Ty(), part,
                                        b.CreateMul(lane.index, bytes)),
                    argument, bytes});
      lane.finish();
    }
    argument = part;
  }
  unsigned units = 1 + spec.inputs.size() + 3 * spec.levels.size();
  arguments[units] = first;
  arguments[units + 1] = end;
  if (scans) {
    if (Error error =
            scanChunk(node, spec, unknown, arguments,
                      {chunk, first, end, copy, description, layout}, body))
      return error;
  } else if (Error error =
                 runChunk(spec, unknown, arguments, reductions, layout, body)) {
    return error;
  }
  if (!reduces) {
    loop.finish();
    return Error::success();
  }
  Function *combine = emitCombine(node, body.name + ".combine");
  FunctionCallee join = module.getOrInsertFunction("sluiceJoinChunks", ptr, ptr,
                                                   i64, i64, ptr, ptr);
  LLVMContext &context = b.getContext();
  auto *last = BasicBlock::Create(context, "last", body.function);
  auto *next = BasicBlock::Create(context, "next", body.function);
  BasicBlock *alone = b.GetInsertBlock(), *joining = alone;
  if (areExact) {
    joining = BasicBlock::Create(context, "join", body.function, last);
    b.CreateCondBr(isWhole, last, joining);
    b.SetInsertPoint(joining);
  }
  Value *all =
      b.CreateCall(join, {description, chunk, width, body.frame, combine});
  b.CreateCondBr(b.CreateIsNull(all), next, last);
  b.SetInsertPoint(last);
  if (areExact) {
    PHINode *joined = b.CreatePHI(ptr, 2);
    joined->addIncoming(copy, alone);
    joined->addIncoming(all, joining);
    all = joined;
  }
  for (auto [reduction, into, distance, bytes] :
       llvm::zip(reductions, memory, layout.offsets, layout.bytes))
    if (!isScan(reduction))
      emitFold(b, reduction, into,
               b.CreateInBoundsGEP(b.getInt8Ty(), all, distance), bytes);
  b.CreateBr(next);
  b.SetInsertPoint(next);
  loop.finish(endChunk);
  return Error::success();
}
