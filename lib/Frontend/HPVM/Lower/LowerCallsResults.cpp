//===- LowerCallsResults.cpp - Lowering that needs all units --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outputs of an internal node have the types of the values bound to them,
// and its children may be defined in other files. So its result type is
// determined after linking, children first.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportProgram.h"
#include "LowerCallsPhases.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using hpvm::calledIntrinsic;
using hpvm::HPVMIntrinsic;
using hpvm::IntrinsicKind;

//===----------------------------------------------------------------------===//
// Results of internal nodes
//===----------------------------------------------------------------------===//

/// The node function of a handle, null if it is not known.
static Function *functionOfHandle(Value *handle) {
  auto *call = dyn_cast<CallBase>(handle->stripPointerCasts());
  const HPVMIntrinsic *intrinsic = call ? calledIntrinsic(*call) : nullptr;
  if (!intrinsic || intrinsic->kind != IntrinsicKind::CreateNode)
    return nullptr;
  return dyn_cast<Function>(
      call->getArgOperand(0)->stripPointerCastsAndAliases());
}

namespace {
class ResultTypes {
public:
  explicit ResultTypes(Module &module) : module(module) {}

  void run() {
    SmallVector<Function *> open;
    for (Function &function : module)
      if (function.hasFnAttribute(openResultsAttribute))
        open.push_back(&function);
    for (Function *function : open)
      types.try_emplace(function, nullptr);
    for (Function *function : open)
      resultOf(*function);
    for (Function *function : open)
      setResult(*function, types[function]);
  }

private:
  /// The children's types are found by recursion. A node that contains itself
  /// has no outputs; the rules reject it.
  StructType *resultOf(Function &function) {
    auto found = types.find(&function);
    if (found == types.end())
      return dyn_cast<StructType>(function.getReturnType());
    if (found->second)
      return found->second;
    found->second = StructType::get(module.getContext());
    StructType *type = boundResult(function);
    types[&function] = type;
    return type;
  }

  /// One field for every output up to the highest bound one; an unbound output
  /// is empty.
  StructType *boundResult(Function &function) {
    SmallVector<Type *> fields;
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      const HPVMIntrinsic *intrinsic = call ? calledIntrinsic(*call) : nullptr;
      if (!intrinsic || intrinsic->kind != IntrinsicKind::BindOutput)
        continue;
      Function *child = functionOfHandle(call->getArgOperand(0));
      auto *output = dyn_cast<ConstantInt>(call->getArgOperand(1));
      auto *field = dyn_cast<ConstantInt>(call->getArgOperand(2));
      if (!child || !output || !field || field->getZExtValue() >= maxFields)
        continue;
      StructType *childType = resultOf(*child);
      if (!childType || output->getZExtValue() >= childType->getNumElements())
        continue;
      uint64_t index = field->getZExtValue();
      while (fields.size() <= index)
        fields.push_back(StructType::get(module.getContext()));
      fields[index] = childType->getElementType(output->getZExtValue());
    }
    return StructType::get(module.getContext(), fields);
  }

  void setResult(Function &function, StructType *type) {
    Function *target = &function;
    if (type != function.getReturnType()) {
      target =
          replaceFunction(function, function.getFunctionType()->params(), type);
      for (auto [from, to] : zip(function.args(), target->args())) {
        to.takeName(&from);
        from.replaceAllUsesWith(&to);
      }
      for (unsigned i = 0; i != target->arg_size(); ++i)
        target->addParamAttrs(
            i, AttrBuilder(module.getContext(),
                           function.getAttributes().getParamAttrs(i)));
      target->splice(target->end(), &function);
      function.eraseFromParent();
    }
    for (BasicBlock &block : *target)
      if (auto *old = dyn_cast<ReturnInst>(block.getTerminator()))
        old->setOperand(0, UndefValue::get(type));
    target->removeFnAttr(openResultsAttribute);
  }

  static constexpr uint64_t maxFields = 4096;

  Module &module;
  DenseMap<Function *, StructType *> types;
};
} // namespace

//===----------------------------------------------------------------------===//
// OpenCL's names
//===----------------------------------------------------------------------===//

namespace {
/// The replication of a node at all places where it is created.
struct Replication {
  std::optional<unsigned> dimensions;
  bool isAmbiguous = false;
  SetVector<Function *> parents;

  void add(unsigned count, Function *parent) {
    isAmbiguous |= dimensions && *dimensions != count;
    dimensions = count;
    parents.insert(parent);
  }
};
} // namespace

static Replication replicationOf(Function &function) {
  Replication replication;
  for (User *user : function.users()) {
    auto *call = dyn_cast<CallBase>(user);
    const HPVMIntrinsic *intrinsic = call ? calledIntrinsic(*call) : nullptr;
    if (intrinsic && intrinsic->kind == IntrinsicKind::CreateNode)
      replication.add(intrinsic->dimension, call->getFunction());
  }
  return replication;
}

namespace {
/// Rewrites get_global_id and similar functions as queries of the leaf and its
/// parent.
class OpenCLNames {
public:
  OpenCLNames(Function &leaf, Diagnostics &diagnostics)
      : leaf(leaf), diagnostics(diagnostics) {
    Replication inner = replicationOf(leaf);
    isAmbiguous = inner.isAmbiguous;
    dimensions = inner.dimensions.value_or(0);
    std::optional<unsigned> outer;
    for (Function *parent : inner.parents) {
      Replication replication = replicationOf(*parent);
      unsigned count = replication.dimensions.value_or(0);
      isAmbiguous |= replication.isAmbiguous || (outer && *outer != count);
      outer = count;
    }
    groupDimensions = outer.value_or(0);
  }

