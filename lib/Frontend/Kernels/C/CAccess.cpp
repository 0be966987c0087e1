//===- CAccess.cpp - Accesses of C kernels to their arguments -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes an optimised copy of the kernel, with all its calls inlined and with
// the extents and strides of its task as constants; this removes code that the
// task never executes. A write to an argument that the task declares read-only
// is an error. So is a read of an argument that the task declares written, if
// every execution reads it before any write. Accesses that cannot be analysed
// get a remark.
//
//===----------------------------------------------------------------------===//

#include "CAccess.h"
#include "CCopy.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::CSignature;

//===----------------------------------------------------------------------===//
// What it does
//===----------------------------------------------------------------------===//

namespace {
/// The effect of an instruction on the memory of one argument.
enum class Effect { None, Read, Write, Unknown };

/// The accesses of one argument of a task.
class CArgumentUse {
public:
  CArgumentUse(Function &function, const SmallPtrSetImpl<Value *> &pointers)
      : function(function), pointers(pointers) {}

  /// The first instruction that writes, or has an unknown effect.
  const Instruction *findWrite(Effect &effect) const;
  /// A read that each execution performs before any write.
  const Instruction *findFirstRead();
  /// True if some read is not preceded by writes on every path.
  bool mayReadFirst() const;

private:
  Effect effectOf(const Instruction &instruction) const;
  Effect effectOf(const CallBase &call) const;
  /// Whether `address` never, possibly or always points to the argument's
  /// memory.
  bool mayPoint(const Value *address) const;
  bool mustPoint(const Value *address) const;
  const Instruction *readFirst(const BasicBlock &block);

  Function &function;
  const SmallPtrSetImpl<Value *> &pointers;
  /// By block that was examined; blocks being examined have a null entry.
  DenseMap<const BasicBlock *, const Instruction *> reads;
};
} // namespace

static SmallVector<const Value *> objectsOf(const Value *address) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(address, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return objects;
}

bool CArgumentUse::mayPoint(const Value *address) const {
  return any_of(objectsOf(address), [&](const Value *object) {
    return pointers.contains(const_cast<Value *>(object));
  });
}

bool CArgumentUse::mustPoint(const Value *address) const {
  return all_of(objectsOf(address), [&](const Value *object) {
    return pointers.contains(const_cast<Value *>(object));
  });
}

/// For a call that was not inlined, usually of a library function.
Effect CArgumentUse::effectOf(const CallBase &call) const {
  if (isa<DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd() ||
      isa<AssumeInst>(call))
    return Effect::None;
  if (auto *copy = dyn_cast<MemTransferInst>(&call)) {
    // It reads before it writes.
    if (mayPoint(copy->getSource()))
      return mustPoint(copy->getSource()) && !mayPoint(copy->getDest())
                 ? Effect::Read
                 : Effect::Unknown;
    if (mayPoint(copy->getDest()))
      return mustPoint(copy->getDest()) ? Effect::Write : Effect::Unknown;
    return Effect::None;
  }
  Effect effect = Effect::None;
  for (auto [number, argument] : enumerate(call.args())) {
    if (!argument->getType()->isPointerTy() || !mayPoint(argument) ||
        call.doesNotAccessMemory(number))
      continue;
    Effect here = !mustPoint(argument)           ? Effect::Unknown
                  : call.onlyReadsMemory(number) ? Effect::Read
                  : isa<MemIntrinsic>(call)      ? Effect::Write
                                                 : Effect::Unknown;
    effect = effect == Effect::None || effect == here ? here : Effect::Unknown;
  }
  return effect;
}

Effect CArgumentUse::effectOf(const Instruction &instruction) const {
  auto certain = [&](const Value *address, Effect effect) {
    return !mayPoint(address)   ? Effect::None
           : mustPoint(address) ? effect
                                : Effect::Unknown;
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return certain(load->getPointerOperand(), Effect::Read);
  if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    const Value *value = store->getValueOperand();
    if (value->getType()->isPointerTy() && mayPoint(value))
      return Effect::Unknown; // kept elsewhere
    return certain(store->getPointerOperand(), Effect::Write);
  }
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return certain(update->getPointerOperand(), Effect::Write);
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return certain(exchange->getPointerOperand(), Effect::Write);
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return effectOf(*call);
  if (isa<PtrToIntInst, PtrToAddrInst>(instruction) &&
      mayPoint(instruction.getOperand(0)))
    return Effect::Unknown;
  return Effect::None;
}

const Instruction *CArgumentUse::findWrite(Effect &effect) const {
  const Instruction *unknown = nullptr;
  for (const Instruction &instruction : instructions(function)) {
    effect = effectOf(instruction);
    if (effect == Effect::Write)
      return &instruction;
    if (effect == Effect::Unknown && !unknown)
      unknown = &instruction;
  }
  effect = unknown ? Effect::Unknown : Effect::None;
  return unknown;
}

/// A read that every path from the start of `block` performs before a write and
/// before the end. Paths that do not end do not count.
const Instruction *CArgumentUse::readFirst(const BasicBlock &block) {
  auto [known, isNew] = reads.try_emplace(&block, nullptr);
  if (!isNew)
    return known->second;
  for (const Instruction &instruction : block) {
    Effect effect = effectOf(instruction);
    if (effect == Effect::Read)
      return reads[&block] = &instruction;
    if (effect != Effect::None)
      return nullptr;
    // Other calls may end the kernel.
    auto *call = dyn_cast<CallBase>(&instruction);
    if (call && !call->hasFnAttr(Attribute::WillReturn) &&
        !call->onlyReadsMemory())
      return nullptr;
  }
  const Instruction *read = nullptr;
  for (const BasicBlock *next : successors(&block)) {
    const Instruction *here = readFirst(*next);
    if (!here)
      return nullptr;
    read = read ? read : here;
  }
  return reads[&block] = read;
}

