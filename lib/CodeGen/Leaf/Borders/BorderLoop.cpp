//===- BorderLoop.cpp - Loops over instances, cut in pieces ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces that follow each other, each of which may have no round:
//
//   piece:        if (from < to)
//   piece.begin:    do { ... } while (counter != its value in round to - 1)
//   piece.end:
//
// Counters begin with their value in round `from`; other values that a round
// hands to the next one go through the ends of pieces.
//
//===----------------------------------------------------------------------===//

#include "BorderLoop.h"

#include "../Group/InstanceLoops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace sluice::codegen {

/// By how much `phi`, in the header of `loop`, grows each round.
static std::optional<int64_t> stepOf(PHINode &phi, const Loop &loop,
                                     ScalarEvolution &evolution) {
  if (!phi.getType()->isIntegerTy())
    return std::nullopt;
  const auto *value = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
  if (!value || value->getLoop() != &loop || !value->isAffine())
    return std::nullopt;
  const auto *step =
      dyn_cast<SCEVConstant>(value->getStepRecurrence(evolution));
  if (!step || step->getAPInt().getSignificantBits() > 64)
    return std::nullopt;
  return step->getAPInt().getSExtValue();
}

/// Whole numbers must be counters: others could look like counters once the
/// loop has been changed to its inside.
static bool findSteps(BorderLoop &result, ScalarEvolution &evolution) {
  for (PHINode &phi : result.loop->getHeader()->phis()) {
    result.steps.push_back(stepOf(phi, *result.loop, evolution));
    if (!result.steps.back() && evolution.isSCEVable(phi.getType()))
      return false;
  }
  return true;
}

std::optional<BorderLoop> describeBorderLoop(Loop &loop,
                                             ScalarEvolution &evolution) {
  BorderLoop result;
  result.loop = &loop;
  result.before = loop.getLoopPreheader();
  result.exit = loop.getExitBlock();
  BasicBlock *latch = loop.getLoopLatch();
  if (!result.before || !result.exit || !latch || !loop.hasDedicatedExits() ||
      loop.getExitingBlock() != latch || !loop.isSafeToClone())
    return std::nullopt;
  result.latch = dyn_cast<BranchInst>(latch->getTerminator());
  if (!result.latch || !result.latch->isConditional())
    return std::nullopt;
  result.test = dyn_cast<ICmpInst>(result.latch->getCondition());
  result.lastRound = evolution.getBackedgeTakenCount(&loop);
  if (!result.test || !loop.contains(result.test) ||
      !result.test->hasOneUse() ||
      !result.test->getOperand(0)->getType()->isIntegerTy() ||
      isa<SCEVCouldNotCompute>(result.lastRound) ||
      evolution.getTypeSizeInBits(result.lastRound->getType()) > 64)
    return std::nullopt;
  for (unsigned operand : {0, 1}) {
    const auto *counter = dyn_cast<SCEVAddRecExpr>(
        evolution.getSCEV(result.test->getOperand(operand)));
    if (!counter || counter->getLoop() != &loop || !counter->isAffine() ||
        evolution.getTypeSizeInBits(counter->getType()) > 64 ||
        !evolution.isLoopInvariant(
            evolution.getSCEV(result.test->getOperand(1 - operand)), &loop))
      continue;
    // Its values must not come again within the loop.
    const SCEV *step = counter->getStepRecurrence(evolution);
    if (!step->isOne() && !step->isAllOnesValue())
      continue;
    result.counterOperand = operand;
    result.counter = counter;
  }
  if (!result.counter || !findSteps(result, evolution))
    return std::nullopt;
  return result;
}

LoopBody bodyOf(const BorderLoop &loop) {
  LoopBody body;
  body.header = loop.loop->getHeader();
  body.latch = loop.loop->getLoopLatch();
  body.counter = loop.test->getOperand(loop.counterOperand);
  for (PHINode &phi : loop.exit->phis())
    body.exitValues.push_back(phi.getIncomingValueForBlock(body.latch));
  return body;
}

