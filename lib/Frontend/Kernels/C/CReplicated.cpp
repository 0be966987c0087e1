//===- CReplicated.cpp - C kernels that query their instance --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The leaf of a replicated task calls its kernel and inlines it at once. The
// queries are then in the leaf itself, where code generation finds them.
//
//===----------------------------------------------------------------------===//

#include "CMatch.h"
#include "CPrune.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/CodeGen/KernelPipeline.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Stores the number of dimensions for which a function's OpenCL names were
/// lowered.
static constexpr char dimensionsAttribute[] = "sluice-dimensions";

namespace {
/// The HPVM calls of one kernel.
class KernelCalls {
public:
  KernelCalls(Function &function, dfg::TaskOp task)
      : function(function), task(task) {
    if (task.getExtents())
      dimensions = task.getExtents()->size();
  }

  bool run();

private:
  bool lowerOpenCL();
  void lowerOpenCL(CallInst &call, StringRef name);
  Value *query(IRBuilder<> &builder, StringRef name, Type *type,
               ArrayRef<Value *> arguments);
  bool checkCall(const CallBase &call);
  bool checkQuery(const CallBase &call, StringRef name);
  bool checkBarriers();
  bool refuse(const Instruction &place, const Twine &message);

  Function &function;
  dfg::TaskOp task;
  unsigned dimensions = 0;
};
} // namespace

bool KernelCalls::refuse(const Instruction &place, const Twine &message) {
  task.emitError(message).attachNote(
      locationOf(placeOf(place), task.getContext()))
      << "it is here";
  return false;
}

//===----------------------------------------------------------------------===//
// OpenCL's names
//===----------------------------------------------------------------------===//

Value *KernelCalls::query(IRBuilder<> &builder, StringRef name, Type *type,
                          ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  return builder.CreateCall(
      function.getParent()->getOrInsertFunction(
          ("llvm.hpvm." + name).str(), FunctionType::get(type, types, false)),
      arguments);
}

/// The surrounding task graph is the only work-group.
void KernelCalls::lowerOpenCL(CallInst &call, StringRef name) {
  IRBuilder<> builder(&call);
  uint64_t d = cast<ConstantInt>(call.getArgOperand(0))->getZExtValue();
  bool isSize = name == "get_local_size";
  Value *value = builder.getInt64(isSize ? 1 : 0);
  if (d < dimensions && name != "get_group_id")
    value = query(builder,
                  (isSize ? "getNumNodeInstances." : "getNodeInstanceID.") +
                      std::string(1, "xyz"[d]),
                  builder.getInt64Ty(),
                  {query(builder, "getNode", builder.getPtrTy(), {})});
  call.replaceAllUsesWith(builder.CreateSExtOrTrunc(value, call.getType()));
  call.eraseFromParent();
}

static bool isOpenCLName(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && call.arg_size() == 1 &&
         call.getType()->isIntegerTy() &&
         is_contained({"get_global_id", "get_group_id", "get_local_id",
                       "get_local_size"},
                      callee->getName());
}

bool KernelCalls::lowerOpenCL() {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (isOpenCLName(*call))
        calls.push_back(call);
  for (CallInst *call : calls) {
    auto *dimension = dyn_cast<ConstantInt>(call->getArgOperand(0));
    if (!dimension || dimension->getZExtValue() > 2)
      return refuse(*call, "'" + call->getCalledFunction()->getName() +
                               "' needs a constant dimension from 0 to 2");
    if (dimensions == 0)
      return refuse(*call, "'" + function.getName() + "' calls '" +
                               call->getCalledFunction()->getName() +
                               "', but its task is not replicated; give the "
                               "task extents");
  }
  if (calls.empty())
    return true;
  for (CallInst *call : calls)
    lowerOpenCL(*call, call->getCalledFunction()->getName());
  function.addFnAttr(dimensionsAttribute, std::to_string(dimensions));
  return true;
}

//===----------------------------------------------------------------------===//
// HPVM's
//===----------------------------------------------------------------------===//

bool KernelCalls::checkQuery(const CallBase &call, StringRef name) {
  if (name == "getNode")
    return true;
  std::optional<unsigned> depth = handleDepth(*call.getArgOperand(0));
  if (name == "getParentNode" || depth != 0u)
    return refuse(call, "'" + function.getName() +
                            "' asks about another node than its own; a task "
                            "has no replicated parent");
  size_t dimension = StringRef("xyz").find(name.back());
  if (name.contains('.') && dimension >= dimensions)
    return refuse(call, "'" + function.getName() + "' asks for '" + name +
                            "', but its task has " + Twine(dimensions) +
                            (dimensions == 1 ? " dimension" : " dimensions"));
  return true;
}

bool KernelCalls::checkCall(const CallBase &call) {
  StringRef name = hpvmIntrinsicName(call);
  if (name.empty() || name.starts_with("atomic.") || name == "malloc" ||
      name.starts_with("assume."))
    return true;
  bool isQuery = name.starts_with("get");
  bool isFold = name.starts_with("reduce.") || name.starts_with("scan.");
  if (!isQuery && !isFold && name != "barrier")
    return refuse(call, "'" + function.getName() + "' calls '" + name +
                            "', which is for programs that run HPVM graphs; "
                            "make the graph a task of its own");
  if (dimensions == 0)
    return refuse(call, "'" + function.getName() + "' calls '" + name +
                            "', but its task is not replicated; give the "
                            "task extents");
  return !isQuery || checkQuery(call, name);
}

bool KernelCalls::checkBarriers() {
  for (const DivergentBarrier &found : findDivergentBarriers(function)) {
    task.emitError("some instances of '" + function.getName() +
                   "' may reach a barrier more often than others")
            .attachNote(locationOf(placeOf(*found.barrier), task.getContext()))
        << "the barrier is here";
    return false;
  }
  return true;
}

bool KernelCalls::run() {
  Attribute before = function.getFnAttribute(dimensionsAttribute);
  if (before.isValid() &&
      before.getValueAsString() != std::to_string(dimensions)) {
    task.emitError("'" + function.getName() + "' uses names of OpenCL, and ")
        << "other tasks replicate it in " << before.getValueAsString()
        << " dimensions, this one in " << dimensions;
    return false;
  }
  if (!before.isValid() && !lowerOpenCL())
    return false;
  bool hasCalls = any_of(instructions(function), [](Instruction &instruction) {
    return !hpvmIntrinsicName(instruction).empty();
  });
  if (!hasCalls && dimensions == 0)
    return true;
  // Otherwise, handles of nodes are in variables.
  codegen::promoteVariables(function);
  for (const Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (!checkCall(*call))
        return false;
  // The program's statements about its pointers are only for the race check.
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (hpvmIntrinsicName(instruction).starts_with("assume."))
      instruction.eraseFromParent();
  function.removeFnAttr(Attribute::NoInline);
  function.removeFnAttr(Attribute::OptimizeNone);
  function.addFnAttr(Attribute::AlwaysInline);
  return checkBarriers();
}

bool driver::prepareKernel(Function &function, dfg::TaskOp task) {
  return KernelCalls(function, task).run();
}
