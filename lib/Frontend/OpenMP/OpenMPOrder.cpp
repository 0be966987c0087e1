//===- OpenMPOrder.cpp - Iterations that wait for earlier ones ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In loops with 'ordered', an iteration waits for others: before a region, for
// the regions of all earlier iterations; by 'depend(sink: ...)', for those that
// are so far behind to get to 'depend(source)'. Instances of a node with
// an ordered dimension do as well, and more: all of an instance waits. The race
// check gets to know what OpenMP promises, by marks in the leaf. Where threads
// could do anything at the same time, the loop runs in those of the library.
//   1. The library's calls become marks.
//   2. With 'ordered(2)', an instance is an iteration of both loops: the inner
//      loop turns once, with its variables as they are in that turn.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafOrder.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;
using namespace sluice::openmp;

static constexpr StringLiteral unusual = "has 'ordered' in an unusual way";

Value *openmp::innerIterations(const SharedLoop &loop, IRBuilder<> &builder) {
  CallInst *init = nullptr;
  for (Instruction &instruction : instructions(*loop.start->getFunction()))
    if (calledRuntime(instruction) == "__kmpc_doacross_init") {
      if (init)
        return nullptr;
      init = cast<CallInst>(&instruction);
    }
  const auto *dimensions =
      init ? dyn_cast<ConstantInt>(init->getArgOperand(2)) : nullptr;
  if (!dimensions || dimensions->getZExtValue() != 2)
    return nullptr;
  // For each loop, clang says the first iteration, how many there are (though
  // the library takes it for the last one), and the step.
  constexpr unsigned numberOfInner = 4;
  Type *i64 = builder.getInt64Ty();
  return builder.CreateLoad(
      i64, builder.CreateConstInBoundsGEP1_64(i64, init->getArgOperand(3),
                                              numberOfInner));
}