  void lower(CallInst &call, StringRef name) {
    auto *dimension = call.arg_size() == 1
                          ? dyn_cast<ConstantInt>(call.getArgOperand(0))
                          : nullptr;
    if (!dimension || dimension->getZExtValue() > 2)
      return refuse(call, name, "needs a constant dimension from 0 to 2");
    if (isAmbiguous)
      return refuse(call, name,
                    "has no one meaning here: the node is created with "
                    "different numbers of dimensions");
    IRBuilder<> builder(&call);
    unsigned d = dimension->getZExtValue();
    Value *value = name == "get_local_id"     ? localId(builder, d)
                   : name == "get_local_size" ? localSize(builder, d)
                   : name == "get_group_id"   ? groupId(builder, d)
                                              : globalId(builder, d);
    value = builder.CreateIntCast(value, call.getType(), /*isSigned=*/true);
    call.replaceAllUsesWith(value);
    call.eraseFromParent();
  }

private:
  void refuse(CallInst &call, StringRef name, StringRef why) {
    diagnostics.error(placeOf(call), "'" + name.str() + "' " + why.str(),
                      "opencl-names");
  }

  Value *query(IRBuilder<> &builder, StringRef name, Type *type,
               ArrayRef<Value *> arguments) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    return builder.CreateCall(
        leaf.getParent()->getOrInsertFunction(
            ("llvm.hpvm." + name).str(),
            FunctionType::get(type, types, /*isVarArg=*/false)),
        arguments);
  }
  Value *node(IRBuilder<> &builder) {
    return query(builder, "getNode", builder.getPtrTy(), {});
  }
  Value *parent(IRBuilder<> &builder) {
    return query(builder, "getParentNode", builder.getPtrTy(), {node(builder)});
  }
  std::string inDimension(StringRef name, unsigned d) {
    return name.str() + "." + "xyz"[d];
  }

  Value *localId(IRBuilder<> &builder, unsigned d) {
    if (d >= dimensions)
      return builder.getInt64(0);
    return query(builder, inDimension("getNodeInstanceID", d),
                 builder.getInt64Ty(), {node(builder)});
  }
  Value *localSize(IRBuilder<> &builder, unsigned d) {
    if (d >= dimensions)
      return builder.getInt64(1);
    return query(builder, inDimension("getNumNodeInstances", d),
                 builder.getInt64Ty(), {node(builder)});
  }
  Value *groupId(IRBuilder<> &builder, unsigned d) {
    if (d >= groupDimensions)
      return builder.getInt64(0);
    return query(builder, inDimension("getNodeInstanceID", d),
                 builder.getInt64Ty(), {parent(builder)});
  }
  Value *globalId(IRBuilder<> &builder, unsigned d) {
    if (d >= groupDimensions)
      return localId(builder, d);
    return builder.CreateAdd(
        builder.CreateMul(groupId(builder, d), localSize(builder, d)),
        localId(builder, d));
  }

  Function &leaf;
  Diagnostics &diagnostics;
  unsigned dimensions = 0, groupDimensions = 0;
  bool isAmbiguous = false;
};
} // namespace

static void lowerOpenCLNames(Module &module, Diagnostics &diagnostics) {
  for (StringRef name :
       {"get_global_id", "get_group_id", "get_local_id", "get_local_size"}) {
    Function *declaration = module.getFunction(name);
    // A program may define its own functions with these names.
    if (!declaration || !declaration->isDeclaration())
      continue;
    SmallVector<User *> users(declaration->users());
    for (User *user : users)
      if (auto *call = dyn_cast<CallInst>(user))
        if (replicationOf(*call->getFunction()).dimensions)
          OpenCLNames(*call->getFunction(), diagnostics).lower(*call, name);
    if (declaration->use_empty())
      declaration->eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// True if a graph runs the function as a node.
static bool isUsedAsNode(const Function &function) {
  return any_of(function.users(), [](const User *user) {
    const auto *call = dyn_cast<CallBase>(user);
    const HPVMIntrinsic *intrinsic = call ? calledIntrinsic(*call) : nullptr;
    return intrinsic && (intrinsic->kind == IntrinsicKind::CreateNode ||
                         intrinsic->kind == IntrinsicKind::Launch);
  });
}

static void checkMissingHints(Module &module, Diagnostics &diagnostics) {
  for (Function &function : module) {
    if (!function.hasFnAttribute(noHintAttribute))
      continue;
    function.removeFnAttr(noHintAttribute);
    if (isUsedAsNode(function))
      diagnostics.error(placeOf(function),
                        "node function '" + hpvm::displayName(function) +
                            "' says nowhere what it runs on; call "
                            "'__hpvm__hint' in it",
                        "hint");
  }
}

/// Functions that several files define are listed once.
static void tidyHints(Module &module) {
  for (NamedMDNode &list : module.named_metadata()) {
    if (!list.getName().starts_with("hpvm_hint_"))
      continue;
    SetVector<MDNode *> nodes;
    for (MDNode *node : list.operands())
      if (node->getNumOperands() != 0 && node->getOperand(0))
        nodes.insert(node);
    list.clearOperands();
    for (MDNode *node : nodes)
      list.addOperand(node);
  }
}

void sluice::finishNodeFunctions(Module &module, Diagnostics &diagnostics) {
  bool hasOpenResults = any_of(module, [](const Function &function) {
    return function.hasFnAttribute(openResultsAttribute);
  });
  // Simplifies binds in loops and handles in variables first.
  if (hasOpenResults)
    hpvm::prepareModule(module);
  ResultTypes(module).run();
  lowerOpenCLNames(module, diagnostics);
  checkMissingHints(module, diagnostics);
  tidyHints(module);
}
