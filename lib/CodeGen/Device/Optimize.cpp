//===- Optimize.cpp - Clean-up of neutral device kernels ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses only passes that need no target and leave plain code: no vectors, no
// integers wider than the program's, no calls of memset and memcpy, no switch
// tables. Back ends and drivers optimise for their devices.
//
//===----------------------------------------------------------------------===//

#include "Optimize.h"
#include "Leaf/LeafFunction.h"
#include "NeutralForm.h"
#include "Refusal.h"
#include "Targets/DeviceTarget.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Whether the type contains addresses, which mean nothing on a device.
static bool holdsAddresses(Type *type) {
  if (auto *structure = dyn_cast<StructType>(type))
    return any_of(structure->elements(), holdsAddresses);
  if (auto *array = dyn_cast<ArrayType>(type))
    return holdsAddresses(array->getElementType());
  return type->isPtrOrPtrVectorTy();
}

static Constant *globalCopyOf(GlobalVariable &table) {
  Module &module = *table.getParent();
  std::string name = (table.getName() + ".device").str();
  GlobalVariable *copy = module.getNamedGlobal(name);
  if (!copy) {
    copy = new GlobalVariable(module, table.getValueType(), /*isConstant=*/true,
                              GlobalValue::InternalLinkage,
                              table.getInitializer(), name, nullptr,
                              GlobalValue::NotThreadLocal, globalSpace);
    copy->setAlignment(table.getAlign());
    copy->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  }
  return ConstantExpr::getAddrSpaceCast(copy, table.getType());
}

void codegen::moveConstantsToGlobalMemory(Function &kernel) {
  SmallVector<Constant *> tables;
  for (GlobalVariable &global : kernel.getParent()->globals())
    if (global.getAddressSpace() == 0 && global.isConstant() &&
        global.hasDefinitiveInitializer() &&
        !holdsAddresses(global.getValueType()))
      tables.push_back(&global);
  convertUsersOfConstantsToInstructions(tables, &kernel,
                                        /*RemoveDeadConstants=*/false);
  for (Constant *table : tables) {
    Constant *copy = nullptr;
    for (Use &use : make_early_inc_range(table->uses())) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user || user->getFunction() != &kernel)
        continue;
      if (!copy)
        copy = globalCopyOf(*cast<GlobalVariable>(table));
      use.set(copy);
    }
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// On a host, libm functions may set errno; devices have none.
static void makeMathPure(Function &kernel) {
  for (Instruction &inst : instructions(kernel)) {
    auto *call = dyn_cast<CallInst>(&inst);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isIntrinsic() || !callee->isDeclaration() ||
        isNeutralBuiltin(callee->getName()) ||
        !isDeviceFunction(callee->getName()))
      continue;
    bool hasAddresses = any_of(call->args(), [](const Use &argument) {
      return argument->getType()->isPointerTy();
    });
    if (!hasAddresses) {
      callee->setDoesNotAccessMemory();
      call->setDoesNotAccessMemory();
    }
    callee->setDoesNotThrow();
    call->setDoesNotThrow();
    callee->setWillReturn();
    call->addFnAttr(Attribute::WillReturn);
  }
}

