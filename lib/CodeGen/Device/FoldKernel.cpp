//===- FoldKernel.cpp - Device nodes with reductions and scans ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group runs a chunk of the node's instances and has the chunk's copy. There
// are as many chunks as on the host, so the results are bit-identical to the
// host's. Each later phase must wait until all groups have ended the previous
// one. So the kernel is launched several times, once per phase:
//
//   run      instances: one item runs them in order if they reduce into the
//            copy, otherwise all items of the group run them
//   scan     the elements of the chunk become their scan
//   join     copies are joined: those of reductions by the tree, element by
//            element, and into the memory; each copy of a scan is joined with
//            the one before
//   finish   the total of the chunks before is joined with scanned elements
//
//===----------------------------------------------------------------------===//

#include "../KernelEmitter.h"
#include "../ReductionKernel.h"
#include "../ReductionNodes.h"
#include "KernelBuilder.h"
#include "NeutralForm.h"
#include "Refusal.h"
#include "sluice/Analysis/BarrierCheck.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::NodeOp;

/// Emits one such kernel.
class KernelBuilder::Folds {
public:
  Folds(KernelBuilder &kernel, Function &leaf, Function &instance)
      : kernel(kernel), b(kernel.b), leaf(leaf), instance(instance),
        reductions(reductionsOf(leaf)) {}

  Error emit();

private:
  KernelBuilder &kernel;
  IRBuilder<> &b;
  Function &leaf, &instance;
  SmallVector<LeafReduction> reductions;
  /// The memory of each reduction.
  SmallVector<Value *> memory;
  CopyLayout layout;
  Value *copies, *numChunks;
  /// For the group: its chunk, and the units of the chunk.
  Value *chunk, *first, *end;
  Value *item, *items;

  Error readInputs();
  void placeChunk();
  void emitPhase(Value *condition, function_ref<void()> emit);
  void forEach(bool isScanned, function_ref<void(unsigned)> emit);
  Value *partOf(Value *ofChunk, unsigned number);
  Value *elementAt(unsigned number, Value *start, Value *index);

  Error runChunk(bool isInOrder);
  void scanChunk();
  void joinCopies();
  void emitTree(unsigned number, Value *index);
  void emitChain(unsigned number);
  void finishChunk();
};

/// A loop `for (i = first; i < limit; i += step)`.
static void emitSteps(IRBuilder<> &b, Value *first, Value *limit, Value *step,
                      function_ref<void(Value *)> emit) {
  Value *distance = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, limit, first);
  UnitLoop loop(b, b.getInt64(0), divideUp(b, distance, step));
  emit(b.CreateAdd(first, b.CreateMul(loop.index, step), "", /*HasNUW=*/true,
                   /*HasNSW=*/true));
  loop.finish();
}

//===----------------------------------------------------------------------===//
// Copies and chunks
//===----------------------------------------------------------------------===//

Error KernelBuilder::Folds::readInputs() {
  Error error = Error::success();
  auto inputOf = [&](unsigned index) -> Value * {
    Type *type = leaf.getArg(index)->getType();
    Expected<Value *> value = kernel.inputValue(index, type, {});
    if (value)
      return *value;
    error = joinErrors(std::move(error), value.takeError());
    return PoisonValue::get(type);
  };
  for (const LeafReduction &reduction : reductions)
    memory.push_back(inputOf(reduction.memory->getArgNo()));
  layout = layOutCopies(reductions, b, inputOf);
  return error;
}

void KernelBuilder::Folds::placeChunk() {
  copies = kernel.parameters.array(kernel.node.outputs.back().arrayOffset, 1,
                                   numCopyLevels,
                                   SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  numChunks = kernel.parameters.extent(0);
  Value *numUnits = b.getInt64(1);
  for (unsigned level = 0; level != kernel.node.numUnitLevels; ++level)
    numUnits = b.CreateMul(numUnits, kernel.countOf(kernel.extentsOf(level)));
  Value *chunkUnits =
      unitsOfChunk(b, numUnits, numChunks, any_of(reductions, isScan));
  chunk = emitBuiltin(b, Builtin::Group, 0);
  first = b.CreateMul(chunk, chunkUnits);
  end = b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateAdd(first, chunkUnits),
                                numUnits);
  item = emitBuiltin(b, Builtin::Item, 0);
  items = emitBuiltin(b, Builtin::Items, 0);
}

/// Part `number` of the copy of a chunk.
Value *KernelBuilder::Folds::partOf(Value *ofChunk, unsigned number) {
  return b.CreateInBoundsGEP(
      b.getInt8Ty(), copies,
      b.CreateAdd(b.CreateMul(ofChunk, layout.size), layout.offsets[number]));
}

/// Element `index` of those at `start`, which have the type of part `number`.
Value *KernelBuilder::Folds::elementAt(unsigned number, Value *start,
                                       Value *index) {
  return b.CreateInBoundsGEP(
      b.getInt8Ty(), start,
      b.CreateMul(index, b.getInt64(reductions[number].elementBytes), "",
                  /*HasNUW=*/true, /*HasNSW=*/true));
}

