//===- RefuseKernels.cpp - Rejecting kernels no device can run ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Back ends abort on unsupported code. So every instruction of a kernel is
// examined first; a kernel with unsupported code is left out and runs on the
// host.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "Lowering.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::lowering;

namespace {

std::string textOf(const Type &type) {
  std::string text;
  raw_string_ostream os(text);
  type.print(os);
  return text;
}

/// Examines one kernel; `problem` is the first unsupported feature.
class Examination {
public:
  Examination(CodeForm form) : form(form) {}

  bool passes(const Function &kernel) {
    for (const Argument &argument : kernel.args())
      if (!checkParameter(*argument.getType()))
        return false;
    if (form == CodeForm::PTX && !checkSizes(kernel))
      return false;
    for (const Instruction &instruction : instructions(kernel))
      if (!check(instruction)) {
        addPlace(instruction);
        return false;
      }
    return true;
  }

  std::string problem;

private:
  bool refuse(const Twine &text) {
    problem = text.str();
    return false;
  }

  void addPlace(const Instruction &instruction) {
    const DILocation *place = instruction.getDebugLoc();
    if (place && place->getLine())
      problem = (place->getFilename() + ":" + Twine(place->getLine()) + ":" +
                 Twine(place->getColumn()) + ": " + problem)
                    .str();
  }

  /// A single kernel beyond the limits would make the whole module unusable.
  bool checkSizes(const Function &kernel) {
    // PTX before 8.1 allows 4352 bytes, and 512 KiB of memory for each item.
    constexpr uint64_t maxPassed = 4096, maxPrivate = 500 << 10;
    const DataLayout &layout = kernel.getDataLayout();
    uint64_t passed = 0;
    for (const Argument &argument : kernel.args())
      passed += alignTo(layout.getTypeAllocSize(argument.getType()), 8);
    if (passed > maxPassed)
      return refuse("takes " + Twine(passed) +
                    " bytes of values, but CUDA devices at most " +
                    Twine(maxPassed));
    uint64_t own = privateBytes(kernel);
    return own <= maxPrivate ||
           refuse("has " + Twine(own) +
                  " bytes of variables in each instance, but CUDA devices "
                  "at most " +
                  Twine(maxPrivate));
  }

  bool checkParameter(const Type &type) {
    auto *integer = dyn_cast<IntegerType>(&type);
    unsigned width = integer ? integer->getBitWidth() : 8;
    if (width != 1 && width != 8 && width != 16 && width != 32 && width != 64)
      return refuse("takes an integer of " + Twine(width) +
                    " bits, which devices cannot be handed");
    return check(&type);
  }

  bool check(const Type *type) {
    if (auto *array = dyn_cast<ArrayType>(type))
      return check(array->getElementType());
    if (auto *structure = dyn_cast<StructType>(type))
      return all_of(structure->elements(), [&](Type *t) { return check(t); });
    if (isa<FixedVectorType>(type))
      return check(type->getScalarType());
    if (type->isIntegerTy() && type->getIntegerBitWidth() > 64)
      return refuse("devices have no integers of " +
                    Twine(type->getIntegerBitWidth()) + " bits");
    if (type->isHalfTy() || type->isFloatTy() || type->isDoubleTy() ||
        type->isIntegerTy() || type->isPointerTy() || type->isVoidTy() ||
        type->isMetadataTy())
      return true;
    return refuse("devices have no values of the type '" + textOf(*type) + "'");
  }

  bool checkOperand(const Value *operand) {
    if (isa<BasicBlock>(operand) || isa<MetadataAsValue>(operand))
      return true;
    if (!check(operand->getType()))
      return false;
    if (auto *global = dyn_cast<GlobalVariable>(operand))
      return check(*global);
    if (isa<BlockAddress>(operand) || isa<Function>(operand) ||
        isa<GlobalAlias>(operand))
      return refuse("uses the address of '" + operand->getName() +
                    "', which has none on a device");
    if (auto *constant = dyn_cast<ConstantExpr>(operand))
      return all_of(constant->operands(),
                    [&](const Use &use) { return checkOperand(use); });
    return true;
  }

  bool check(const GlobalVariable &global) {
    if (global.getAddressSpace() == Local)
      return true;
    if (global.isDeclaration())
      return refuse("uses '" + global.getName() +
                    "', which is not on the device");
    if (!global.isConstant())
      return refuse("uses the variable '" + global.getName() +
                    "', which is not constant");
    return true;
  }

  bool check(const Instruction &instruction) {
    if (!check(instruction.getType()))
      return false;
    if (auto *call = dyn_cast<CallBase>(&instruction))
      return checkCall(*call);
    if (!all_of(instruction.operands(),
                [&](const Use &use) { return checkOperand(use); }))
      return false;
    switch (instruction.getOpcode()) {
    case Instruction::Alloca:
      return isa<ConstantInt>(instruction.getOperand(0)) ||
             refuse("allocates memory whose size is not constant");
    case Instruction::AddrSpaceCast:
      return check(cast<AddrSpaceCastInst>(instruction));
    case Instruction::Invoke:
    case Instruction::Resume:
    case Instruction::LandingPad:
    case Instruction::CallBr:
    case Instruction::IndirectBr:
    case Instruction::VAArg:
      return refuse("uses '" + Twine(instruction.getOpcodeName()) +
                    "', which devices have not");
    default:
      return true;
    }
  }

  /// OpenCL 1.2 has no generic pointers.
  bool check(const AddrSpaceCastInst &cast) {
    bool isConstant =
        isa<GlobalVariable>(cast.getPointerOperand()->stripPointerCasts());
    return form == CodeForm::PTX || isConstant ||
           refuse("loses track of what memory a pointer points to");
  }

  bool checkCall(const CallBase &call) {
    if (isa<InvokeInst>(call) || isa<CallBrInst>(call))
      return refuse("handles exceptions, which devices have not");
    if (call.isInlineAsm())
      return refuse("contains assembly");
    const Function *callee = call.getCalledFunction();
    if (!callee)
      return refuse("calls a function by its address");
    if (!callee->isDeclaration())
      return refuse("calls '" + callee->getName() + "', which calls itself");
    if (isKnown(call, *callee))
      return all_of(call.args(),
                    [&](const Use &use) { return checkOperand(use); });
    return refuse("calls '" + callee->getName() +
                  "', which devices do not have");
  }

  static bool isKnown(const CallBase &call, const Function &callee) {
    StringRef name = callee.getName();
    return name == "sluice.device.group" || name == "sluice.device.item" ||
           name == "sluice.device.items" || name == "sluice.device.barrier" ||
           isDeviceIntrinsic(callee.getIntrinsicID()) ||
           calledMathFunction(call);
  }

  CodeForm form;
};

} // namespace

void lowering::refuseKernels(Module &module, CodeForm form,
                             std::vector<Refusal> &refusals) {
  for (Function *kernel : kernelsOf(module)) {
    Examination examination(form);
    if (examination.passes(*kernel))
      continue;
    refusals.push_back({kernel->getName().str(), examination.problem});
    kernel->eraseFromParent();
  }
  removeUnused(module);
}
