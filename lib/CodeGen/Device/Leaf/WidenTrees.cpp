//===- WidenTrees.cpp - Several levels of a tree per barrier --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises loops in the form that clang emits, before they are cleaned up.
// Two conditions do not follow from the loop itself and are tested when it
// begins: all ids below `half` must exist, and `half` must be divisible by
// eight.
//
//===----------------------------------------------------------------------===//

#include "WidenTrees.h"
#include "sluice/Analysis/BarrierCheck.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;
using namespace sluice::codegen;

/// The elements of a step, the elements that it writes, and the number of
/// levels that it replaces.
static constexpr unsigned stepElements = 16, stepWritten = stepElements / 2,
                          stepLevels = 4;

namespace {
/// A loop of the form, and its parts.
class WidenedTree {
public:
  explicit WidenedTree(Loop &loop)
      : loop(loop), context(loop.getHeader()->getContext()) {}

  /// Whether the loop has the form.
  bool recognise();
  void widen();

private:
  Loop &loop;
  LLVMContext &context;
  BasicBlock *before = nullptr, *header = nullptr, *update = nullptr;
  PHINode *half = nullptr;
  Instruction *barrier = nullptr;
  /// The id of the instance, and whether the loop uses it in 32 bits.
  CallInst *id = nullptr;
  bool isNarrow = false;
  Argument *memory = nullptr;
  LoadInst *left = nullptr, *right = nullptr;
  StoreInst *result = nullptr;

  bool findBlocks();
  bool findHalf();
  bool isId(Value *value);
  bool isElement(Value *address, bool isRight);
  bool findUpdate();
  bool isOperator(Value *value, SmallPtrSetImpl<Value *> &seen);
  bool isAlone() const;
  Value *combine(IRBuilder<> &b, Value *into, Value *from);
};
} // namespace

static Value *stripExtension(Value *value) {
  Value *inner;
  return match(value, m_ZExtOrSExt(m_Value(inner))) ? inner : value;
}

//===----------------------------------------------------------------------===//
// The form
//===----------------------------------------------------------------------===//

/// header -> guard -> update -> barrier (-> latch) -> header
bool WidenedTree::findBlocks() {
  header = loop.getHeader();
  before = loop.getLoopPredecessor();
  BasicBlock *latch = loop.getLoopLatch();
  if (!before || !latch || loop.getExitingBlock() != header ||
      !loop.getSubLoops().empty())
    return false;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (hpvmIntrinsicName(instruction) == "barrier") {
        if (barrier)
          return false;
        barrier = &instruction;
      }
  if (!barrier)
    return false;
  BasicBlock *end = barrier->getParent();
  if (end != latch && end->getSingleSuccessor() != latch)
    return false;
  auto *enters = dyn_cast<BranchInst>(header->getTerminator());
  if (!enters || !enters->isConditional())
    return false;
  BasicBlock *guard = enters->getSuccessor(0);
  auto *guards = dyn_cast<BranchInst>(guard->getTerminator());
  if (!loop.contains(guard) || !guards || !guards->isConditional() ||
      guards->getSuccessor(1) != end)
    return false;
  update = guards->getSuccessor(0);
  unsigned numBlocks = 4 + (end != latch);
  return update->getSingleSuccessor() == end &&
         update->getSinglePredecessor() == guard &&
         loop.getNumBlocks() == numBlocks;
}

/// It starts with any value and is halved in each round; the loop ends when it
/// is 0.
bool WidenedTree::findHalf() {
  if (!hasSingleElement(header->phis()))
    return false;
  half = &*header->phis().begin();
  if (!half->getType()->isIntegerTy(32) && !half->getType()->isIntegerTy(64))
    return false;
  Value *next = half->getIncomingValueForBlock(loop.getLoopLatch());
  if (!match(next, m_CombineOr(m_IDiv(m_Specific(half), m_SpecificInt(2)),
                               m_Shr(m_Specific(half), m_One()))))
    return false;
  CmpPredicate predicate;
  Value *condition = cast<BranchInst>(header->getTerminator())->getCondition();
  return match(condition, m_ICmp(predicate, m_Specific(half), m_Zero())) &&
         (predicate == ICmpInst::ICMP_SGT || predicate == ICmpInst::ICMP_UGT ||
          predicate == ICmpInst::ICMP_NE);
}

