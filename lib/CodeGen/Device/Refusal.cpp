//===- Refusal.cpp - Rejecting code that devices cannot run ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices cannot run all of C. This file finds unsupported code and reports it
// with its location in the user's source.
//
//===----------------------------------------------------------------------===//

#include "Refusal.h"
#include "../Leaf/Item/MemoryAccesses.h"
#include "NeutralForm.h"
#include "Targets/DeviceTarget.h"
#include "sluice/Base/SourcePath.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

std::string codegen::placeOf(const Function &function) {
  if (const DISubprogram *program = function.getSubprogram())
    return sourcePath(program->getDirectory(), program->getFilename()) + ":" +
           std::to_string(program->getLine());
  return "";
}

std::string codegen::spellPlace(const DILocation &location) {
  std::string place =
      sourcePath(location.getDirectory(), location.getFilename()) + ":" +
      std::to_string(location.getLine());
  if (location.getColumn())
    place += ":" + std::to_string(location.getColumn());
  return place;
}

/// The leaf that contains the code, directly or after inlining.
static StringRef leafNameOf(const DILocation &location) {
  const DILocation *outermost = &location;
  while (const DILocation *at = outermost->getInlinedAt())
    outermost = at;
  return outermost->getScope()->getSubprogram()->getName();
}

Error codegen::refuse(const Instruction &inst, const Function &leaf,
                      const Twine &message) {
  const DILocation *location = inst.getDebugLoc();
  if (!location || !location->getLine())
    return refuse(leaf, message);
  return createStringError(spellPlace(*location) + ": leaf '" +
                           leafNameOf(*location) + "': " + message);
}

Error codegen::refuse(const Function &leaf, const Twine &message) {
  std::string place = placeOf(leaf);
  StringRef name =
      leaf.getSubprogram() ? leaf.getSubprogram()->getName() : leaf.getName();
  return createStringError(Twine(place) + (place.empty() ? "" : ": ") +
                           "leaf '" + name + "': " + message);
}

//===----------------------------------------------------------------------===//
// What remains in a kernel
//===----------------------------------------------------------------------===//

bool codegen::isDeviceType(Type *type) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return isDeviceType(vector->getElementType());
  if (auto *array = dyn_cast<ArrayType>(type))
    return isDeviceType(array->getElementType());
  if (auto *structure = dyn_cast<StructType>(type))
    return all_of(structure->elements(), isDeviceType);
  // Targets widen unusual integer widths to those of devices.
  if (auto *integer = dyn_cast<IntegerType>(type))
    return integer->getBitWidth() <= 64;
  return type->isHalfTy() || type->isFloatTy() || type->isDoubleTy() ||
         type->isPointerTy() || type->isVoidTy();
}

static std::string spell(Type *type) {
  std::string text;
  raw_string_ostream(text) << *type;
  return text;
}

/// Types of C that devices lack, by their usual names.
static std::string nameOfType(Type *type) {
  if (type->isX86_FP80Ty())
    return "long double";
  if (type->isFP128Ty())
    return "__float128";
  if (type->isIntegerTy(128))
    return "__int128";
  return spell(type);
}

namespace {
class KernelCheck {
public:
  KernelCheck(Function &kernel, const Function &leaf)
      : kernel(kernel), leaf(leaf) {}

  Error run();

private:
  Function &kernel;
  const Function &leaf;

  Error fail(const Instruction &inst, const Twine &message) {
    return refuse(inst, leaf, message);
  }
  Error checkTypes(const Instruction &inst);
  Error checkOperands(const Instruction &inst);
  Error checkMemory(const Instruction &inst);
  Error checkComparison(const Instruction &inst);
  Error checkAtomic(const Instruction &inst);
  Error checkCall(const CallBase &call);
  Error checkCast(const Instruction &inst);
  Error check(const Instruction &inst);
};
} // namespace