/// Computes `a * b + c` exactly as the host does.
static void lowerMultiplyAdd(Function &kernel, bool fuses) {
  for (Instruction &inst : make_early_inc_range(instructions(kernel))) {
    auto *call = dyn_cast<IntrinsicInst>(&inst);
    if (!call || call->getIntrinsicID() != Intrinsic::fmuladd)
      continue;
    IRBuilder<> b(call);
    b.setFastMathFlags(call->getFastMathFlags());
    Type *scalar = call->getType()->getScalarType();
    Value *value;
    if (fuses && (scalar->isFloatTy() || scalar->isDoubleTy()))
      value = b.CreateIntrinsic(Intrinsic::fma, {call->getType()},
                                {call->getArgOperand(0), call->getArgOperand(1),
                                 call->getArgOperand(2)});
    else
      value = b.CreateFAdd(
          b.CreateFMul(call->getArgOperand(0), call->getArgOperand(1)),
          call->getArgOperand(2));
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

/// Removes hints that only host optimisers use.
static void dropHints(Function &kernel) {
  // A stack that was never saved is not restored.
  for (Instruction &inst : make_early_inc_range(instructions(kernel)))
    if (auto *call = dyn_cast<IntrinsicInst>(&inst);
        call && call->getIntrinsicID() == Intrinsic::stackrestore)
      call->eraseFromParent();
  for (Instruction &inst : make_early_inc_range(instructions(kernel))) {
    auto *call = dyn_cast<IntrinsicInst>(&inst);
    if (!call)
      continue;
    switch (call->getIntrinsicID()) {
    case Intrinsic::assume:
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::experimental_noalias_scope_decl:
    case Intrinsic::donothing:
    case Intrinsic::sideeffect:
    case Intrinsic::prefetch:
      call->eraseFromParent();
      break;
    case Intrinsic::stacksave:
      call->replaceAllUsesWith(PoisonValue::get(call->getType()));
      call->eraseFromParent();
      break;
    case Intrinsic::expect:
    case Intrinsic::expect_with_probability:
      call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
      break;
    default:
      break;
    }
  }
}

static void markComparisons(Function &kernel) {
  MDNode *mark = MDNode::get(kernel.getContext(), {});
  for (Instruction &inst : instructions(kernel))
    if (isa<ICmpInst>(inst) && inst.getOperand(0)->getType()->isPointerTy())
      inst.setMetadata(comparisonMetadata, mark);
}

/// Replaces copies by loops, since back ends only support copies in some
/// address spaces.
static void expandCopies(Function &kernel) {
  TargetTransformInfo target(kernel.getDataLayout());
  SmallVector<MemIntrinsic *> copies;
  for (Instruction &inst : instructions(kernel))
    if (auto *copy = dyn_cast<MemIntrinsic>(&inst))
      copies.push_back(copy);
  for (MemIntrinsic *copy : copies) {
    if (auto *set = dyn_cast<MemSetInst>(copy))
      expandMemSetAsLoop(set);
    else if (auto *plain = dyn_cast<MemCpyInst>(copy))
      expandMemCpyAsLoop(plain, target);
    else if (!expandMemMoveAsLoop(cast<MemMoveInst>(copy), target))
      continue;
    copy->eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

static void addCleanup(FunctionPassManager &passes) {
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
}

static void addLoops(FunctionPassManager &passes, bool movesCode) {
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  LoopPassManager rotation;
  rotation.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true));
  if (movesCode)
    rotation.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(rotation),
                                                 /*UseMemorySSA=*/true));
}

/// Fully unrolls short loops, which turns small arrays into registers.
static void addUnrolling(FunctionPassManager &passes) {
  LoopUnrollOptions options(/*OptLevel=*/2);
  options.setPartial(false).setRuntime(false).setPeeling(false);
  options.setUpperBound(false).setFullUnrollMaxCount(64);
  passes.addPass(LoopUnrollPass(options));
}

static void run(Function &kernel,
                function_ref<void(FunctionPassManager &)> add) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  FunctionPassManager passes;
  add(passes);
  passes.run(kernel, functions);
}

void codegen::cleanUp(Function &function) {
  run(function, [](FunctionPassManager &passes) {
    addCleanup(passes);
    passes.addPass(GVNPass());
    passes.addPass(ADCEPass());
    addCleanup(passes);
  });
}

/// Handles comparisons and differences of addresses in one space.
static void castAddressesLate(Function &kernel) {
  for (Instruction &inst : make_early_inc_range(instructions(kernel)))
    if (auto *number = dyn_cast<PtrToIntInst>(&inst))
      if (auto *cast = dyn_cast<AddrSpaceCastInst>(number->getOperand(0)))
        number->setOperand(0, cast->getPointerOperand());
  for (Instruction &inst : make_early_inc_range(instructions(kernel)))
    if (isa<AddrSpaceCastInst>(inst) && inst.use_empty())
      inst.eraseFromParent();
}

/// The address space of all memory that the address may point to, if it is
/// unique.
static std::optional<unsigned> spaceOf(const Value *address) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(address, objects, nullptr, /*MaxLookup=*/0);
  std::optional<unsigned> space;
  for (const Value *object : objects) {
    unsigned next = object->getType()->getPointerAddressSpace();
    if (!isa<Argument>(object) || (space && *space != next))
      return std::nullopt;
    space = next;
  }
  return space;
}

/// Annotates the space of an address that is converted to a number: inference
/// only looks at addresses that are accessed.
static void placeNumbers(Function &kernel) {
  for (Instruction &inst : instructions(kernel)) {
    auto *number = dyn_cast<PtrToIntInst>(&inst);
    if (!number || number->getPointerAddressSpace() != 0)
      continue;
    Value *address = number->getPointerOperand();
    if (std::optional<unsigned> space = spaceOf(address))
      number->setOperand(
          0, IRBuilder<>(number).CreateAddrSpaceCast(
                 address, PointerType::get(kernel.getContext(), *space)));
  }
}

