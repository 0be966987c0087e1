//===- OpenMPBounds.cpp - What bounds of loops say of iterations ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes get the number of iterations from the host, and the code of an
// iteration does not show how it was computed. So the test that each iteration
// passes, `i < n`, is stated where `i` is set. Before the loop, clang asks the
// same of its first iteration, which shows the test's form. Of loops without
// one, the number of the last iteration is stated.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;
using namespace llvm::PatternMatch;

/// Of statements.
static constexpr StringLiteral boundMark = "sluice.bound";
/// A call that keeps the test of the first iteration: its predicate, what it
/// compares, and the variable of the loop.
static constexpr StringLiteral testName = "sluice.test";

//===----------------------------------------------------------------------===//
// Before the code is simplified
//===----------------------------------------------------------------------===//

static void state(IRBuilder<> &builder, Value *condition) {
  CallInst *bound = builder.CreateAssumption(condition);
  bound->setMetadata(boundMark, MDNode::get(builder.getContext(), {}));
}

namespace {
/// The test by which clang enters a loop.
struct FirstTest {
  CmpInst::Predicate predicate;
  Value *left, *right;
};
} // namespace

/// The nearest choice on the way to a loop: its own, if there is one.
static std::optional<FirstTest> testBefore(const SharedLoop &loop) {
  BasicBlock *block = loop.start->getParent();
  while (BasicBlock *above = block->getSinglePredecessor()) {
    auto *branch = dyn_cast<BranchInst>(above->getTerminator());
    if (!branch)
      return std::nullopt;
    if (branch->isConditional()) {
      auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
      if (!compare || branch->getSuccessor(0) == branch->getSuccessor(1))
        return std::nullopt;
      return FirstTest{branch->getSuccessor(0) == block
                           ? compare->getPredicate()
                           : compare->getInversePredicate(),
                       compare->getOperand(0), compare->getOperand(1)};
    }
    block = above;
  }
  return std::nullopt;
}

/// Keeps the test until it is known which side is the loop's variable.
static void keepTest(const SharedLoop &loop) {
  std::optional<FirstTest> test = testBefore(loop);
  BasicBlock &inside = *loop.exits.back().inside;
  auto counter = find_if(inside, [](const Instruction &instruction) {
    return isa<StoreInst>(instruction);
  });
  if (!test || counter == inside.end())
    return;
  auto *store = cast<StoreInst>(&*counter);
  Value *value = store->getValueOperand();
  if (value->getType() != test->left->getType())
    return;
  IRBuilder<> builder(store->getNextNode());
  FunctionCallee callee = inside.getModule()->getOrInsertFunction(
      testName, FunctionType::get(builder.getVoidTy(), /*isVarArg=*/true));
  CallInst *kept =
      builder.CreateCall(callee, {builder.getInt32(test->predicate), test->left,
                                  test->right, value});
  kept->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  kept->setDoesNotThrow();
  kept->addFnAttr(Attribute::WillReturn);
  kept->addFnAttr(Attribute::NoSync);
}

void openmp::stateBound(const SharedLoop &loop, Value &id) {
  IRBuilder<> builder(loop.start);
  Value *last =
      builder.CreateZExtOrTrunc(lastIteration(loop, builder), loop.type);
  // Of an unsigned type, it may be more than the largest signed number.
  state(
      builder,
      loop.isUnsigned
          ? builder.CreateICmpULE(&id, builder.CreateZExt(last, id.getType()))
          : builder.CreateICmpSLE(&id, builder.CreateSExt(last, id.getType())));
  keepTest(loop);
}

//===----------------------------------------------------------------------===//
// Behind
//===----------------------------------------------------------------------===//

static bool isInstance(const Value &value) {
  return calledName(value).starts_with("llvm.hpvm.");
}