Error KernelCheck::checkTypes(const Instruction &inst) {
  auto checkType = [&](Type *type) -> Error {
    if (isDeviceType(type) || type->isMetadataTy() || type->isLabelTy())
      return Error::success();
    return fail(inst, "computes with '" + nameOfType(type) +
                          "', which devices do not have");
  };
  if (isa<DbgInfoIntrinsic>(inst))
    return Error::success();
  if (Error error = checkType(inst.getType()))
    return error;
  for (const Value *operand : inst.operands())
    if (!isa<Function, BasicBlock, InlineAsm>(operand))
      if (Error error = checkType(operand->getType()))
        return error;
  return Error::success();
}

Error KernelCheck::checkOperands(const Instruction &inst) {
  for (const Value *operand : inst.operands()) {
    const auto *constant = dyn_cast<Constant>(operand);
    if (!constant)
      continue;
    const Value *base = constant->stripPointerCasts();
    if (const auto *global = dyn_cast<GlobalVariable>(base)) {
      if (global->isThreadLocal())
        return fail(inst, "uses the thread's own variable '" +
                              global->getName() +
                              "', which devices do not have");
      if (!global->isConstant())
        return fail(inst, "uses the variable '" + displayName(*global) +
                              "' of the program; pass its address to the node "
                              "instead");
      if (global->getAddressSpace() != globalSpace)
        return fail(inst, "uses '" + global->getName() +
                              "', whose value is not known here");
    }
    if (isa<Function>(base) &&
        !(isa<CallBase>(inst) &&
          cast<CallBase>(inst).getCalledOperand() == operand))
      return fail(inst, "takes the address of the function '" +
                            base->getName() + "', which devices cannot");
  }
  return Error::success();
}

/// The first use of the address with a location.
static const Instruction &placedUser(const Instruction &address) {
  SmallVector<const Instruction *> worklist{&address};
  SmallPtrSet<const Instruction *, 8> visited;
  for (unsigned i = 0; i != worklist.size(); ++i) {
    if (const DILocation *place = worklist[i]->getDebugLoc();
        place && place->getLine())
      return *worklist[i];
    for (const User *user : worklist[i]->users())
      if (auto *inst = dyn_cast<Instruction>(user); visited.insert(inst).second)
        worklist.push_back(inst);
  }
  return address;
}

Error KernelCheck::checkMemory(const Instruction &inst) {
  if (const auto *load = dyn_cast<LoadInst>(&inst))
    if (load->getType()->isPtrOrPtrVectorTy())
      return fail(inst, "loads an address from memory, which is one of the "
                        "host's; pass the memory as an argument of its own");
  if (const auto *store = dyn_cast<StoreInst>(&inst))
    if (store->getValueOperand()->getType()->isPtrOrPtrVectorTy())
      return fail(inst, "stores an address, which the host could not use");
  if (isa<IntToPtrInst>(inst) && inst.hasMetadata(memberMetadata))
    return fail(placedUser(inst),
                "uses an address in a structure that is passed by value; pass "
                "the memory as an argument of its own");
  if (isa<IntToPtrInst>(inst))
    return fail(inst, "makes an address of a number");
  if (const auto *alloca = dyn_cast<AllocaInst>(&inst))
    if (!isa<ConstantInt>(alloca->getArraySize()))
      return fail(inst, "has a variable whose size is not constant");
  return Error::success();
}

/// The arguments, or other memory, that an address may point into.
static SmallPtrSet<const Value *, 4> memoryBehind(const Value *address) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(address, objects, nullptr, /*MaxLookup=*/0);
  SmallPtrSet<const Value *, 4> memory;
  for (const Value *object : objects)
    if (!isa<ConstantPointerNull>(object))
      memory.insert(object);
  return memory;
}