/// The null of one space is the null of all others: programs know only one.
static void inferNulls(Function &kernel) {
  for (Instruction &inst : instructions(kernel))
    for (Use &operand : inst.operands()) {
      auto *cast = dyn_cast<ConstantExpr>(operand);
      if (cast && cast->getOpcode() == Instruction::AddrSpaceCast &&
          isa<ConstantPointerNull>(cast->getOperand(0)))
        operand.set(Constant::getNullValue(cast->getType()));
    }
}

namespace {
class InferSpacesPass : public PassInfoMixin<InferSpacesPass> {
public:
  PreservedAnalyses run(Function &kernel, FunctionAnalysisManager &analyses) {
    InferAddressSpacesPass(0).run(kernel, analyses);
    inferNulls(kernel);
    return PreservedAnalyses::none();
  }
};
} // namespace

/// Local memory is never null. On some devices, its first byte has the address
/// 0, which back ends would compare with.
static void compareLocalWithNull(Function &kernel) {
  for (Instruction &inst : make_early_inc_range(instructions(kernel))) {
    auto *compare = dyn_cast<ICmpInst>(&inst);
    if (!compare || !compare->isEquality() ||
        !isa<ConstantPointerNull>(compare->getOperand(1)))
      continue;
    const auto *argument =
        dyn_cast<Argument>(getUnderlyingObject(compare->getOperand(0)));
    if (!argument ||
        argument->getType()->getPointerAddressSpace() != localSpace)
      continue;
    bool isUnequal = compare->getPredicate() == ICmpInst::ICMP_NE;
    compare->replaceAllUsesWith(
        ConstantInt::getBool(compare->getType(), isUnequal));
    compare->eraseFromParent();
  }
}

/// True if there are arrays that are not in registers.
static bool hasVariables(const Function &kernel) {
  return any_of(instructions(kernel),
                [](const Instruction &inst) { return isa<AllocaInst>(inst); });
}

static bool hasBarrier(const Function &kernel) {
  return any_of(instructions(kernel), [](const Instruction &inst) {
    const auto *call = dyn_cast<CallInst>(&inst);
    return call && call->isConvergent() && !isa<IntrinsicInst>(call);
  });
}

/// In drivers for CPUs, a value that is computed before a barrier and used
/// after it needs memory for each item. So in kernels with barriers nothing is
/// moved out of loops.
static void addLoopPasses(FunctionPassManager &passes, const Function &kernel) {
  addLoops(passes, /*movesCode=*/!hasBarrier(kernel));
  passes.addPass(GVNPass());
}

void codegen::optimizeKernel(Function &kernel, bool fuses) {
  replaceBarriers(kernel);
  dropHints(kernel);
  lowerMultiplyAdd(kernel, fuses);
  // Once addresses have address spaces, LLVM does not merge loads from
  // different ones.
  compareLocalWithNull(kernel);
  moveConstantsToGlobalMemory(kernel);
  run(kernel, [](FunctionPassManager &passes) {
    passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    passes.addPass(InferSpacesPass());
  });
  run(kernel, addCleanup);
  // Inlines calls through addresses that have only now become known.
  inlineCalls(kernel);
  dropHints(kernel);
  lowerMultiplyAdd(kernel, fuses);
  makeMathPure(kernel);
  compareLocalWithNull(kernel);
  placeNumbers(kernel);
  moveConstantsToGlobalMemory(kernel);
  run(kernel, [&](FunctionPassManager &passes) {
    addCleanup(passes);
    passes.addPass(InferSpacesPass());
    addCleanup(passes);
    addLoopPasses(passes, kernel);
    passes.addPass(SCCPPass());
    addCleanup(passes);
  });
  run(kernel, [&](FunctionPassManager &passes) {
    if (!hasBarrier(kernel) || hasVariables(kernel))
      addUnrolling(passes);
    addCleanup(passes);
    passes.addPass(InferSpacesPass());
    addLoopPasses(passes, kernel);
    passes.addPass(DSEPass());
    passes.addPass(ADCEPass());
    addCleanup(passes);
  });
  markComparisons(kernel);
  expandCopies(kernel);
  castAddressesLate(kernel);
  run(kernel, addCleanup);
  dropHints(kernel);
}