const Instruction *CArgumentUse::findFirstRead() {
  return readFirst(function.getEntryBlock());
}

bool CArgumentUse::mayReadFirst() const {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const BasicBlock *> open{&function.getEntryBlock()};
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (!seen.insert(block).second)
      continue;
    bool isWritten = false;
    for (const Instruction &instruction : *block) {
      Effect effect = effectOf(instruction);
      if (effect == Effect::Read || effect == Effect::Unknown)
        return true;
      if ((isWritten = effect == Effect::Write))
        break;
    }
    if (!isWritten)
      append_range(open, successors(block));
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
class CAccessCheck {
public:
  CAccessCheck(dfg::TaskOp task, Function &copy, const CSignature &signature,
               bool hasRemarks)
      : task(task), copy(copy), signature(signature), hasRemarks(hasRemarks),
        arguments(cArguments(task)) {}

  bool run();

private:
  bool checkRead(unsigned number, CArgumentUse &use);
  bool checkWritten(unsigned number, CArgumentUse &use);
  void remark(unsigned number, const Instruction &place, const Twine &text);
  bool isSharedArgument(unsigned number) const;

  dfg::TaskOp task;
  Function &copy;
  const CSignature &signature;
  bool hasRemarks;
  std::vector<CArgument> arguments;
};
} // namespace

/// The instruction's location, or its function's.
static mlir::Location placeIn(const Instruction &instruction,
                              mlir::MLIRContext *context) {
  SourcePlace place = placeOf(instruction);
  return locationOf(
      place.isKnown() ? place : placeOf(*instruction.getFunction()), context);
}

void CAccessCheck::remark(unsigned number, const Instruction &place,
                          const Twine &text) {
  if (!hasRemarks)
    return;
  mlir::InFlightDiagnostic remark = task.emitRemark();
  remark << text;
  remark.attachNote(placeIn(place, task.getContext())) << "it is here";
}

/// True if another argument of the task is the same dataset.
bool CAccessCheck::isSharedArgument(unsigned number) const {
  dfg::TaskOp op = task;
  auto list = to_vector(op.getTaskArgs());
  for (auto [other, argument] : enumerate(list))
    if (other != number && argument.getData() == list[number].getData())
      return true;
  return false;
}

bool CAccessCheck::checkRead(unsigned number, CArgumentUse &use) {
  Effect effect = Effect::None;
  const Instruction *write = use.findWrite(effect);
  if (!write)
    return true;
  const std::string &name = arguments[number].name;
  if (effect == Effect::Unknown) {
    remark(number, *write,
           "whether '" + task.getCallee() + "' writes '" + name +
               "', which the task says it only reads ('in'), is not known; "
               "SLUICE_CHECK=1 checks it");
    return true;
  }
  mlir::InFlightDiagnostic error = task.emitError();
  error << "'" << task.getCallee() << "' writes '" << name
        << "', but the task says that it only reads it; remove 'in'";
  error.attachNote(placeIn(*write, task.getContext())) << "it is written here";
  return false;
}

bool CAccessCheck::checkWritten(unsigned number, CArgumentUse &use) {
  const std::string &name = arguments[number].name;
  if (const Instruction *read = use.findFirstRead()) {
    mlir::InFlightDiagnostic error = task.emitError();
    error << "'" << task.getCallee() << "' reads '" << name
          << "' before it writes it, but the task says that it only writes it "
             "('out'); remove 'out'";
    error.attachNote(placeIn(*read, task.getContext())) << "it is read here";
    return false;
  }
  if (use.mayReadFirst())
    remark(number, *copy.getEntryBlock().getTerminator(),
           "whether '" + task.getCallee() + "' reads elements of '" + name +
               "' before it writes them, which the task says it does not "
               "('out'), is not known; SLUICE_CHECK=1 checks it");
  return true;
}

bool CAccessCheck::run() {
  bool isGood = true;
  for (auto [number, argument] : enumerate(arguments)) {
    SmallPtrSet<Value *, 4> pointers;
    for (auto [index, parameter] : enumerate(signature.parameters))
      if (parameter.argument == number && parameter.type->isPointerTy())
        pointers.insert(copy.getArg(index));
    if (pointers.empty() || argument.kind == CArgument::Kind::Value)
      continue;
    CArgumentUse use(copy, pointers);
    if (argument.access == dfg::Access::In)
      isGood &= checkRead(number, use);
    else if (argument.access == dfg::Access::Out && !isSharedArgument(number))
      isGood &= checkWritten(number, use);
  }
  return isGood;
}

bool driver::checkAccesses(dfg::TaskOp task, const Function &kernel,
                           const CSignature &signature, bool hasRemarks) {
  auto isStated = [](const CArgument &argument) {
    return argument.access != dfg::Access::InOut &&
           argument.kind != CArgument::Kind::Value;
  };
  std::vector<CArgument> arguments = cArguments(task);
  if (none_of(arguments, isStated))
    return true;
  std::unique_ptr<Module> module =
      copyForTask(kernel, task, signature, cSlots(arguments));
  Function *copy = module->getFunction(kernel.getName());
  // Nothing is left of a kernel that never returns.
  return !copy || copy->isDeclaration() ||
         CAccessCheck(task, *copy, signature, hasRemarks).run();
}