/// Whether a value is 0 in iteration 0. That of a collapsed loop is divided,
/// and which of the loops a test belongs to is not known.
static bool isZeroFirst(const Value &value, unsigned depth = 0) {
  constexpr unsigned mostDepth = 6;
  const Value *inner;
  if (isInstance(value) || match(&value, m_Zero()))
    return true;
  if (depth == mostDepth)
    return false;
  if (match(&value, m_Trunc(m_Value(inner))) ||
      match(&value, m_ZExtOrSExt(m_Value(inner))) ||
      match(&value, m_Shl(m_Value(inner), m_Value())))
    return isZeroFirst(*inner, depth + 1);
  const Value *other;
  return match(&value, m_Mul(m_Value(inner), m_Value(other))) &&
         (isZeroFirst(*inner, depth + 1) || isZeroFirst(*other, depth + 1));
}

/// Whether the loop's variable is `start` in iteration 0.
static bool startsAt(const Value &counter, const Value &start) {
  const Value *left, *right;
  if (isZeroFirst(counter))
    return match(&start, m_Zero());
  if (match(&counter, m_Add(m_Value(left), m_Value(right))))
    return (left == &start && isZeroFirst(*right)) ||
           (right == &start && isZeroFirst(*left));
  return match(&counter, m_Sub(m_Value(left), m_Value(right))) &&
         left == &start && isZeroFirst(*right);
}

using Instructions = SmallSetVector<const Instruction *, 16>;

/// What a statement is computed from, itself included. `sources`: what that
/// begins with.
static Instructions computedFor(const CallInst &bound,
                                SmallSetVector<const Value *, 8> *sources) {
  Instructions computed;
  computed.insert(&bound);
  for (unsigned i = 0; i != computed.size(); ++i)
    for (const Use &operand : computed[i]->operands()) {
      const auto *inner = dyn_cast<Instruction>(&operand);
      if (inner && !inner->mayReadOrWriteMemory() && !isInstance(*inner) &&
          !isa<PHINode, AllocaInst>(inner))
        computed.insert(inner);
      else if (sources && !isa<Constant>(operand))
        sources->insert(operand);
    }
  return computed;
}

/// Whether the code needs all that a statement is computed from for itself,
/// too. What it does not need would have to be passed to it, and says nothing
/// of it.
static bool isOfCode(const CallInst &bound, ArrayRef<CallInst *> all) {
  SmallSetVector<const Value *, 8> sources;
  computedFor(bound, &sources);
  // What serves nothing but statements.
  SmallPtrSet<const User *, 16> alone;
  for (const CallInst *one : all)
    for (const Instruction *computed : computedFor(*one, nullptr))
      alone.insert(computed);
  for (bool changed = true; changed;) {
    changed = false;
    for (const User *inner :
         SmallVector<const User *>(alone.begin(), alone.end()))
      if (any_of(inner->users(),
                 [&](const User *user) { return !alone.contains(user); })) {
        alone.erase(inner);
        changed = true;
      }
  }
  bool isKnown = false;
  for (const Value *source : sources) {
    // The number of the instance is there for every instance.
    if (isInstance(*source))
      continue;
    if (all_of(source->users(),
               [&](const User *user) { return alone.contains(user); }))
      return false;
    isKnown = true;
  }
  return isKnown;
}