std::optional<unsigned> openmp::loopsWithSinks(const Function &work) {
  for (const Instruction &instruction : instructions(work))
    if (calledRuntime(instruction) == "__kmpc_doacross_init") {
      const auto *loops = dyn_cast<ConstantInt>(instruction.getOperand(2));
      return loops ? unsigned(loops->getZExtValue()) : 0;
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

namespace {
/// The calls of one iteration.
class IterationOrder {
public:
  IterationOrder(Function &iteration, PassAnalyses &analyses, unsigned loops)
      : iteration(iteration), analyses(analyses), loops(loops) {}

  Reason take();

private:
  void find();
  Reason readDistances();
  Reason checkWays();
  Reason enterInnerLoop();
  bool isUnchanged(Loop &inner);
  bool keepsMemory(const Loop &inner);
  bool hasOneRegion();
  void mark(CallInst &call, StringRef name);

  Function &iteration;
  PassAnalyses &analyses;
  /// How many of the loops the order is of.
  unsigned loops;
  SmallVector<CallInst *> begins, ends, waits, posts;
  /// By loop.
  SmallVector<SmallVector<int64_t, 2>> distances;
};
} // namespace

void IterationOrder::find() {
  for (Instruction &instruction : instructions(iteration)) {
    StringRef name = calledRuntime(instruction);
    if (name == "__kmpc_ordered")
      begins.push_back(cast<CallInst>(&instruction));
    else if (name == "__kmpc_end_ordered")
      ends.push_back(cast<CallInst>(&instruction));
    else if (name == "__kmpc_doacross_wait")
      waits.push_back(cast<CallInst>(&instruction));
    else if (name == "__kmpc_doacross_post")
      posts.push_back(cast<CallInst>(&instruction));
  }
}

/// The number that a list has at a place when the library gets it.
static Value *numberIn(const CallInst &call, unsigned index) {
  const auto *list =
      dyn_cast<AllocaInst>(call.getArgOperand(2)->stripPointerCasts());
  const DataLayout &layout = call.getDataLayout();
  Value *found = nullptr;
  for (Instruction &instruction :
       instructions(*const_cast<Function *>(call.getFunction()))) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    APInt offset(64, 0);
    if (!list || !store ||
        store->getPointerOperand()->stripAndAccumulateConstantOffsets(
            layout, offset, /*AllowNonInbounds=*/true) != list)
      continue;
    if (!store->getValueOperand()->getType()->isIntegerTy(64))
      return nullptr;
    if (offset != 8 * index)
      continue;
    if (found)
      return nullptr;
    found = store->getValueOperand();
  }
  return found;
}

namespace {
/// A constant, and multiples of values.
struct LinearNumber {
  int64_t constant = 0;
  SmallDenseMap<const Value *, int64_t, 4> factors;

  void add(const LinearNumber &other, int64_t times) {
    constant += times * other.constant;
    for (auto [value, factor] : other.factors)
      factors[value] += times * factor;
  }
  bool isConstant() const {
    return all_of(factors, [](const auto &one) { return one.second == 0; });
  }
};
} // namespace

/// Conversions keep the numbers of iterations, and what lies beyond is no
/// iteration either way.
static LinearNumber linear(const Value *number, unsigned depth = 8) {
  constexpr int64_t most = int64_t(1) << 20;
  LinearNumber result;
  const Value *left = nullptr, *right = nullptr;
  const APInt *constant = nullptr;
  auto isSmall = [&] { return constant->abs().ule(most); };
  auto addTo = [&](const Value *value, int64_t times) {
    result.add(linear(value, depth - 1), times);
  };
  if (match(number, m_APInt(constant)) && isSmall()) {
    result.constant = constant->getSExtValue();
  } else if (depth == 0) {
    result.factors[number] = 1;
  } else if (isa<SExtInst, ZExtInst, TruncInst>(number)) {
    addTo(cast<CastInst>(number)->getOperand(0), 1);
  } else if (match(number, m_Add(m_Value(left), m_Value(right)))) {
    addTo(left, 1);
    addTo(right, 1);
  } else if (match(number, m_Sub(m_Value(left), m_Value(right)))) {
    addTo(left, 1);
    addTo(right, -1);
  } else if (match(number, m_c_Mul(m_Value(left), m_APInt(constant))) &&
             isSmall()) {
    addTo(left, constant->getSExtValue());
  } else if ((match(number, m_SDiv(m_Value(left), m_APInt(constant))) ||
              match(number, m_UDiv(m_Value(left), m_APInt(constant)))) &&
             isSmall() && !constant->isZero()) {
    // Iterations are whole steps apart.
    LinearNumber all = linear(left, depth - 1);
    const int64_t step = constant->getSExtValue();
    if (all.constant % step != 0 || any_of(all.factors, [&](const auto &one) {
          return one.second % step != 0;
        })) {
      result.factors[number] = 1;
      return result;
    }
    result.constant = all.constant / step;
    for (auto [value, factor] : all.factors)
      result.factors[value] = factor / step;
  } else {
    result.factors[number] = 1;
  }
  return result;
}

/// By how much an iteration's number is larger than that of one it waits for.
static std::optional<int64_t> distanceOf(const Value *own, const Value *other) {
  if (!own || !other)
    return std::nullopt;
  LinearNumber distance = linear(own);
  distance.add(linear(other), -1);
  return distance.isConstant() ? std::optional(distance.constant)
                               : std::nullopt;
}

Reason IterationOrder::readDistances() {
  for (const CallInst *wait : waits) {
    auto &distance = distances.emplace_back();
    for (unsigned loop = 0; loop != loops; ++loop) {
      std::optional<int64_t> number =
          distanceOf(numberIn(*posts.front(), loop), numberIn(*wait, loop));
      if (!number)
        return "waits for iterations by 'ordered', of which it is not known "
               "how far away they are";
      distance.push_back(*number);
    }
  }
  return {};
}

/// Each iteration is to do all this, in the same order: others may wait for
/// those that it waits for.
Reason IterationOrder::checkWays() {
  DominatorTree dominators(iteration);
  PostDominatorTree postDominators(iteration);
  LoopInfo found(dominators);
  const Loop *inner = found.getLoopFor(posts.front()->getParent());
  const BasicBlock *latch = inner ? inner->getLoopLatch() : nullptr;
  if (loops == 1 ? inner != nullptr : latch == nullptr)
    return unusual.str();
  auto isCertain = [&](const CallInst *call) {
    return loops == 1 ? postDominators.dominates(call->getParent(),
                                                 &iteration.getEntryBlock())
                      : dominators.dominates(call->getParent(), latch);
  };
  if (!isCertain(posts.front()) || !all_of(waits, [&](const CallInst *wait) {
        return isCertain(wait) &&
               found.getLoopFor(wait->getParent()) == inner &&
               dominators.dominates(wait, posts.front());
      }))
    return unusual.str();
  sort(waits, [&](const CallInst *one, const CallInst *other) {
    return one != other && dominators.dominates(one, other);
  });
  return {};
}

/// Others go on at the end of the first region.
bool IterationOrder::hasOneRegion() {
  return none_of(ends, [&](const CallInst *end) {
    return any_of(begins, [&](const CallInst *begin) {
      return isPotentiallyReachable(end, begin);
    });
  });
}

void IterationOrder::mark(CallInst &call, StringRef name) {
  Value *thread = call.getArgOperand(1);
  if (!name.empty()) {
    IRBuilder<> builder(&call);
    FunctionCallee callee =
        iteration.getParent()->getOrInsertFunction(name, builder.getVoidTy());
    auto *declaration = cast<Function>(callee.getCallee());
    // Nothing moves across it.
    declaration->setDoesNotThrow();
    declaration->addFnAttr(Attribute::WillReturn);
    builder.CreateCall(callee);
  }
  auto *list =
      call.arg_size() > 2
          ? dyn_cast<Instruction>(call.getArgOperand(2)->stripPointerCasts())
          : nullptr;
  call.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(thread);
  if (list && isa<AllocaInst>(list) && all_of(list->users(), [](User *user) {
        return isa<StoreInst, GetElementPtrInst>(user) ||
               cast<Instruction>(user)->isLifetimeStartOrEnd();
      }))
    for (User *user : make_early_inc_range(list->users()))
      if (auto *store = dyn_cast<StoreInst>(user);
          store && store->getPointerOperand() == list)
        store->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// The inner loop
//===----------------------------------------------------------------------===//

/// Whether a call only asks for an id, or says something about the code.
static bool isNote(const Instruction &instruction) {
  StringRef name = calledName(instruction);
  return name.starts_with("llvm.hpvm.") || name.starts_with("sluice.") ||
         (isa<IntrinsicInst>(instruction) && !isa<MemIntrinsic>(instruction));
}

/// Whether what is read around the inner loop is the same in all of its turns.
bool IterationOrder::isUnchanged(Loop &inner) {
  AAResults &aliases = analyses.functions.getResult<AAManager>(iteration);
  return none_of(instructions(iteration), [&](const Instruction &read) {
    if (inner.contains(&read) || !read.mayReadFromMemory() || isNote(read))
      return false;
    return any_of(inner.blocks(), [&](const BasicBlock *block) {
      return any_of(*block, [&](const Instruction &write) {
        return !isNote(write) && mayChange(write, read, aliases);
      });
    });
  });
}

/// Whether turns of the inner loop may leave something to later ones in memory
/// of the iteration.
bool IterationOrder::keepsMemory(const Loop &inner) {
  auto isList = [](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    return instruction &&
           calledRuntime(*instruction).starts_with("__kmpc_doacross_");
  };
  return any_of(instructions(iteration), [&](const Instruction &memory) {
    return isa<AllocaInst>(memory) && none_of(memory.users(), [&](auto *user) {
             const auto *start = dyn_cast<LifetimeIntrinsic>(user);
             return isList(user) || (start && inner.contains(start));
           });
  });
}

/// One turn of the inner loop, whose number is the id in x.
Reason IterationOrder::enterInnerLoop() {
  auto &evolution =
      analyses.functions.getResult<ScalarEvolutionAnalysis>(iteration);
  auto &found = analyses.functions.getResult<LoopAnalysis>(iteration);
  Loop *inner = found.getLoopFor(posts.front()->getParent());
  BasicBlock *latch = inner ? inner->getLoopLatch() : nullptr;
  BasicBlock *exiting = inner ? inner->getExitingBlock() : nullptr;
  if (!latch || !exiting || inner->getLoopDepth() != 1 ||
      !inner->getLoopPreheader() || !inner->getExitBlock())
    return unusual.str();
  auto *branch = dyn_cast<BranchInst>(exiting->getTerminator());
  BasicBlock *header = inner->getHeader(), *exit = inner->getExitBlock();
  if (!branch || (exiting != header && exiting != latch))
    return unusual.str();
  for (Instruction &instruction : instructions(iteration))
    if (!inner->contains(&instruction) && hasEffect(instruction) &&
        !isNote(instruction))
      return "does something around the inner of its 'ordered' loops";
  if (keepsMemory(*inner))
    return "keeps values from iteration to iteration of the inner of its "
           "'ordered' loops";
  if (!isUnchanged(*inner))
    return "reads around the inner of its 'ordered' loops what that may write";
  const auto *number =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(numberIn(*posts.front(), 1)));
  if (!number || number->getLoop() != inner || !number->getStart()->isZero() ||
      !number->getStepRecurrence(evolution)->isOne())
    return unusual.str();
  Instruction *id = nullptr;
  for (Instruction &instruction : instructions(iteration))
    if (hpvmIntrinsicName(instruction) == "getNodeInstanceID.x")
      id = &instruction;
  if (!id)
    return unusual.str();
  Module &module = *iteration.getParent();
  FunctionCallee outer = module.getOrInsertFunction(
      "llvm.hpvm.getNodeInstanceID.y", cast<CallInst>(id)->getFunctionType());
  IRBuilder<> builder(id->getNextNode());
  auto *turn = cast<Instruction>(id->clone());
  turn->setName("turn");
  builder.Insert(turn);
  cast<CallInst>(id)->setCalledFunction(outer);
  SmallVector<std::pair<PHINode *, const SCEV *>> variables;
  for (PHINode &phi : header->phis()) {
    const auto *variable =
        evolution.isSCEVable(phi.getType())
            ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi))
            : nullptr;
    if (!variable || variable->getLoop() != inner || !variable->isAffine())
      return "has a variable that goes from iteration to iteration of the "
             "inner of its 'ordered' loops";
    variables.push_back({&phi, variable->evaluateAtIteration(
                                   evolution.getSCEV(turn), evolution)});
  }
  SCEVExpander expander(evolution, "inner");
  Instruction *before = inner->getLoopPreheader()->getTerminator();
  SmallVector<Value *> starts;
  for (auto [phi, value] : variables)
    starts.push_back(expander.expandCodeFor(value, phi->getType(), before));
  for (auto [variable, start] : zip(variables, starts)) {
    variable.first->replaceAllUsesWith(start);
    variable.first->eraseFromParent();
  }
  // Where it would turn again, it has ended.
  for (PHINode &phi : exit->phis())
    phi.replaceAllUsesWith(PoisonValue::get(phi.getType()));
  while (auto *phi = dyn_cast<PHINode>(&exit->front()))
    phi->eraseFromParent();
  BasicBlock *inside = branch->getSuccessor(0) == exit
                           ? branch->getSuccessor(1)
                           : branch->getSuccessor(0);
  if (exiting == latch) {
    IRBuilder<>(branch).CreateBr(exit);
    branch->eraseFromParent();
  } else {
    // There is such a turn.
    IRBuilder<> builder(branch);
    Value *goesOn = branch->getCondition();
    builder.CreateAssumption(
        inside == branch->getSuccessor(0) ? goesOn : builder.CreateNot(goesOn));
    builder.CreateBr(inside);
    branch->eraseFromParent();
    latch->getTerminator()->replaceSuccessorWith(header, exit);
  }
  analyses.functions.clear(iteration, iteration.getName());
  return {};
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