/// On the device, two arguments may have another order, or may not be the same
/// memory.
Error KernelCheck::checkComparison(const Instruction &inst) {
  if (!inst.hasMetadata(comparisonMetadata))
    return Error::success();
  SmallPtrSet<const Value *, 4> memory = memoryBehind(inst.getOperand(0));
  SmallPtrSet<const Value *, 4> other = memoryBehind(inst.getOperand(1));
  if (memory.empty() || other.empty())
    return Error::success();
  memory.insert(other.begin(), other.end());
  if (memory.size() == 1)
    return Error::success();
  return fail(inst, "compares addresses of two arguments, which are others on "
                    "a device");
}

static bool isRelaxed(AtomicOrdering ordering) {
  return ordering == AtomicOrdering::NotAtomic ||
         ordering == AtomicOrdering::Unordered ||
         ordering == AtomicOrdering::Monotonic;
}

Error KernelCheck::checkAtomic(const Instruction &inst) {
  bool isOrdered = isa<FenceInst>(inst);
  if (const auto *load = dyn_cast<LoadInst>(&inst))
    isOrdered = !isRelaxed(load->getOrdering());
  if (const auto *store = dyn_cast<StoreInst>(&inst))
    isOrdered = !isRelaxed(store->getOrdering());
  if (const auto *update = dyn_cast<AtomicRMWInst>(&inst))
    isOrdered = !isRelaxed(update->getOrdering());
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
    isOrdered = !isRelaxed(exchange->getSuccessOrdering());
  if (isOrdered)
    return fail(inst, "orders memory by an atomic operation, which devices do "
                      "not; __hpvm__atomic_* are relaxed, and "
                      "__hpvm__barrier orders a work-group");
  return Error::success();
}

Error KernelCheck::checkCall(const CallBase &call) {
  if (call.isInlineAsm())
    return fail(call, "has assembly of the host");
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return fail(call, "calls a function by its address, which devices cannot");
  StringRef name = callee->getName();
  if (isNeutralBuiltin(name))
    return Error::success();
  if (!callee->isDeclaration()) {
    if (callee->isInterposable())
      return fail(call, "calls '" + name +
                            "', which another file may replace (it is weak)");
    if (callee->isVarArg())
      return fail(call,
                  "calls '" + name + "', which takes any number of arguments");
    return fail(call, "calls '" + name + "', which calls itself");
  }
  if (!isDeviceFunction(name))
    return fail(call, "calls '" + name + "', which devices do not have");
  return Error::success();
}

Error KernelCheck::check(const Instruction &inst) {
  if (isa<InvokeInst, LandingPadInst, ResumeInst>(inst) || inst.isEHPad())
    return fail(inst, "throws or catches exceptions, which devices do not "
                      "have");
  if (isa<IndirectBrInst, CallBrInst, VAArgInst>(inst))
    return fail(inst, "has a computed jump or takes any number of arguments, "
                      "which devices do not have");
  if (Error error = checkTypes(inst))
    return error;
  if (Error error = checkAtomic(inst))
    return error;
  if (Error error = checkOperands(inst))
    return error;
  if (Error error = checkComparison(inst))
    return error;
  if (const auto *call = dyn_cast<CallBase>(&inst))
    return checkCall(*call);
  return checkMemory(inst);
}

/// Any remaining casts mix addresses of several spaces.
Error KernelCheck::checkCast(const Instruction &inst) {
  bool isCast = isa<AddrSpaceCastInst>(inst);
  for (const Value *operand : inst.operands())
    if (auto *constant = dyn_cast<ConstantExpr>(operand))
      isCast |= constant->getOpcode() == Instruction::AddrSpaceCast;
  if (!isCast)
    return Error::success();
  return fail(placedUser(inst),
              "an address here may be in the node's own variables, in the "
              "work-group's memory or in an argument, and devices keep these "
              "apart");
}

Error KernelCheck::run() {
  for (const Instruction &inst : instructions(kernel))
    if (Error error = check(inst))
      return error;
  for (const Instruction &inst : instructions(kernel))
    if (Error error = checkCast(inst))
      return error;
  return Error::success();
}

Error codegen::checkKernel(Function &kernel, const Function &leaf) {
  return KernelCheck(kernel, leaf).run();
}
