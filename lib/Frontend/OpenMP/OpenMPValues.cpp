//===- OpenMPValues.cpp - What is the same for all iterations -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a team get the addresses of the variables that they share, and
// read them again and again. A variable that no iteration writes has one value,
// which the host reads before the launch: the race check then knows what it
// points to, and kernels keep it in a register.
//
//===----------------------------------------------------------------------===//

#include "OpenMPObjects.h"
#include "OpenMPTeams.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

namespace {
/// What becomes of the address of a variable of the host, and of the variable,
/// in the host and in the functions that get the address.
class AddressWalk {
public:
  explicit AddressWalk(const AllocaInst &variable) : variable(variable) {}

  void run();

  /// Nobody else gets to know the address.
  bool isKept = true;
  /// What the only assignment stores; null: there are others.
  const Value *onlyValue = nullptr;
  /// The least that all assignments store; none: not known.
  std::optional<int64_t> least;

private:
  void follow(const Value &pointer) {
    if (seen.insert(&pointer).second)
      work.push_back(&pointer);
  }
  void readUse(const Use &use);
  void readStore(const StoreInst &store, const Use &use);
  void readStored(const Value &value);
  void readCall(const CallBase &call, const Use &use);
  bool followSlot(const Value &place);
  /// Where the address gets around in the host, it may be passed twice.
  bool isInHost(const Instruction &user) const {
    return user.getFunction() == variable.getFunction();
  }

  const AllocaInst &variable;
  SmallVector<const Value *> work;
  SmallPtrSet<const Value *, 16> seen;
  unsigned numStores = 0;
  bool isChangedElsewhere = false;
  /// Whether an assignment stores what may be less than it was before, and
  /// whether one stores what is not negative if that was not.
  bool mayShrink = false, keepsSign = false;
};
} // namespace

void AddressWalk::run() {
  follow(variable);
  while (isKept && !work.empty())
    for (const Use &use : work.pop_back_val()->uses())
      readUse(use);
  if (!isKept || isChangedElsewhere || numStores != 1)
    onlyValue = nullptr;
  if (!isKept || isChangedElsewhere || mayShrink ||
      (keepsSign && least.value_or(-1) < 0))
    least.reset();
}

/// Learns from an assignment in the host.
void AddressWalk::readStored(const Value &value) {
  if (value.getType() != variable.getAllocatedType()) {
    mayShrink = true;
    return;
  }
  if (const auto *constant = dyn_cast<ConstantInt>(&value);
      constant && constant->getBitWidth() <= 64) {
    least = std::min(least.value_or(INT64_MAX), constant->getSExtValue());
    return;
  }
  const auto *change = dyn_cast<OverflowingBinaryOperator>(&value);
  const auto *before =
      change ? dyn_cast<LoadInst>(change->getOperand(0)) : nullptr;
  const auto *amount =
      change ? dyn_cast<ConstantInt>(change->getOperand(1)) : nullptr;
  if (!before || !amount || before->getPointerOperand() != &variable ||
      !change->hasNoSignedWrap() || amount->isNegative() ||
      change->getOpcode() == Instruction::Sub) {
    mayShrink = true;
    return;
  }
  // A product by 0 is not less than 0, but may be less than it was.
  mayShrink |= change->getOpcode() == Instruction::Mul && amount->isZero();
  keepsSign |= change->getOpcode() != Instruction::Add;
}

/// Clang puts each parameter into a variable, and reads it again and again.
bool AddressWalk::followSlot(const Value &place) {
  const auto *slot = dyn_cast<AllocaInst>(&place);
  if (!slot || slot == &variable)
    return false;
  for (const Use &use : slot->uses()) {
    const auto *user = cast<Instruction>(use.getUser());
    bool isKnown = isa<LoadInst>(user) || user->isLifetimeStartOrEnd() ||
                   (isa<StoreInst>(user) && use.getOperandNo() == 1);
    if (!isKnown)
      return false;
  }
  for (const User *user : slot->users())
    if (isa<LoadInst>(user))
      follow(*user);
  return true;
}

void AddressWalk::readStore(const StoreInst &store, const Use &use) {
  if (use.getOperandNo() == 0) {
    isKept &= !isInHost(store) && followSlot(*store.getPointerOperand());
    return;
  }
  if (use.get() != &variable) {
    isChangedElsewhere = true;
    return;
  }
  ++numStores;
  onlyValue = store.getValueOperand();
  readStored(*onlyValue);
}

