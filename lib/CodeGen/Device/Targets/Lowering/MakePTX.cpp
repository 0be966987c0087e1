//===- MakePTX.cpp - Neutral modules to PTX -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ids are special registers. LOCAL parameters are offsets into one array of
// shared memory; each launch sets its size. Math functions come from a bitcode
// library, since NVPTX selects none.
//
//===----------------------------------------------------------------------===//

#include "Analyses.h"
#include "Generate.h"
#include "Lowering.h"
#include "PTXMath.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::lowering;

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

static constexpr StringLiteral triple = "nvptx64-nvidia-cuda";
/// The maximum size of a module's constant memory.
static constexpr uint64_t constantBytes = 64 << 10;

/// The oldest version of PTX that supports the chip, so that old drivers accept
/// it: 6.3 came with CUDA 10.0, 7.0 with 11.0, 7.8 with 11.8, 8.7 with 12.8,
/// 8.8 with 12.9. "f" stands for a family of chips.
static StringRef versionFor(StringRef chip) {
  unsigned number = 0;
  chip.consume_front("sm_");
  chip.consumeInteger(10, number);
  if (number <= 75)
    return "+ptx63";
  if (number <= 80)
    return "+ptx70";
  if (number <= 86)
    return "+ptx71";
  if (number == 87)
    return "+ptx74";
  if (number == 88 || number == 110)
    return "+ptx90";
  if (number <= 90)
    return chip.starts_with("a") ? "+ptx80" : "+ptx78";
  if (chip.starts_with("f") || number == 103 || number == 121)
    return "+ptx88";
  if (number <= 101)
    return "+ptx86";
  return number == 120 ? "+ptx87" : "+ptx90";
}

//===----------------------------------------------------------------------===//
// Ids and barriers
//===----------------------------------------------------------------------===//

/// A special register per dimension, widened to 64 bits.
static void lowerIds(Module &module, StringRef neutral,
                     ArrayRef<Intrinsic::ID> registers) {
  replaceCalls(module, neutral, [&](CallInst &call) -> Value * {
    IRBuilder<> builder(&call);
    auto id = [&](unsigned dimension) {
      return builder.CreateZExt(
          builder.CreateIntrinsic(registers[dimension], {}),
          builder.getInt64Ty());
    };
    Value *dimension = call.getArgOperand(0);
    if (auto *constant = dyn_cast<ConstantInt>(dimension))
      return id(unsigned(constant->getZExtValue() % 3));
    Value *isX = builder.CreateICmpEQ(dimension, builder.getInt32(0));
    Value *isY = builder.CreateICmpEQ(dimension, builder.getInt32(1));
    return builder.CreateSelect(isX, id(0),
                                builder.CreateSelect(isY, id(1), id(2)));
  });
}

static void lowerIdsAndBarriers(Module &module) {
  lowerIds(module, "sluice.device.group",
           {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
            Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
            Intrinsic::nvvm_read_ptx_sreg_ctaid_z});
  lowerIds(module, "sluice.device.item",
           {Intrinsic::nvvm_read_ptx_sreg_tid_x,
            Intrinsic::nvvm_read_ptx_sreg_tid_y,
            Intrinsic::nvvm_read_ptx_sreg_tid_z});
  lowerIds(module, "sluice.device.items",
           {Intrinsic::nvvm_read_ptx_sreg_ntid_x,
            Intrinsic::nvvm_read_ptx_sreg_ntid_y,
            Intrinsic::nvvm_read_ptx_sreg_ntid_z});
  replaceCalls(module, "sluice.device.barrier", [](CallInst &call) -> Value * {
    IRBuilder<> builder(&call);
    return builder.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                                   builder.getInt32(0));
  });
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The shared memory; each launch sets its size.
static GlobalVariable &sharedMemory(Module &module) {
  const char *name = "sluice_shared";
  if (GlobalVariable *found = module.getNamedGlobal(name))
    return *found;
  Type *type = ArrayType::get(Type::getInt8Ty(module.getContext()), 0);
  auto *shared = new GlobalVariable(
      module, type, false, GlobalValue::ExternalLinkage, nullptr, name, nullptr,
      GlobalValue::NotThreadLocal, Local);
  shared->setAlignment(Align(16));
  return *shared;
}

