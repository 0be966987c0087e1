//===- GroupItems.cpp - Running the instances of a leaf on a group --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group may have fewer items than a leaf has instances. This file emits the
// loops that distribute instances over items, and the barriers between them.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "NeutralForm.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

Value *KernelBuilder::isFirstItem() {
  Value *result = b.getTrue();
  for (unsigned d = 0; d != 3; ++d)
    result =
        b.CreateAnd(result, b.CreateICmpEQ(emitBuiltin(b, Builtin::Item, d),
                                           b.getInt64(0)));
  return result;
}

/// The only instance of a level without dimensions.
PlacedLevel KernelBuilder::singleInstance() {
  Value *zero = b.getInt64(0), *one = b.getInt64(1);
  return {{zero, zero, zero}, {one, one, one}, 0};
}

/// Waits for the earlier actions of the items, if they touched memory.
void KernelBuilder::wait() {
  if (!needsBarrier)
    return;
  emitBarrier(b);
  hasBarrier = true;
  needsBarrier = false;
}

namespace {
/// `for (id = item; id < extent; id += items)` in one dimension.
class StridedLoop {
public:
  StridedLoop(IRBuilder<> &b, Function *function, unsigned dimension,
              Value *extent)
      : b(b) {
    LLVMContext &context = b.getContext();
    Value *first = emitBuiltin(b, Builtin::Item, dimension);
    BasicBlock *before = b.GetInsertBlock();
    header = BasicBlock::Create(context, "items", function);
    auto *run = BasicBlock::Create(context, "instance", function);
    after = BasicBlock::Create(context, "ran", function);
    b.CreateBr(header);
    b.SetInsertPoint(header);
    id = b.CreatePHI(b.getInt64Ty(), 2, "id");
    id->addIncoming(first, before);
    b.CreateCondBr(b.CreateICmpSLT(id, extent), run, after);
    b.SetInsertPoint(run);
  }

  void finish(unsigned dimension) {
    Value *next = b.CreateAdd(id, emitBuiltin(b, Builtin::Items, dimension), "",
                              /*HasNUW=*/true, /*HasNSW=*/true);
    id->addIncoming(next, b.GetInsertBlock());
    b.CreateBr(header);
    b.SetInsertPoint(after);
  }

  PHINode *id;

private:
  IRBuilder<> &b;
  BasicBlock *header, *after;
};
} // namespace

/// The numbers of items that the host will choose (GroupSizeFunction.cpp) for
/// the extents.
void KernelBuilder::chooseOpenItems(unsigned numDims,
                                    const ValueTriple &extents) {
  for (unsigned d = numDims; d != 3; ++d)
    knownItems[d] = 1;
  int64_t room = maxItems;
  for (unsigned d = 0; d != numDims; ++d) {
    auto *extent = dyn_cast<ConstantInt>(extents[d]);
    if (!extent)
      return;
    knownItems[d] = std::clamp<int64_t>(extent->getSExtValue(), 1, room);
    room /= *knownItems[d];
  }
}

Error KernelBuilder::runOnItems(unsigned numDims, const ValueTriple &extents,
                                bool isExact,
                                function_ref<Error(const PlacedLevel &)> run) {
  PlacedLevel own{
      {b.getInt64(0), b.getInt64(0), b.getInt64(0)}, extents, numDims};
  if (isExact) {
    for (unsigned d = 0; d != numDims; ++d)
      own.ids[d] = emitBuiltin(b, Builtin::Item, d);
    // A group has an item even if this leaf has no instance.
    Error error = Error::success();
    storeIf(b.CreateICmpSGT(countOf(extents), b.getInt64(0)),
            [&] { error = run(own); });
    return error;
  }
  // Items beyond the dimensions of the leaf do nothing.
  SmallVector<std::pair<unsigned, StridedLoop>, 3> loops;
  for (unsigned d = 3; d-- != 0;) {
    auto *extent = dyn_cast<ConstantInt>(extents[d]);
    bool fits = extent && knownItems[d] == extent->getSExtValue();
    if (!fits)
      loops.push_back({d, StridedLoop(b, body, d, extents[d])});
    if (d < numDims)
      own.ids[d] = fits ? emitBuiltin(b, Builtin::Item, d)
                        : cast<Value>(loops.back().second.id);
  }
  Error error = run(own);
  for (auto &[dimension, loop] : reverse(loops))
    loop.finish(dimension);
  return error;
}