LoopBody copyLoop(const BorderLoop &loop) {
  ValueToValueMapTy copies;
  Function *function = loop.before->getParent();
  SmallVector<BasicBlock *> blocks(loop.loop->blocks()), newBlocks;
  for (BasicBlock *block : blocks) {
    BasicBlock *copy = CloneBasicBlock(block, copies, ".border", function);
    copy->moveBefore(loop.exit);
    copies[block] = copy;
    newBlocks.push_back(copy);
  }
  remapInstructionsInBlocks(newBlocks, copies);
  SmallVector<MDNode *> scopes;
  identifyNoAliasScopesToClone(blocks, scopes);
  if (!scopes.empty())
    cloneAndAdaptNoAliasScopes(scopes, newBlocks, function->getContext(),
                               "border");
  auto copyOf = [&](Value *value) -> Value * {
    Value *copy = copies.lookup(value);
    return copy ? copy : value;
  };
  LoopBody body = bodyOf(loop);
  body.header = cast<BasicBlock>(copyOf(body.header));
  body.latch = cast<BasicBlock>(copyOf(body.latch));
  body.counter = copyOf(body.counter);
  for (Value *&value : body.exitValues)
    value = copyOf(value);
  body.latch->getTerminator()->eraseFromParent();
  new UnreachableInst(function->getContext(), body.latch);
  body.blocks = std::move(newBlocks);
  return body;
}

namespace {

class PieceJoiner {
public:
  PieceJoiner(const BorderLoop &loop, ScalarEvolution &evolution,
              StringRef name);

  void join(ArrayRef<LoopPiece> pieces);

private:
  /// A phi of the header, whose copies stand at the same place in theirs.
  struct State {
    Value *start;                ///< before the first round
    std::optional<int64_t> step; ///< of counters
    Value *value;                ///< after the pieces so far
  };

  const BorderLoop &loop;
  IRBuilder<> builder;
  SmallVector<State> states;
  SmallVector<Value *> exitValues;
  Value *counterStart;
  int64_t counterStep;
  DebugLoc place;
  MDNode *loopId;
  StringRef name; ///< of the pieces

  Value *inRound(Value *start, int64_t step, Value *round);
  void add(const LoopPiece &piece);
  void setProperties(BranchInst &branch, const LoopPiece &piece);
};

} // namespace

/// The counter in the first round. Where a phi differs from it by a constant,
/// nothing of what the loop starts from is computed anew: that may be a
/// division that a condition guards.
static Value *emitCounterStart(const BorderLoop &loop,
                               ScalarEvolution &evolution) {
  Instruction *end = loop.before->getTerminator();
  for (PHINode &phi : loop.loop->getHeader()->phis()) {
    if (phi.getType() != loop.counter->getType())
      continue;
    const auto *beyond = dyn_cast<SCEVConstant>(
        evolution.getMinusSCEV(loop.counter, evolution.getSCEV(&phi)));
    if (beyond)
      return IRBuilder<>(end).CreateAdd(
          phi.getIncomingValueForBlock(loop.before), beyond->getValue());
  }
  return SCEVExpander(evolution, "border")
      .expandCodeFor(loop.counter->getStart(), loop.counter->getType(), end);
}

PieceJoiner::PieceJoiner(const BorderLoop &loop, ScalarEvolution &evolution,
                         StringRef name)
    : loop(loop), builder(loop.before->getTerminator()),
      place(loop.latch->getDebugLoc()), loopId(loop.loop->getLoopID()),
      name(name) {
  for (auto [phi, step] : zip(loop.loop->getHeader()->phis(), loop.steps)) {
    Value *start = phi.getIncomingValueForBlock(loop.before);
    states.push_back({start, step, start});
  }
  for (PHINode &phi : loop.exit->phis())
    exitValues.push_back(PoisonValue::get(phi.getType()));
  counterStart = emitCounterStart(loop, evolution);
  counterStep = loop.counter->getStepRecurrence(evolution)->isOne() ? 1 : -1;
}