Reason IterationOrder::take() {
  if (loops != 1 && loops != 2)
    return "has more than two 'ordered' loops";
  find();
  if (begins.empty() && waits.empty() && posts.empty())
    return loops == 1 ? Reason() : unusual.str();
  const bool isCrossed = begins.empty();
  if (isCrossed) {
    // Without a source, nobody ever goes on.
    if (posts.size() != 1)
      return unusual.str();
    Reason reason = readDistances();
    if (reason.empty())
      reason = checkWays();
    if (reason.empty() && loops == 2)
      reason = enterInnerLoop();
    if (!reason.empty())
      return reason;
  } else if (loops != 1 || !waits.empty() || !posts.empty() ||
             !hasOneRegion()) {
    return unusual.str();
  } else {
    distances.push_back({1});
  }
  std::string text = std::to_string(loops);
  for (const auto &distance : distances)
    text += " " + std::to_string(distance[0]) + "," +
            std::to_string(distance.size() == 2 ? distance[1] : 0);
  iteration.addFnAttr(orderAttribute, text);
  for (CallInst *call : begins)
    mark(*call, orderBegin);
  for (CallInst *call : ends)
    mark(*call, orderEnd);
  for (CallInst *call : waits)
    mark(*call, call == waits.back() ? StringRef(orderBegin) : StringRef());
  for (CallInst *call : posts)
    mark(*call, orderEnd);
  return {};
}