/// OpenMP wants a step that goes where the test says. So the variable, which
/// begins with `start`, has another value in each iteration, and all of these
/// are of its type.
static void stateStep(Value &counter, Value &start, bool isSigned,
                      IRBuilder<> &builder) {
  Value *product = &counter, *left, *right;
  const bool isDown = match(&counter, m_Sub(m_Specific(&start), m_Value()));
  if (isDown || match(&counter, m_c_Add(m_Specific(&start), m_Value()))) {
    auto &sum = cast<BinaryOperator>(counter);
    product = sum.getOperand(isDown || sum.getOperand(0) == &start ? 1 : 0);
  }
  if (!match(product, m_Mul(m_Value(left), m_Value(right))))
    return;
  auto isRound = [](Value &value) {
    const Value *whole = &value;
    match(&value, m_Trunc(m_Value(whole)));
    return isInstance(*whole);
  };
  auto [round, step] =
      isRound(*left) ? std::pair(left, right) : std::pair(right, left);
  if (!isRound(*round) || isa<Constant>(step))
    return;
  Constant *zero = Constant::getNullValue(step->getType());
  state(builder, isSigned ? builder.CreateICmpSGT(step, zero)
                          : builder.CreateICmpNE(step, zero));
  SmallVector<SExtInst *> extended;
  for (User *user : counter.users())
    if (auto *cast = dyn_cast<SExtInst>(user); cast && isSigned)
      extended.push_back(cast);
  for (SExtInst *cast : extended) {
    builder.SetInsertPoint(cast);
    Value *wide = builder.CreateMul(builder.CreateZExt(round, cast->getType()),
                                    builder.CreateZExt(step, cast->getType()));
    if (product != &counter) {
      Value *first = builder.CreateSExt(&start, cast->getType());
      wide = isDown ? builder.CreateSub(first, wide)
                    : builder.CreateAdd(first, wide);
    }
    cast->replaceAllUsesWith(wide);
    cast->eraseFromParent();
  }
}

/// Says of the loop's variable what the test says of its first value. False if
/// the test is not the loop's: from that, the number of iterations follows.
static bool stateTest(CallInst &test, ArrayRef<CallInst *> lasts) {
  Value *left = test.getArgOperand(1), *right = test.getArgOperand(2);
  Value *counter = test.getArgOperand(3);
  const bool isLeft = startsAt(*counter, *left);
  if (!isLeft && !startsAt(*counter, *right))
    return false;
  bool decides = false;
  for (const CallInst *last : lasts) {
    SmallSetVector<const Value *, 8> sources;
    const Instructions computed = computedFor(*last, &sources);
    auto isUsed = [&](const Value *side) {
      const auto *inner = dyn_cast<Instruction>(side);
      return isa<Constant>(side) || sources.contains(side) ||
             (inner && computed.contains(inner));
    };
    decides |= isUsed(left) && isUsed(right);
  }
  if (!decides || (isa<Constant>(left) && isa<Constant>(right)))
    return false;
  auto predicate = static_cast<CmpInst::Predicate>(
      cast<ConstantInt>(test.getArgOperand(0))->getZExtValue());
  IRBuilder<> builder(&test);
  state(builder, builder.CreateICmp(predicate, isLeft ? counter : left,
                                    isLeft ? right : counter));
  stateStep(*counter, isLeft ? *left : *right, ICmpInst::isSigned(predicate),
            builder);
  return true;
}

static SmallVector<CallInst *> statementsIn(Function &iteration) {
  SmallVector<CallInst *> result;
  for (Instruction &instruction : instructions(iteration))
    if (isa<AssumeInst>(instruction) && instruction.hasMetadata(boundMark))
      result.push_back(cast<CallInst>(&instruction));
  return result;
}

static void takeBack(CallInst &bound) {
  WeakVH condition = bound.getArgOperand(0);
  bound.eraseFromParent();
  if (condition)
    RecursivelyDeleteTriviallyDeadInstructions(condition);
}

void openmp::settleBounds(Function &iteration) {
  SmallVector<CallInst *> lasts = statementsIn(iteration), tests;
  Function *known = iteration.getParent()->getFunction(testName);
  if (known)
    for (User *user : known->users())
      if (auto *test = cast<CallInst>(user); test->getFunction() == &iteration)
        tests.push_back(test);
  bool hasTest = false;
  for (CallInst *test : tests) {
    hasTest |= stateTest(*test, lasts);
    SmallVector<WeakTrackingVH> operands(test->args());
    test->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(operands);
  }
  if (known && known->use_empty())
    known->eraseFromParent();
  if (hasTest)
    for (CallInst *last : lasts)
      takeBack(*last);
  SmallVector<CallInst *> bounds = statementsIn(iteration);
  SmallVector<CallInst *> foreign;
  copy_if(bounds, std::back_inserter(foreign),
          [&](const CallInst *bound) { return !isOfCode(*bound, bounds); });
  for (CallInst *bound : foreign)
    takeBack(*bound);
}