void KernelBuilder::Folds::forEach(bool isScanned,
                                   function_ref<void(unsigned)> emit) {
  for (auto [number, reduction] : enumerate(reductions))
    if (isScan(reduction) == isScanned)
      emit(number);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

Error KernelBuilder::Folds::runChunk(bool isInOrder) {
  SmallVector<Value *> inputs(leaf.arg_size());
  forEach(/*isScanned=*/false, [&](unsigned number) {
    Value *copy = partOf(chunk, number);
    Value *bytes = layout.bytes[number];
    if (hasLanes(reductions[number]))
      bytes = b.CreateMul(bytes, layout.numLanes(b));
    resetElements(b, reductions[number], copy, bytes);
    inputs[reductions[number].memory->getArgNo()] = copy;
  });
  const SmallVector<Value *> copied = inputs;
  // A unit contains all instances of the levels inside.
  Value *inside = b.getInt64(1);
  const FlatNode &node = kernel.node;
  for (unsigned i = node.numUnitLevels; i != node.levels.size(); ++i)
    inside = b.CreateMul(inside, kernel.countOf(kernel.extentsOf(i)));
  Value *begin = b.CreateMul(first, inside);
  Error error = Error::success();
  emitSteps(b, isInOrder ? begin : b.CreateAdd(begin, item),
            b.CreateMul(end, inside), isInOrder ? b.getInt64(1) : items,
            [&](Value *index) {
              Places places = kernel.placeInstance(index);
              Value *lane = b.CreateAnd(places.back().ids[0], layout.laneMask);
              forEach(/*isScanned=*/false, [&](unsigned number) {
                unsigned input = reductions[number].memory->getArgNo();
                if (hasLanes(reductions[number]))
                  inputs[input] = elementAt(number, copied[input], lane);
              });
              error = kernel.runLeaf(leaf, instance, places, inputs);
            });
  forEach(/*isScanned=*/false, [&](unsigned number) {
    unsigned input = reductions[number].memory->getArgNo();
    if (hasLanes(reductions[number]))
      kernel.storeIf(b.CreateIsNotNull(layout.laneMask),
                     [&] { foldLanes(b, reductions[number], copied[input]); });
  });
  return error;
}

void KernelBuilder::Folds::scanChunk() {
  forEach(/*isScanned=*/true, [&](unsigned number) {
    ChunkScan scan(b, reductions[number], b.getFalse(), partOf(chunk, number),
                   /*before=*/nullptr);
    scan.scanAlone(elementAt(number, memory[number], first),
                   b.CreateSub(end, first), chunk);
  });
}

/// Joins the elements at `index` of all copies as the leaves of a binary tree,
/// and joins the result with the element in memory.
void KernelBuilder::Folds::emitTree(unsigned number, Value *index) {
  auto at = [&](Value *ofChunk) {
    return elementAt(number, partOf(ofChunk, number), index);
  };
  const LeafReduction &reduction = reductions[number];
  UnitLoop round(b, b.getInt64(0), b.getInt64(Log2_64_Ceil(maxScanChunks)));
  Value *width = b.CreateShl(b.getInt64(1), round.index);
  emitSteps(b, b.getInt64(0),
            b.CreateBinaryIntrinsic(Intrinsic::usub_sat, numChunks, width),
            b.CreateShl(width, b.getInt64(1)), [&](Value *left) {
              foldElement(b, reduction, at(left), at(b.CreateAdd(left, width)));
            });
  round.finish();
  foldElement(b, reduction, elementAt(number, memory[number], index),
              at(b.getInt64(0)));
}

/// Replaces the total of each chunk by the total of all chunks up to it.
void KernelBuilder::Folds::emitChain(unsigned number) {
  AllocaInst *slot = makeElement(b, reductions[number]);
  UnitLoop loop(b, b.getInt64(1), numChunks);
  foldBefore(b, reductions[number],
             partOf(b.CreateSub(loop.index, b.getInt64(1)), number),
             partOf(loop.index, number), slot);
  loop.finish();
}

void KernelBuilder::Folds::joinCopies() {
  Value *number = b.CreateAdd(b.CreateMul(chunk, items), item);
  Value *numItems = b.CreateMul(numChunks, items);
  forEach(/*isScanned=*/false, [&](unsigned index) {
    Value *count = b.CreateUDiv(layout.bytes[index],
                                b.getInt64(reductions[index].elementBytes));
    emitSteps(b, number, count, numItems,
              [&](Value *element) { emitTree(index, element); });
  });
  // One item handles each scan.
  forEach(/*isScanned=*/true, [&](unsigned index) {
    kernel.storeIf(b.CreateICmpEQ(number, b.getInt64(index)),
                   [&] { emitChain(index); });
  });
}

/// Joins the elements of all chunks except the first with the total of the
/// chunks before.
void KernelBuilder::Folds::finishChunk() {
  forEach(/*isScanned=*/true, [&](unsigned number) {
    const LeafReduction &scan = reductions[number];
    AllocaInst *slot = makeElement(b, scan), *before = makeElement(b, scan);
    copyElement(b, scan, before,
                partOf(b.CreateSub(chunk, b.getInt64(1)), number));
    emitSteps(b, b.CreateAdd(first, item), end, items, [&](Value *index) {
      foldBefore(b, scan, before, elementAt(number, memory[number], index),
                 slot);
    });
  });
}

/// Emits the code of one more phase, for items where `condition` holds.
void KernelBuilder::Folds::emitPhase(Value *condition,
                                     function_ref<void()> emit) {
  Value *isNow =
      b.CreateICmpEQ(kernel.parameters.launchWord(SLUICE_DEVICE_LAUNCH),
                     b.getInt64(kernel.numPhases++));
  kernel.storeIf(b.CreateAnd(isNow, condition), emit);
}

Error KernelBuilder::Folds::emit() {
  if (Error error = readInputs())
    return error;
  placeChunk();
  bool scans = any_of(reductions, isScan);
  bool reduces = !all_of(reductions, isScan);
  Value *isFirst = b.CreateICmpEQ(item, b.getInt64(0));
  Error error = Error::success();
  emitPhase(reduces ? isFirst : b.getTrue(),
            [&] { error = runChunk(/*isInOrder=*/reduces); });
  if (scans)
    emitPhase(isFirst, [&] { scanChunk(); });
  emitPhase(b.getTrue(), [&] { joinCopies(); });
  if (scans)
    emitPhase(b.CreateIsNotNull(chunk), [&] { finishChunk(); });
  return error;
}

//===----------------------------------------------------------------------===//
// The node
//===----------------------------------------------------------------------===//

/// The instance with this number in the order in which chunks count: x varies
/// fastest, inner levels first.
KernelBuilder::Places KernelBuilder::placeInstance(Value *number) {
  Places levels(node.levels.size());
  auto dimsOf = [&](unsigned level) {
    return NodeOp(node.levels[level].node).getExtents().size();
  };
  // In the slowest dimension, the remaining number needs no division.
  std::optional<std::pair<unsigned, unsigned>> slowest;
  for (unsigned i = node.levels.size(); i-- != 0;)
    if (unsigned dims = dimsOf(i))
      slowest = {i, dims - 1};
  for (unsigned i = node.levels.size(); i-- != 0;) {
    PlacedLevel &level = levels[i];
    level.numDims = dimsOf(i);
    level.extents = extentsOf(i);
    for (unsigned d = 0; d != 3; ++d) {
      if (d >= level.numDims) {
        level.ids[d] = b.getInt64(0);
      } else if (slowest == std::pair(i, d)) {
        level.ids[d] = number;
      } else {
        level.ids[d] = b.CreateURem(number, level.extents[d]);
        number = b.CreateUDiv(number, level.extents[d]);
      }
    }
  }
  return levels;
}

//===----------------------------------------------------------------------===//
// Instances without chunks
//===----------------------------------------------------------------------===//

/// Values for the inputs that the leaf reduces into; null for other inputs.
SmallVector<Value *> KernelBuilder::replaceReduced(const Function &leaf) {
  SmallVector<Value *> inputs(leaf.arg_size());
  for (const LeafReduction &reduction : reductionsOf(leaf)) {
    if (isScan(reduction))
      continue;
    const unsigned index = reduction.memory->getArgNo();
    inputs[index] =
        parameters.array(node.outputs.back().arrayOffset, 1, numCopyLevels,
                         SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    reduced.push_back(describePointer(index).argument);
  }
  return inputs;
}

/// Reads and writes the element of the instance at `levels`, as its scan does.
/// If the leaf has overwritten it completely, LLVM drops the read.
Error KernelBuilder::touchScanned(const Function &leaf,
                                  ArrayRef<PlacedLevel> levels) {
  for (const LeafReduction &reduction : reductionsOf(leaf)) {
    if (!isScan(reduction))
      continue;
    Expected<Value *> memory = pointerValue(reduction.memory->getArgNo());
    if (!memory)
      return memory.takeError();
    const uint64_t bytes = reduction.elementBytes;
    Value *element = b.CreateInBoundsGEP(
        b.getInt8Ty(), *memory,
        b.CreateNSWMul(linearIndex(levels), b.getInt64(bytes)));
    if (bytes > 8 || !isPowerOf2_64(bytes)) {
      b.CreateMemSet(element, b.getInt8(0), bytes, Align(1));
      continue;
    }
    Type *type = b.getIntNTy(8 * bytes);
    Value *value = b.CreateAlignedLoad(type, element, Align(1));
    b.CreateAlignedStore(b.CreateNot(value), element, Align(1));
  }
  return Error::success();
}

Error KernelBuilder::emitFolds() {
  Function &leaf = neutralLeaf(node.getKernel());
  if (mayExecuteBarrier(leaf) && !NodeOp(node.body).getExtents().empty())
    return refuse(leaf, "has a reduction and waits at barriers, which only the "
                        "host runs");
  Expected<Function *> instance = createOwnLeaf(leaf);
  if (!instance)
    return instance.takeError();
  nodeGrid.isGrouped = true;
  nodeGrid.gridLevel = 0; // that of chunks
  return Folds(*this, leaf, **instance).emit();
}