/// Whether `value` is the x id of the instance in the leaf's own node.
bool WidenedTree::isId(Value *value) {
  Value *whole = value;
  bool isCut = match(value, m_Trunc(m_Value(whole)));
  auto *call = dyn_cast<CallInst>(whole);
  if (!call || hpvmIntrinsicName(*call) != "getNodeInstanceID.x" ||
      !call->getType()->isIntegerTy(64) ||
      hpvmIntrinsicName(*call->getArgOperand(0)) != "getNode" ||
      loop.contains(call) || (id && id != call))
    return false;
  id = call;
  isNarrow |= isCut;
  return true;
}

/// Whether `address` is the address of element i, or i + half, of the memory.
bool WidenedTree::isElement(Value *address, bool isRight) {
  auto *element = dyn_cast<GetElementPtrInst>(address);
  if (!element || element->getNumIndices() != 1 ||
      element->getSourceElementType() != result->getValueOperand()->getType())
    return false;
  auto *base = dyn_cast<Argument>(element->getPointerOperand());
  if (!base || (memory && memory != base))
    return false;
  memory = base;
  Value *index = stripExtension(element->getOperand(1));
  if (!isRight)
    return isId(index);
  Value *first, *second;
  if (!match(index, m_Add(m_Value(first), m_Value(second))))
    return false;
  if (stripExtension(first) == half)
    std::swap(first, second);
  return stripExtension(second) == half && isId(stripExtension(first));
}

/// Whether `value` depends only on the two elements, parameters and constants.
bool WidenedTree::isOperator(Value *value, SmallPtrSetImpl<Value *> &seen) {
  if (value == left || value == right || isa<Constant, Argument>(value) ||
      !seen.insert(value).second)
    return true;
  auto *instruction = dyn_cast<Instruction>(value);
  return instruction && instruction->getParent() == update &&
         !instruction->mayReadOrWriteMemory() &&
         (!isa<CallBase>(instruction) || isa<IntrinsicInst>(instruction)) &&
         all_of(instruction->operands(),
                [&](Use &operand) { return isOperator(operand, seen); });
}

/// element i = operator(element i, element i + half)
bool WidenedTree::findUpdate() {
  SmallVector<LoadInst *> loads;
  for (Instruction &instruction : *update) {
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      loads.push_back(load);
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      if (result)
        return false;
      result = store;
    }
  }
  if (!result || !result->isSimple() || loads.size() != 2 ||
      !isElement(result->getPointerOperand(), /*isRight=*/false))
    return false;
  for (LoadInst *load : loads) {
    if (!load->isSimple() ||
        load->getType() != result->getValueOperand()->getType())
      return false;
    bool isRight = !isElement(load->getPointerOperand(), /*isRight=*/false);
    if (isRight && !isElement(load->getPointerOperand(), /*isRight=*/true))
      return false;
    (isRight ? right : left) = load;
  }
  SmallPtrSet<Value *, 8> seen;
  auto *guards =
      cast<BranchInst>(update->getSinglePredecessor()->getTerminator());
  CmpPredicate predicate;
  Value *first, *second;
  if (!left || !right || !isOperator(result->getValueOperand(), seen) ||
      !match(guards->getCondition(),
             m_ICmp(predicate, m_Value(first), m_Value(second))))
    return false;
  ICmpInst::Predicate less = predicate;
  if (stripExtension(first) == half) {
    std::swap(first, second);
    less = ICmpInst::getSwappedPredicate(less);
  }
  return stripExtension(second) == half && isId(stripExtension(first)) &&
         (less == ICmpInst::ICMP_SLT || less == ICmpInst::ICMP_ULT);
}

/// Whether the loop has no other effects, and no value of it is used after it.
bool WidenedTree::isAlone() const {
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      bool isPart = &instruction == barrier || &instruction == result ||
                    &instruction == left || &instruction == right;
      if (!isPart && !isa<DbgInfoIntrinsic>(instruction) &&
          (instruction.mayReadOrWriteMemory() ||
           instruction.mayHaveSideEffects()))
        return false;
      if (any_of(instruction.users(), [&](User *user) {
            return !loop.contains(cast<Instruction>(user));
          }))
        return false;
    }
  return true;
}