static bool isLocal(const Argument &argument) {
  auto *pointer = dyn_cast<PointerType>(argument.getType());
  return pointer && pointer->getAddressSpace() == Local;
}

/// The kernel with an i64 offset for each LOCAL parameter.
static Function &takeOffsets(Function &kernel) {
  Module &module = *kernel.getParent();
  Type *offset = Type::getInt64Ty(module.getContext());
  SmallVector<Type *> types;
  for (Argument &argument : kernel.args())
    types.push_back(isLocal(argument) ? offset : argument.getType());
  Function *other =
      Function::Create(FunctionType::get(kernel.getReturnType(), types, false),
                       GlobalValue::ExternalLinkage, "", &module);
  other->copyAttributesFrom(&kernel);
  other->takeName(&kernel);
  other->splice(other->end(), &kernel);
  IRBuilder<> builder(&*other->getEntryBlock().getFirstInsertionPt());
  for (auto [from, to] : zip(kernel.args(), other->args())) {
    to.takeName(&from);
    Value *value = &to;
    if (isLocal(from)) {
      other->removeParamAttrs(to.getArgNo(), AttributeFuncs::typeIncompatible(
                                                 offset, AttributeSet()));
      value = builder.CreatePtrAdd(&sharedMemory(module), &to);
    }
    from.replaceAllUsesWith(value);
  }
  kernel.eraseFromParent();
  return *other;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// Removes flags that would allow the back end to compute something else.
static void keepArithmetic(Function &kernel) {
  for (StringRef name : {"denormal-fp-math", "denormal-fp-math-f32",
                         "unsafe-fp-math", "target-cpu", "target-features"})
    kernel.removeFnAttr(name);
  for (Instruction &instruction : instructions(kernel))
    if (isa<FPMathOperator>(instruction))
      instruction.copyFastMathFlags(FastMathFlags());
}

static void optimize(Module &module, TargetMachine &machine, unsigned level) {
  Analyses analyses(&machine);
  analyses.builder
      .buildPerModuleDefaultPipeline(level >= 3   ? OptimizationLevel::O3
                                     : level == 2 ? OptimizationLevel::O2
                                                  : OptimizationLevel::O1)
      .run(module, analyses.modules);
}

Expected<std::string> lowering::makePTX(Module &module,
                                        const DeviceLoweringOptions &options,
                                        std::vector<Refusal> &refusals) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  inlineCalls(module);
  refuseKernels(module, CodeForm::PTX, refusals);
  Expected<std::unique_ptr<TargetMachine>> machine =
      createMachine(triple, options.chip, versionFor(options.chip),
                    options.optimizationLevel);
  if (!machine)
    return machine.takeError();
  setTarget(module, **machine);
  StripDebugInfo(module);
  for (Function *kernel : kernelsOf(module)) {
    keepArithmetic(*kernel);
    expandReductions(*kernel);
    expandRealIntrinsics(*kernel);
    splitMathCalls(*kernel);
    lowerAtomics(*kernel, CodeForm::PTX);
    kernel->setCallingConv(CallingConv::PTX_Kernel);
    takeOffsets(*kernel);
  }
  lowerIdsAndBarriers(module);
  if (Error error = lowerMathForPTX(module, options, refusals))
    return std::move(error);
  if (options.optimizationLevel > 0)
    optimize(module, **machine, options.optimizationLevel);
  moveConstants(module, ptxConstant, constantBytes);
  removeUnused(module);
  if (kernelsOf(module).empty())
    return std::string();
  return generate(module, **machine, CodeGenFileType::AssemblyFile);
}