Value *PieceJoiner::inRound(Value *start, int64_t step, Value *round) {
  Type *type = start->getType();
  Value *offset = builder.CreateMul(builder.CreateZExtOrTrunc(round, type),
                                    ConstantInt::getSigned(type, step));
  return builder.CreateAdd(start, offset);
}

/// Pieces at borders are no loops over instances to later passes: what those
/// do for such loops would only make more code. The marks of independent
/// accesses stay.
void PieceJoiner::setProperties(BranchInst &branch, const LoopPiece &piece) {
  LLVMContext &context = branch.getContext();
  SmallVector<Metadata *> operands{nullptr};
  if (loopId)
    for (const MDOperand &operand : drop_begin(loopId->operands()))
      if (!piece.isShort || !isInstanceMark(operand.get()))
        operands.push_back(operand.get());
  if (piece.isShort)
    operands.push_back(MDNode::get(
        context, {MDString::get(context, "llvm.loop.vectorize.enable"),
                  ConstantAsMetadata::get(builder.getFalse())}));
  MDNode *id = MDNode::getDistinct(context, operands);
  id->replaceOperandWith(0, id);
  branch.setMetadata(LLVMContext::MD_loop, id);
}

/// At the builder's position, which moves behind the piece.
void PieceJoiner::add(const LoopPiece &piece) {
  LLVMContext &context = builder.getContext();
  const LoopBody &body = piece.body;
  Function *function = body.header->getParent();
  BasicBlock *check = builder.GetInsertBlock();
  auto *begin =
      BasicBlock::Create(context, name + ".begin", function, body.header);
  auto *end = BasicBlock::Create(context, name + ".end", function, loop.exit);
  builder.CreateCondBr(builder.CreateICmpULT(piece.from, piece.to), begin, end);

  builder.SetInsertPoint(begin);
  for (auto [phi, state] : zip(body.header->phis(), states)) {
    int index = phi.getBasicBlockIndex(loop.before);
    phi.setIncomingBlock(index, begin);
    phi.setIncomingValue(
        index, state.step ? inRound(state.start, *state.step, piece.from)
                          : state.value);
  }
  Value *lastRound = builder.CreateSub(piece.to, builder.getInt64(1));
  Value *last = inRound(counterStart, counterStep, lastRound);
  builder.CreateBr(body.header);

  Instruction *oldEnd = body.latch->getTerminator();
  builder.SetInsertPoint(oldEnd);
  BranchInst *back = builder.CreateCondBr(
      builder.CreateICmpEQ(body.counter, last), end, body.header);
  back->setDebugLoc(place);
  setProperties(*back, piece);
  oldEnd->eraseFromParent();

  builder.SetInsertPoint(end);
  auto merge = [&](Value *&value, Value *after) {
    PHINode *merged = builder.CreatePHI(value->getType(), 2);
    merged->addIncoming(value, check);
    merged->addIncoming(after, body.latch);
    value = merged;
  };
  for (auto [phi, state] : zip(body.header->phis(), states))
    if (!state.step)
      merge(state.value, phi.getIncomingValueForBlock(body.latch));
  for (auto [value, after] : zip(exitValues, body.exitValues))
    merge(value, after);
}

void PieceJoiner::join(ArrayRef<LoopPiece> pieces) {
  Instruction *oldEnd = loop.before->getTerminator();
  BasicBlock *latch = loop.loop->getLoopLatch();
  for (const LoopPiece &piece : pieces)
    add(piece);
  oldEnd->eraseFromParent();
  builder.CreateBr(loop.exit);
  for (auto [phi, value] : zip(loop.exit->phis(), exitValues)) {
    int index = phi.getBasicBlockIndex(latch);
    phi.setIncomingBlock(index, builder.GetInsertBlock());
    phi.setIncomingValue(index, value);
  }
}

void joinPieces(const BorderLoop &loop, ArrayRef<LoopPiece> pieces,
                ScalarEvolution &evolution, StringRef name) {
  PieceJoiner(loop, evolution, name).join(pieces);
}

} // namespace sluice::codegen