bool WidenedTree::recognise() {
  return findBlocks() && findHalf() && findUpdate() && isAlone();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Copies `value` of the loop, with the replacements in `known`.
static Value *copyValue(IRBuilder<> &b, Value *value,
                        SmallDenseMap<Value *, Value *> &known) {
  if (Value *copy = known.lookup(value))
    return copy;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return value;
  SmallVector<Value *> operands;
  for (Use &operand : instruction->operands())
    operands.push_back(copyValue(b, operand, known));
  Instruction *copy = b.Insert(instruction->clone());
  for (auto [index, operand] : enumerate(operands))
    copy->setOperand(index, operand);
  return known[value] = copy;
}

/// The result of the loop's operator on two elements.
Value *WidenedTree::combine(IRBuilder<> &b, Value *into, Value *from) {
  SmallDenseMap<Value *, Value *> known;
  known[left] = into;
  known[right] = from;
  return copyValue(b, result->getValueOperand(), known);
}

void WidenedTree::widen() {
  Function *function = header->getParent();
  auto *question = BasicBlock::Create(context, "tree", function, header);
  auto *step = BasicBlock::Create(context, "tree.step", function, header);
  auto *elements =
      BasicBlock::Create(context, "tree.elements", function, header);
  auto *end = BasicBlock::Create(context, "tree.end", function, header);
  Type *type = half->getType();

  // The extent is computed next to the id.
  IRBuilder<> b(id->getNextNode());
  Value *extent = b.CreateCall(
      function->getParent()->getOrInsertFunction(
          "llvm.hpvm.getNumNodeInstances.x", id->getFunctionType()),
      id->getArgOperand(0));

  b.SetInsertPoint(question);
  b.SetCurrentDebugLocation(result->getDebugLoc());
  PHINode *width = b.CreatePHI(type, 2, "tree.half");
  width->addIncoming(half->getIncomingValueForBlock(before), before);
  auto number = [&](uint64_t value) { return ConstantInt::get(type, value); };
  Value *rest = b.CreateAnd(width, number(stepWritten - 1));
  Value *isWide = b.CreateAnd(b.CreateICmpSGT(width, number(0)),
                              b.CreateICmpEQ(rest, number(0)));
  Value *whole = b.CreateZExt(width, b.getInt64Ty());
  isWide = b.CreateAnd(isWide, b.CreateICmpSLE(whole, extent));
  // Sums of 32-bit numbers stay in 32 bits.
  if (isNarrow || type->isIntegerTy(32))
    isWide = b.CreateAnd(
        isWide, b.CreateICmpSLE(extent, b.getInt64(UINT64_C(1) << 30)));
  b.CreateCondBr(isWide, step, header);

  b.SetInsertPoint(step);
  Value *distance = b.CreateLShr(whole, Log2_32(stepWritten));
  b.CreateCondBr(b.CreateICmpSLT(id, distance), elements, end);

  b.SetInsertPoint(elements);
  Type *elementType = left->getType();
  SmallVector<Value *> addresses, values;
  for (unsigned k = 0; k != stepElements; ++k) {
    Value *index = b.CreateNSWAdd(id, b.CreateNSWMul(distance, b.getInt64(k)));
    addresses.push_back(b.CreateInBoundsGEP(elementType, memory, index));
    auto *load = cast<LoadInst>(b.Insert(left->clone()));
    load->setOperand(0, addresses.back());
    values.push_back(load);
  }
  for (unsigned numLeft = stepWritten; numLeft != 0; numLeft /= 2)
    for (unsigned k = 0; k != numLeft; ++k)
      values[k] = combine(b, values[k], values[k + numLeft]);
  for (unsigned k = 0; k != stepWritten; ++k) {
    auto *store = cast<StoreInst>(b.Insert(result->clone()));
    store->setOperand(0, values[k]);
    store->setOperand(1, addresses[k]);
  }
  b.CreateBr(end);

  b.SetInsertPoint(end);
  b.Insert(barrier->clone());
  width->addIncoming(b.CreateLShr(width, stepLevels), end);
  b.CreateBr(question);

  before->getTerminator()->replaceSuccessorWith(header, question);
  int entry = half->getBasicBlockIndex(before);
  half->setIncomingBlock(entry, question);
  half->setIncomingValue(entry, width);
}

void codegen::widenTrees(Function &leaf) {
  if (none_of(instructions(leaf), [](Instruction &instruction) {
        return hpvmIntrinsicName(instruction) == "barrier";
      }))
    return;
  DominatorTree dominators(leaf);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder())
    if (WidenedTree tree(*loop); tree.recognise())
      tree.widen();
}