void AddressWalk::readCall(const CallBase &call, const Use &use) {
  if (!call.isArgOperand(&use)) {
    isKept = false;
    return;
  }
  unsigned index = call.getArgOperandNo(&use);
  const Function *callee = call.getCalledFunction();
  // The call that starts a team names the team's function before what it
  // passes; the function gets two numbers first.
  if (calledRuntime(call) == "__kmpc_fork_call") {
    callee = dyn_cast<Function>(call.getArgOperand(2));
    if (index < 3 || (isInHost(call) && use.get() != &variable)) {
      isKept = false;
      return;
    }
    --index;
  }
  if (callee && !callee->isDeclaration() && !callee->isInterposable() &&
      index < callee->arg_size()) {
    const Argument &parameter = *callee->getArg(index);
    // The callee gets a copy of the variable instead.
    if (!parameter.hasPassPointeeByValueCopyAttr())
      follow(parameter);
    return;
  }
  isKept &= call.doesNotCapture(index);
  isChangedElsewhere |= !call.onlyReadsMemory(index);
}

void AddressWalk::readUse(const Use &use) {
  const auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user) {
    isKept = false;
    return;
  }
  if (isa<LoadInst, ICmpInst>(user) || user->isLifetimeStartOrEnd())
    return;
  if (const auto *store = dyn_cast<StoreInst>(user))
    return readStore(*store, use);
  if (isa<GetElementPtrInst>(user) ||
      (isa<PHINode, SelectInst>(user) && !isInHost(*user)))
    return follow(*user);
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user)) {
    isKept &= use.getOperandNo() == 0;
    isChangedElsewhere = true;
    return;
  }
  if (isa<MemIntrinsic>(user)) {
    isChangedElsewhere |= use.getOperandNo() == 0;
    return;
  }
  if (const auto *call = dyn_cast<CallBase>(user))
    return readCall(*call, use);
  isKept = false;
}

namespace {
/// Whether the host, or what it calls, changes memory that a parameter leads
/// to: what is there may be what others have put there no more.
class ChangeWalk {
public:
  explicit ChangeWalk(const Argument &parameter) : parameter(parameter) {}

  bool findsChange();

private:
  void follow(const Value &pointer) {
    if (pointer.getType()->isPointerTy() && seen.insert(&pointer).second)
      work.push_back(&pointer);
  }
  bool isChange(const Use &use);
  bool isChangingCall(const CallBase &call, const Use &use);

  const Argument &parameter;
  SmallVector<const Value *> work;
  SmallPtrSet<const Value *, 16> seen;
};
} // namespace

bool ChangeWalk::findsChange() {
  constexpr size_t mostSeen = 4096;
  follow(parameter);
  while (!work.empty() && seen.size() < mostSeen)
    for (const Use &use : work.pop_back_val()->uses())
      if (isChange(use))
        return true;
  return !work.empty();
}

bool ChangeWalk::isChangingCall(const CallBase &call, const Use &use) {
  if (!call.isArgOperand(&use))
    return true;
  unsigned index = call.getArgOperandNo(&use);
  const Function *callee = call.getCalledFunction();
  if (calledRuntime(call) == "__kmpc_fork_call") {
    callee = dyn_cast<Function>(call.getArgOperand(2));
    --index;
  }
  // What it returns may lead to the same memory.
  follow(call);
  if (callee && !callee->isDeclaration() && !callee->isInterposable() &&
      index < callee->arg_size()) {
    follow(*callee->getArg(index));
    return false;
  }
  return !call.onlyReadsMemory(index) || !call.doesNotCapture(index);
}

bool ChangeWalk::isChange(const Use &use) {
  const auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user)
    return true;
  if (isa<ICmpInst, ReturnInst>(user) || user->isLifetimeStartOrEnd())
    return false;
  if (isa<LoadInst, GetElementPtrInst, PHINode, SelectInst, FreezeInst>(user)) {
    follow(*user);
    return false;
  }
  if (const auto *store = dyn_cast<StoreInst>(user)) {
    // Clang keeps each parameter in a variable.
    const auto *slot = dyn_cast<AllocaInst>(store->getPointerOperand());
    if (use.getOperandNo() == 0 && slot)
      follow(*slot);
    return !slot;
  }
  if (const auto *copy = dyn_cast<MemTransferInst>(user))
    return use.getOperandNo() != 1 || copy->isVolatile();
  if (const auto *call = dyn_cast<CallBase>(user))
    return isChangingCall(*call, use);
  return true;
}