Reason openmp::takeOrder(Function &iteration, unsigned loops,
                         PassAnalyses &analyses) {
  Reason reason = IterationOrder(iteration, analyses, loops).take();
  analyses.functions.clear(iteration, iteration.getName());
  return reason;
}

Reason openmp::findReducedInOrder(const Iterations &iterations) {
  return iterations.reductions.empty() ||
                 !iterations.iteration->hasFnAttribute(orderAttribute)
             ? Reason()
             : "reduces in a loop with 'ordered'";
}

//===----------------------------------------------------------------------===//
// Whether threads gain
//===----------------------------------------------------------------------===//

bool openmp::gainsFromThreads(Function &leaf, const CallInst &start) {
  Attribute order = leaf.getFnAttribute(orderAttribute);
  if (!order.isValid())
    return false;
  StringRef text = order.getValueAsString();
  // An instance for each iteration of an inner loop costs more than its turn.
  if (text.starts_with("2"))
    return true;
  // Threads that get one part of a loop each wait for all parts before.
  constexpr unsigned inParts = 66;
  const auto *kind = dyn_cast<ConstantInt>(start.getArgOperand(2));
  if (kind && (kind->getZExtValue() & 0xffff) == inParts)
    return false;
  if (!text.contains("1 1,0"))
    return true;
  DominatorTree dominators(leaf);
  PostDominatorTree postDominators(leaf);
  LoopInfo loops(dominators);
  SmallVector<const Instruction *> begins, ends;
  for (const Instruction &instruction : instructions(leaf))
    if (StringRef name = calledName(instruction); name == orderBegin)
      begins.push_back(&instruction);
    else if (name == orderEnd)
      ends.push_back(&instruction);
  // What takes no longer than handing over to another thread.
  constexpr unsigned few = 64;
  unsigned numOutside = 0;
  for (const Instruction &instruction : instructions(leaf)) {
    bool isInside = any_of(begins,
                           [&](const Instruction *begin) {
                             return dominators.dominates(begin, &instruction);
                           }) &&
                    any_of(ends, [&](const Instruction *end) {
                      return postDominators.dominates(end, &instruction);
                    });
    if (isInside || isa<IntrinsicInst>(instruction) ||
        !hpvmIntrinsicName(instruction).empty())
      continue;
    if (isa<CallBase>(instruction) || loops.getLoopFor(instruction.getParent()))
      return true;
    ++numOutside;
  }
  return numOutside > few;
}
