//===- MakeSPIRV.cpp - Neutral modules to SPIR-V --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ids and barriers become OpenCL's builtin functions, which the back end knows.
// Everything that the back end or the translator to SPIR does not select is
// expanded beforehand.
//
//===----------------------------------------------------------------------===//

#include "Analyses.h"
#include "DeviceFunctions.h"
#include "Generate.h"
#include "Lowering.h"
#include "SPIRVMath.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::lowering;

extern "C" {
void LLVMInitializeSPIRVTarget();
void LLVMInitializeSPIRVTargetInfo();
void LLVMInitializeSPIRVTargetMC();
void LLVMInitializeSPIRVAsmPrinter();
}

/// The oldest version with all required features; drivers of OpenCL 2.1 accept
/// it.
static constexpr StringLiteral triple = "spirv64v1.2-unknown-unknown";

/// An id of OpenCL in dimension 0, 1 or 2.
static void lowerIds(Module &module, StringRef neutral, StringRef opencl) {
  replaceCalls(module, neutral, [&](CallInst &call) -> Value * {
    IRBuilder<> builder(&call);
    FunctionCallee callee = module.getOrInsertFunction(
        opencl, builder.getInt64Ty(), builder.getInt32Ty());
    auto *function = cast<Function>(callee.getCallee());
    function->setCallingConv(CallingConv::SPIR_FUNC);
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    auto id = [&](unsigned dimension) {
      CallInst *part = builder.CreateCall(callee, builder.getInt32(dimension));
      part->setCallingConv(CallingConv::SPIR_FUNC);
      return part;
    };
    Value *dimension = call.getArgOperand(0);
    if (auto *constant = dyn_cast<ConstantInt>(dimension))
      return id(unsigned(constant->getZExtValue()));
    Value *isX = builder.CreateICmpEQ(dimension, builder.getInt32(0));
    Value *isY = builder.CreateICmpEQ(dimension, builder.getInt32(1));
    return builder.CreateSelect(isX, id(0),
                                builder.CreateSelect(isY, id(1), id(2)));
  });
}

static void lowerBarriers(Module &module) {
  replaceCalls(module, "sluice.device.barrier", [&](CallInst &call) -> Value * {
    IRBuilder<> builder(&call);
    FunctionCallee callee = module.getOrInsertFunction(
        "_Z7barrierj", builder.getVoidTy(), builder.getInt32Ty());
    auto *function = cast<Function>(callee.getCallee());
    function->setCallingConv(CallingConv::SPIR_FUNC);
    function->setConvergent();
    // CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE
    CallInst *barrier = builder.CreateCall(callee, builder.getInt32(3));
    barrier->setCallingConv(CallingConv::SPIR_FUNC);
    barrier->setConvergent();
    return barrier;
  });
}

/// Splits structures into their parts. Vectors become scalars, which OpenCL
/// compilers vectorise themselves; switches become branches.
static void simplify(Function &function) {
  Analyses analyses;
  FunctionPassManager passes;
  ScalarizerPassOptions options;
  options.ScalarizeLoadStore = true;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(InstSimplifyPass());
  passes.addPass(ScalarizerPass(options));
  passes.addPass(LowerSwitchPass());
  passes.addPass(DCEPass());
  passes.run(function, analyses.functions);
}

/// SPIR-V has no flags for LLVM's knowledge about operands. Without them,
/// drivers do not see that an `or` is the sum in an address, and load single
/// numbers where they could load vectors.
static void spellOutFlags(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *disjoint = dyn_cast<PossiblyDisjointInst>(&instruction);
    if (!disjoint || !disjoint->isDisjoint())
      continue;
    IRBuilder<> builder(disjoint);
    Value *sum =
        builder.CreateAdd(disjoint->getOperand(0), disjoint->getOperand(1), "",
                          /*HasNUW=*/true, /*HasNSW=*/true);
    sum->takeName(disjoint);
    disjoint->replaceAllUsesWith(sum);
    disjoint->eraseFromParent();
  }
}

/// The translator does not support comparisons of addresses.
static void compareAddressesAsIntegers(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    auto *compare = dyn_cast<ICmpInst>(&instruction);
    if (!compare || !compare->getOperand(0)->getType()->isPointerTy())
      continue;
    IRBuilder<> builder(compare);
    for (Use &address : compare->operands())
      address.set(builder.CreatePtrToInt(address, builder.getInt64Ty()));
  }
}

static void lowerKernel(Function &kernel) {
  kernel.setCallingConv(CallingConv::SPIR_KERNEL);
  kernel.setLinkage(GlobalValue::ExternalLinkage);
  kernel.removeFnAttr("target-cpu");
  kernel.removeFnAttr("target-features");
  removeHints(kernel);
  expandMemoryCalls(kernel);
  expandReductions(kernel);
  splitValues(kernel);
  simplify(kernel);
  lowerAtomics(kernel, CodeForm::SPIRV);
  expandRealIntrinsics(kernel);
  expandIntegerIntrinsics(kernel);
  spellOutFlags(kernel);
  removeUndefined(kernel);
  compareAddressesAsIntegers(kernel);
  widenIntegers(kernel);
  splitMathCalls(kernel);
  lowerMathForOpenCL(kernel);
  // Flags would allow drivers to compute something else.
  for (Instruction &instruction : instructions(kernel))
    if (isa<FPMathOperator>(instruction))
      instruction.copyFastMathFlags(FastMathFlags());
}

/// CodeGenPrepare turns comparisons into sums with carry, which the translator
/// does not support. Drivers perform its other transforms themselves.
static void skipCodeGenPrepare() {
  auto &options = cl::getRegisteredOptions();
  if (auto found = options.find("disable-cgp"); found != options.end())
    static_cast<cl::opt<bool> *>(found->second)->setValue(true);
}

Expected<std::string> lowering::makeSPIRV(Module &module,
                                          const DeviceLoweringOptions &options,
                                          std::vector<Refusal> &refusals) {
  LLVMInitializeSPIRVTargetInfo();
  LLVMInitializeSPIRVTarget();
  LLVMInitializeSPIRVTargetMC();
  LLVMInitializeSPIRVAsmPrinter();
  skipCodeGenPrepare();
  inlineCalls(module);
  refuseKernels(module, CodeForm::SPIRV, refusals);
  Expected<std::unique_ptr<TargetMachine>> machine =
      createMachine(triple, "", "", options.optimizationLevel);
  if (!machine)
    return machine.takeError();
  setTarget(module, **machine);
  StripDebugInfo(module);
  for (Function *kernel : kernelsOf(module))
    lowerKernel(*kernel);
  moveConstants(module, spirvConstant, UINT64_MAX);
  lowerIds(module, "sluice.device.group", "_Z12get_group_idj");
  lowerIds(module, "sluice.device.item", "_Z12get_local_idj");
  lowerIds(module, "sluice.device.items", "_Z14get_local_sizej");
  lowerBarriers(module);
  removeUnused(module);
  if (kernelsOf(module).empty())
    return std::string();
  return generate(module, **machine, CodeGenFileType::ObjectFile);
}