void HostVariables::read(const Function &host) {
  for (const Argument &parameter : host.args())
    if (parameter.getType()->isPointerTy() &&
        !ChangeWalk(parameter).findsChange())
      unchanged.insert(&parameter);
  for (const Instruction &instruction : instructions(host)) {
    const auto *variable = dyn_cast<AllocaInst>(&instruction);
    if (!variable || variables.contains(variable))
      continue;
    AddressWalk walk(*variable);
    walk.run();
    variables[variable] = {walk.isKept, walk.onlyValue, walk.least};
  }
}

HostVariables::Variable HostVariables::lookUp(const Value &pointer) const {
  return variables.lookup(dyn_cast<AllocaInst>(&pointer));
}

void HostVariables::noteDistinct(Function &iteration,
                                 const CallBase &fork) const {
  // The call names the team's function before what it passes.
  for (unsigned i = 3; i != fork.arg_size(); ++i) {
    Argument &parameter = *iteration.getArg(i - 1);
    if (parameter.getType()->isPointerTy() &&
        lookUp(*fork.getArgOperand(i)).isKept &&
        !PointerMayBeCaptured(&parameter, false))
      parameter.addAttr(Attribute::NoAlias);
  }
}

void HostVariables::stateLeast(Function &iteration,
                               const CallBase &fork) const {
  // The call names the team's function before what it passes.
  for (unsigned i = 3; i != fork.arg_size(); ++i) {
    const Value &variable = *fork.getArgOperand(i);
    const std::optional<int64_t> least = lookUp(variable).least;
    if (!least)
      continue;
    const Type *type = cast<AllocaInst>(variable).getAllocatedType();
    SmallVector<LoadInst *> loads;
    for (User *user : iteration.getArg(i - 1)->users())
      if (auto *load = dyn_cast<LoadInst>(user); load && load->isSimple() &&
                                                 load->getType() == type &&
                                                 !load->use_empty())
        loads.push_back(load);
    for (LoadInst *load : loads) {
      IRBuilder<> builder(load->getNextNode());
      builder.CreateAssumption(builder.CreateICmpSGE(
          load, ConstantInt::getSigned(load->getType(), *least)));
    }
  }
}

void HostVariables::noteLengths(Function &work, const CallBase &fork) const {
  for (unsigned i = 3; i != fork.arg_size(); ++i) {
    const Value *passed = fork.getArgOperand(i);
    const auto *cast = dyn_cast<CastInst>(passed);
    const auto *read = dyn_cast<LoadInst>(cast ? cast->getOperand(0) : passed);
    if (!read || !read->isSimple() || (cast && !isa<ZExtInst, SExtInst>(cast)))
      continue;
    // Others must have read the same, whenever they have.
    Variable variable = lookUp(*read->getPointerOperand());
    if (!variable.isKept ||
        !isa_and_nonnull<Argument, Constant>(variable.onlyValue) ||
        variable.onlyValue->getType() != read->getType())
      continue;
    for (unsigned k = 3; k != fork.arg_size(); ++k)
      if (fork.getArgOperand(k) == read->getPointerOperand()) {
        IRBuilder<> builder(&*work.getEntryBlock().getFirstInsertionPt());
        Value *same = builder.CreateLoad(read->getType(), work.getArg(k - 1));
        if (cast)
          same = builder.CreateCast(cast->getOpcode(), same, cast->getType());
        work.getArg(i - 1)->replaceAllUsesWith(same);
        break;
      }
  }
}

const Value &openmp::inHost(const Value &value, const CallBase &fork) {
  // The call names the function before what it passes; the function gets two
  // numbers first.
  const auto *parameter = dyn_cast<Argument>(&value);
  return parameter && parameter->getParent() != fork.getFunction() &&
                 parameter->getArgNo() >= 2 &&
                 parameter->getArgNo() + 1 < fork.arg_size()
             ? *fork.getArgOperand(parameter->getArgNo() + 1)
             : value;
}

