//===- ReachedMemory.cpp - Leaves that reach other memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a leaf computes all its addresses from addresses that it receives, it can
// use no other memory. So this file looks for calls, and for instructions that
// make an address from something else.
//
//===----------------------------------------------------------------------===//

#include "ReachedMemory.h"
#include "../Targets/DeviceTarget.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/CodeGen/PlanModel.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;

static bool holdsAddress(Type *type) {
  if (type->isPtrOrPtrVectorTy())
    return true;
  if (auto *array = dyn_cast<ArrayType>(type))
    return holdsAddress(array->getElementType());
  auto *structure = dyn_cast<StructType>(type);
  return structure && any_of(structure->elements(), holdsAddress);
}

namespace {
/// Examines a leaf and everything that it calls.
class ReachFinder {
public:
  bool isFine(const Function &function);

private:
  bool isFine(const Instruction &inst);
  bool isFineCall(const CallBase &call);
  bool isFineConstant(const Constant &constant);

  SmallPtrSet<const Function *, 8> visited;
  SmallPtrSet<const Constant *, 16> constants;
};
} // namespace

bool ReachFinder::isFineConstant(const Constant &constant) {
  if (!constants.insert(&constant).second)
    return true;
  if (const auto *function = dyn_cast<Function>(&constant))
    return isFine(*function);
  // Addresses in constant variables have to be loaded.
  if (const auto *variable = dyn_cast<GlobalVariable>(&constant))
    return variable->isConstant() || variable->isThreadLocal();
  if (const auto *expression = dyn_cast<ConstantExpr>(&constant);
      isa<GlobalValue>(constant) ||
      (expression && expression->getOpcode() == Instruction::IntToPtr))
    return false;
  return all_of(constant.operands(), [&](const Use &operand) {
    return isFineConstant(*cast<Constant>(operand));
  });
}

bool ReachFinder::isFineCall(const CallBase &call) {
  if (!hpvmIntrinsicName(call).empty())
    return true;
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return false;
  if (!callee->isDeclaration())
    return isFine(*callee);
  if (call.doesNotAccessMemory() ||
      codegen::isDeviceFunction(callee->getName()))
    return true;
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
      intrinsic && intrinsic->isAssumeLikeIntrinsic())
    return true;
  return call.onlyAccessesInaccessibleMemOrArgMem() &&
         !holdsAddress(call.getType());
}

bool ReachFinder::isFine(const Instruction &inst) {
  const auto *call = dyn_cast<CallBase>(&inst);
  for (const Use &operand : inst.operands()) {
    if (call && call->isCallee(&operand))
      continue;
    if (const auto *constant = dyn_cast<Constant>(operand);
        constant && !isFineConstant(*constant))
      return false;
  }
  if (call)
    return isFineCall(*call);
  return !holdsAddress(inst.getType()) ||
         isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst, AllocaInst,
             BitCastInst, AddrSpaceCastInst, InsertElementInst,
             ExtractElementInst, ShuffleVectorInst, InsertValueInst>(inst);
}

bool ReachFinder::isFine(const Function &function) {
  if (!visited.insert(&function).second)
    return true;
  if (function.isDeclaration() || function.isInterposable())
    return false;
  return all_of(instructions(function),
                [&](const Instruction &inst) { return isFine(inst); });
}

bool codegen::reachesInputsOnly(mlir::Operation *callee, const Module &module) {
  if (auto kernel = dyn_cast<dfg::KernelOp>(callee)) {
    const Function *leaf = module.getFunction(kernel.getCodeName());
    return leaf && ReachFinder().isFine(*leaf);
  }
  auto graph = dyn_cast<dfg::GraphOp>(callee);
  return graph &&
         all_of(graph.getBody().front().getOps<dfg::NodeOp>(),
                [&](dfg::NodeOp child) {
                  return reachesInputsOnly(child.resolveCallee(), module);
                });
}