bool openmp::hasBound(Function &iteration) {
  return !statementsIn(iteration).empty();
}

//===----------------------------------------------------------------------===//
// Parts of a region
//===----------------------------------------------------------------------===//

namespace {
/// Repeats in the code of a part what the host has computed.
class CountSources {
public:
  CountSources(Function &iteration, const CallInst &launch)
      : iteration(iteration), launch(launch) {}

  /// Whether the part gets all that `value` is computed from.
  bool hasSources(const Value &value, unsigned depth = 0);
  Value *repeat(Value &value, IRBuilder<> &builder);

  /// Something that the part uses is among them.
  bool hasPassed = false;

private:
  /// What the part gets `value` as, if it uses that.
  Argument *passed(const Value &value) const;
  bool isReadAgain(const LoadInst &load) const;

  Function &iteration;
  const CallInst &launch;
};
} // namespace

Argument *CountSources::passed(const Value &value) const {
  // The number of iterations, and the parameters of the part but the first two.
  for (unsigned i = 1; i < launch.arg_size(); ++i)
    if (Argument *parameter = iteration.getArg(i + 1);
        launch.getArgOperand(i) == &value && !parameter->use_empty())
      return parameter;
  return nullptr;
}

/// Whether the part reads the same from a variable: it only reads it, by the
/// only pointer to it, and the host changes nothing after its own look at it.
bool CountSources::isReadAgain(const LoadInst &load) const {
  const Argument *place = passed(*load.getPointerOperand());
  if (!place || !load.isSimple() || !place->hasNoAliasAttr() ||
      !all_of(place->users(), [](const User *user) {
        return isa<LoadInst>(user) && !cast<LoadInst>(user)->isVolatile();
      }))
    return false;
  for (const Instruction *at = &launch; at != &load;) {
    at = nextOnWay(*at, /*isForward=*/false);
    if (!at || at == &launch.getParent()->back() ||
        (at->mayWriteToMemory() && !isAssumption(*at)))
      return false;
  }
  return true;
}

bool CountSources::hasSources(const Value &value, unsigned depth) {
  constexpr unsigned mostDepth = 8;
  if (isa<ConstantInt>(value))
    return true;
  if (passed(value)) {
    hasPassed = true;
    return true;
  }
  const auto *inner = dyn_cast<Instruction>(&value);
  if (const auto *load = dyn_cast<LoadInst>(&value)) {
    hasPassed |= isReadAgain(*load);
    return isReadAgain(*load);
  }
  return inner && depth < mostDepth &&
         isa<CastInst, BinaryOperator, ICmpInst, SelectInst>(inner) &&
         !inner->isIntDivRem() &&
         all_of(inner->operands(),
                [&](const Use &one) { return hasSources(*one, depth + 1); });
}

Value *CountSources::repeat(Value &value, IRBuilder<> &builder) {
  if (isa<ConstantInt>(value))
    return &value;
  if (Argument *parameter = passed(value))
    return parameter;
  Instruction *copy = cast<Instruction>(value).clone();
  for (Use &operand : copy->operands())
    operand.set(repeat(*operand, builder));
  copy->setDebugLoc(DebugLoc());
  return builder.Insert(copy);
}

void openmp::stateCount(Function &iteration, const CallInst &launch) {
  CountSources values(iteration, launch);
  Value &count = *launch.getArgOperand(0);
  if (hasBound(iteration) || !values.hasSources(count) || !values.hasPassed)
    return;
  Instruction *id = nullptr;
  for (Instruction &instruction : iteration.getEntryBlock())
    if (isInstance(instruction) && instruction.getType()->isIntegerTy(64))
      id = &instruction;
  if (!id)
    id = cast<Instruction>(askForInstance(iteration));
  IRBuilder<> builder(id->getNextNode());
  state(builder, builder.CreateICmpSLT(id, values.repeat(count, builder)));
}