const Value *HostVariables::followed(const Value &pointer,
                                     const CallBase *fork) const {
  auto passed = [&](const Value *value) {
    return fork ? &inHost(*value, *fork) : value;
  };
  const Value *object = &pointer;
  for (unsigned i = 0; object && i != 16; ++i) {
    object = getUnderlyingObject(passed(getUnderlyingObject(object)));
    const auto *load = dyn_cast<LoadInst>(object);
    if (isIdentifiedObject(object) || !load)
      return object;
    const Value *place = passed(load->getPointerOperand());
    object = lookUp(*place).onlyValue;
    if (!object && !variables.contains(dyn_cast<AllocaInst>(place)))
      object = onlyStored(*place);
    if (!object)
      return load;
  }
  return nullptr;
}

const Value *HostVariables::objectOf(const Value &pointer,
                                     const CallBase *fork) const {
  const Value *object = followed(pointer, fork);
  return object && isIdentifiedObject(object) ? object : nullptr;
}

bool HostVariables::isPassedIn(const Value &pointer,
                               const CallBase &fork) const {
  constexpr unsigned mostLoads = 8;
  const Value *object = followed(pointer, &fork);
  for (unsigned i = 0; i != mostLoads; ++i) {
    // A member of an object that the host was passed.
    const auto *load = dyn_cast_or_null<LoadInst>(object);
    if (!load)
      break;
    object = followed(*load->getPointerOperand(), &fork);
  }
  const auto *parameter = dyn_cast_or_null<Argument>(object);
  return parameter && parameter->getParent() == fork.getFunction() &&
         unchanged.contains(parameter);
}

bool HostVariables::areApart(const Value &one, const Value &other,
                             const CallBase &fork, unsigned depth) const {
  constexpr unsigned mostDepth = 4;
  const Value *first = objectOf(one, &fork), *second = objectOf(other, &fork);
  if (first && second)
    return first != second;
  if (depth == mostDepth)
    return false;
  auto areBoth = [&](const Value *left, const Value *right) {
    return areApart(*left, *right, fork, depth + 1);
  };
  // Two that change places are chosen by the same condition.
  const Value *left = getUnderlyingObject(&one);
  const Value *right = getUnderlyingObject(&other);
  const auto *choice = dyn_cast<SelectInst>(left);
  const auto *another = dyn_cast<SelectInst>(right);
  if (choice && another && choice->getCondition() == another->getCondition())
    return areBoth(choice->getTrueValue(), another->getTrueValue()) &&
           areBoth(choice->getFalseValue(), another->getFalseValue());
  if (choice)
    return areBoth(choice->getTrueValue(), right) &&
           areBoth(choice->getFalseValue(), right);
  if (another)
    return areBoth(left, another->getTrueValue()) &&
           areBoth(left, another->getFalseValue());
  // So are those that a block gets from the same one before.
  const auto *phi = dyn_cast<PHINode>(left), *next = dyn_cast<PHINode>(right);
  return phi && next && phi->getParent() == next->getParent() &&
         all_of(phi->blocks(), [&](const BasicBlock *from) {
           return areBoth(phi->getIncomingValueForBlock(from),
                          next->getIncomingValueForBlock(from));
         });
}

namespace {
class LoadMover {
public:
  LoadMover(Function &iteration, PassAnalyses &analyses)
      : iteration(iteration), analyses(analyses) {}

  SmallVector<Instruction *> run();

private:
  bool isKnown(const Value *address) const;
  bool isSafe(const LoadInst &load);
  bool isChanged(const LoadInst &load);
  void move(Instruction &instruction);

  Function &iteration;
  PassAnalyses &analyses;
  SetVector<Instruction *> moved;
};
} // namespace

/// Whether the host knows an address: a constant distance from a variable, or
/// from what it has read.
bool LoadMover::isKnown(const Value *address) const {
  while (const auto *place = dyn_cast<GetElementPtrInst>(address)) {
    if (moved.contains(const_cast<GetElementPtrInst *>(place)))
      return true;
    if (!place->hasAllConstantIndices())
      return false;
    address = place->getPointerOperand();
  }
  if (const auto *constant = dyn_cast<ConstantExpr>(address))
    address = constant->stripInBoundsConstantOffsets();
  if (const auto *global = dyn_cast<GlobalVariable>(address))
    return !global->isThreadLocal();
  if (const auto *instruction = dyn_cast<Instruction>(address))
    return moved.contains(const_cast<Instruction *>(instruction));
  return isa<Argument>(address);
}

/// Each iteration reads it, before anything could keep it from that; or there
/// is memory for certain.
bool LoadMover::isSafe(const LoadInst &load) {
  if (load.getParent() == &iteration.getEntryBlock() &&
      all_of(make_range(std::as_const(iteration).getEntryBlock().begin(),
                        load.getIterator()),
             [](const Instruction &before) {
               return isGuaranteedToTransferExecutionToSuccessor(&before);
             }))
    return true;
  const DataLayout &layout = iteration.getParent()->getDataLayout();
  APInt offset(64, 0);
  const Value *base =
      load.getPointerOperand()->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true);
  uint64_t size = layout.getTypeStoreSize(load.getType());
  bool canBeNull = false, canBeFreed = false;
  uint64_t known =
      base->getPointerDereferenceableBytes(layout, canBeNull, canBeFreed);
  return !offset.isNegative() && !canBeNull &&
         offset.getZExtValue() + size <= known;
}

/// Where a plain store or copy writes; null: it is neither.
static const Value *writtenBy(const Instruction &instruction) {
  const auto *store = dyn_cast<StoreInst>(&instruction);
  if (store && store->isSimple())
    return store->getPointerOperand();
  const auto *copy = dyn_cast<MemIntrinsic>(&instruction);
  return copy ? copy->getDest() : nullptr;
}

bool LoadMover::isChanged(const LoadInst &load) {
  const auto *variable = dyn_cast<GlobalVariable>(
      getUnderlyingObject(load.getPointerOperand(), /*MaxLookup=*/0));
  if (variable && !isOnlyNamed(*variable))
    variable = nullptr;
  AAResults &aliases = analyses.functions.getResult<AAManager>(iteration);
  MemoryLocation location = MemoryLocation::get(&load);
  return any_of(instructions(iteration), [&](Instruction &other) {
    if (!other.mayWriteToMemory() || other.isLifetimeStartOrEnd())
      return false;
    if (const Value *place = variable ? writtenBy(other) : nullptr;
        place && getUnderlyingObject(place, /*MaxLookup=*/0) != variable)
      return false;
    StringRef name = calledName(other);
    if (name.starts_with("llvm.hpvm.getNode") ||
        name.starts_with("llvm.hpvm.order."))
      return false;
    const auto *copy = dyn_cast<AnyMemTransferInst>(&other);
    return isModSet(aliases.getModRefInfo(&other, location)) &&
           !(copy && copiesOtherTypes(*copy, location, aliases));
  });
}

void LoadMover::move(Instruction &instruction) {
  if (moved.contains(&instruction))
    return;
  if (auto *address = dyn_cast<GetElementPtrInst>(
          getLoadStorePointerOperand(&instruction)
              ? getLoadStorePointerOperand(&instruction)
              : instruction.getOperand(0)))
    move(*address);
  BasicBlock &entry = iteration.getEntryBlock();
  if (moved.empty())
    instruction.moveBefore(entry, entry.begin());
  else
    instruction.moveAfter(moved.back());
  moved.insert(&instruction);
}

SmallVector<Instruction *> LoadMover::run() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction &instruction :
         make_early_inc_range(instructions(iteration))) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || !load->isSimple() || moved.contains(load) ||
          !(load->getType()->isPointerTy() || load->getType()->isIntegerTy() ||
            load->getType()->isFloatTy() || load->getType()->isDoubleTy()) ||
          !isKnown(load->getPointerOperand()) || !isSafe(*load) ||
          isChanged(*load))
        continue;
      // The same may have been read before.
      Instruction *same = nullptr;
      for (Instruction *other : moved)
        if (other->isIdenticalTo(load))
          same = other;
      if (same || load->use_empty()) {
        if (same)
          load->replaceAllUsesWith(same);
        load->eraseFromParent();
      } else {
        // What holds in some iteration, may not hold before.
        load->dropUBImplyingAttrsAndMetadata();
        move(*load);
      }
      changed = true;
      break;
    }
  }
  analyses.functions.clear(iteration, iteration.getName());
  return SmallVector<Instruction *>(moved.begin(), moved.end());
}

SmallVector<WeakVH> openmp::moveLoadsToHost(Function &iteration,
                                            PassAnalyses &analyses) {
  SmallVector<Instruction *> moved = LoadMover(iteration, analyses).run();
  return SmallVector<WeakVH>(moved.begin(), moved.end());
}
