//===- LowerCallsNodes.cpp - Node functions in canonical form -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node function `F(split and merged parameters)` and its adapter
// `void(ptr...)` become one function `{outputs} F(port...)`:
//
//   entry:  %a.port = alloca float        ; one for every port
//           store float %a, ptr %a.port
//           <adapter: loads, and what the ABI asks for>
//           <body of F, its parameters replaced by the adapter's arguments>
//
// and each `__hpvm__return` writes the outputs, which `ret` reads.
//
//===----------------------------------------------------------------------===//

#include "LowerCallsPhases.h"
#include "sluice/Analysis/LargeValues.h"
#include "sluice/Analysis/Leaf/PassAnalyses.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;

//===----------------------------------------------------------------------===//
// Functions of another type
//===----------------------------------------------------------------------===//

Function *sluice::replaceFunction(Function &function,
                                  ArrayRef<Type *> parameters,
                                  StructType *result) {
  auto *type = FunctionType::get(result, parameters, /*isVarArg=*/false);
  Function *replacement =
      Function::Create(type, function.getLinkage(), function.getAddressSpace());
  function.getParent()->getFunctionList().insert(function.getIterator(),
                                                 replacement);
  replacement->copyAttributesFrom(&function);
  replacement->setComdat(function.getComdat());
  // Attributes of parameters and result describe the ABI.
  AttributeList attributes = function.getAttributes();
  replacement->setAttributes(AttributeList::get(
      function.getContext(), attributes.getFnAttrs(), AttributeSet(), {}));
  replacement->takeName(&function);
  replacement->setSubprogram(function.getSubprogram());
  function.setSubprogram(nullptr);
  function.replaceAllUsesWith(replacement);
  return replacement;
}

//===----------------------------------------------------------------------===//
// One node function
//===----------------------------------------------------------------------===//

namespace {
class NodeLowering {
public:
  NodeLowering(const NodeRecord &node, Function &source, Function *adapter,
               const CompiledUnit &unit, Diagnostics &diagnostics)
      : node(node), source(source), adapter(adapter), unit(unit),
        diagnostics(diagnostics) {}

  /// Replaces `source` and `adapter` by the canonical function.
  Function &run();

private:
  void findCalls();
  void agreeOnOutputs();
  void checkPaths();
  Function *createCanonical();
  void moveBody(Function &canonical);
  void mergeBodies(Function &canonical);
  void describePorts(Function &canonical);
  void writeOutputs(Function &canonical);
  void addHint(Function &canonical);

  const NodeRecord &node;
  Function &source;
  /// If null, the parameters are the ports.
  Function *adapter;
  const CompiledUnit &unit;
  Diagnostics &diagnostics;

  SmallVector<CallBase *> returns;
  /// A call that only internal nodes may contain.
  CallBase *graphCall = nullptr;
  /// The record with the node's outputs; null if there is none.
  const CallRecord *outputs = nullptr;
};
} // namespace

/// HPVM-C functions throw nothing.
static void turnInvokesIntoCalls(Function &function) {
  SmallVector<InvokeInst *> invokes;
  for (BasicBlock &block : function)
    if (auto *invoke = dyn_cast<InvokeInst>(block.getTerminator()))
      if (!calledHPVM(*invoke).empty())
        invokes.push_back(invoke);
  for (InvokeInst *invoke : invokes)
    changeToCall(invoke);
}

void NodeLowering::findCalls() {
  turnInvokesIntoCalls(source);
  for (Instruction &instruction : instructions(source)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      continue;
    StringRef name = calledHPVM(*call);
    if (name == "return" && recordOf(*call, unit))
      returns.push_back(call);
    if (StringSwitch<bool>(name)
            .Cases({"createNodeND", "edge", "bindIn", "bindOut"}, true)
            .Default(false))
      graphCall = call;
  }
}

/// "{float, short}", with the types as spelled in the source.
static std::string spellOutputs(const CallRecord &record) {
  std::string text = "{";
  for (const PortRecord &port : record.outputs)
    text += (text.size() > 1 ? ", " : "") + port.spelling;
  return text + "}";
}

static bool haveSameTypes(const CallRecord &a, const CallRecord &b) {
  return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(),
                    b.outputs.end(),
                    [](const PortRecord &a, const PortRecord &b) {
                      return a.type == b.type;
                    });
}

void NodeLowering::agreeOnOutputs() {
  if (returns.empty())
    return;
  outputs = recordOf(*returns.front(), unit);
  if (graphCall) {
    diagnostics
        .error(outputs->place,
               "internal node '" + node.name +
                   "' has no values to return; bind a child's output with "
                   "'__hpvm__bindOut'",
               "outputs")
        .note(placeOf(*graphCall), "the node describes a graph here");
    outputs = nullptr;
    return;
  }
  for (CallBase *call : returns) {
    const CallRecord *other = recordOf(*call, unit);
    if (!haveSameTypes(*outputs, *other))
      diagnostics
          .error(other->place,
                 "node '" + node.name + "' returns " + spellOutputs(*other) +
                     " here, but " + spellOutputs(*outputs) + " elsewhere",
                 "outputs")
          .note(outputs->place, "the other outputs are returned here");
  }
}

//===----------------------------------------------------------------------===//
// Every path returns once
//===----------------------------------------------------------------------===//

namespace {
/// The state of a path at some point: whether the outputs were set, and the
/// number in clang's variable for the destination. Clang uses this variable
/// after leaving scopes with cleanups (such as the end of a local variable's
/// lifetime), since all paths share the code of cleanups.
struct WayState {
  bool hasReturned = false;
  std::optional<int64_t> destination;
  bool operator==(const WayState &) const = default;
};
} // namespace

/// Clang's variable for the destination after cleanups, if the function has
/// one.
static AllocaInst *findDestination(Function &function) {
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      if (alloca->getName().starts_with("cleanup.dest.slot") &&
          all_of(alloca->users(), [&](const User *user) {
            const auto *store = dyn_cast<StoreInst>(user);
            return isa<LoadInst>(user) ||
                   (store && store->getPointerOperand() == alloca);
          }))
        return alloca;
  return nullptr;
}

/// The blocks that a path with `state` can go to from the end of `block`.
static SmallVector<BasicBlock *> nextBlocks(BasicBlock *block,
                                            const WayState &state,
                                            const AllocaInst *destination) {
  auto *choice = dyn_cast<SwitchInst>(block->getTerminator());
  auto *load = choice ? dyn_cast<LoadInst>(choice->getCondition()) : nullptr;
  if (!load || !destination || load->getPointerOperand() != destination ||
      load->getParent() != block || !state.destination)
    return SmallVector<BasicBlock *>(successors(block));
  auto *type = cast<IntegerType>(choice->getCondition()->getType());
  auto found = choice->findCaseValue(ConstantInt::get(
      type, *state.destination, /*IsSigned=*/true, /*ImplicitTrunc=*/true));
  return {found->getCaseSuccessor()};
}

void NodeLowering::checkPaths() {
  if (!outputs)
    return;
  const AllocaInst *destination = findDestination(source);
  DenseMap<BasicBlock *, SmallVector<WayState, 2>> before;
  SmallVector<std::pair<BasicBlock *, WayState>> work;
  auto reach = [&](BasicBlock *block, const WayState &state) {
    if (is_contained(before[block], state))
      return;
    before[block].push_back(state);
    work.push_back({block, state});
  };
  reach(&source.getEntryBlock(), WayState());
  SmallPtrSet<CallBase *, 8> isReturn(returns.begin(), returns.end());
  SetVector<CallBase *> second;
  const ReturnInst *incomplete = nullptr;
  while (!work.empty()) {
    auto [block, state] = work.pop_back_val();
    for (Instruction &instruction : *block) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (call && isReturn.contains(call)) {
        if (state.hasReturned)
          second.insert(call);
        state.hasReturned = true;
      }
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (store && destination && store->getPointerOperand() == destination) {
        auto *number = dyn_cast<ConstantInt>(store->getValueOperand());
        state.destination.reset();
        if (number)
          state.destination = number->getSExtValue();
      }
      if (isa<ReturnInst>(instruction) && !state.hasReturned)
        incomplete = cast<ReturnInst>(&instruction);
    }
    for (BasicBlock *next : nextBlocks(block, state, destination))
      reach(next, state);
  }
  for (CallBase *call : second)
    diagnostics.error(recordOf(*call, unit)->place,
                      "node '" + node.name +
                          "' can get here after it has given its outputs; "
                          "leave the function after '__hpvm__return'",
                      "outputs");
  if (incomplete)
    diagnostics
        .error(placeOf(*incomplete),
               "node '" + node.name +
                   "' can end here without giving its outputs; call "
                   "'__hpvm__return' on every path",
               "outputs")
        .note(outputs->place, "elsewhere they are given");
}

//===----------------------------------------------------------------------===//
// The canonical function
//===----------------------------------------------------------------------===//

Function *NodeLowering::createCanonical() {
  SmallVector<Type *> parameters, results;
  for (const PortRecord &port : node.parameters)
    parameters.push_back(port.type);
  if (outputs)
    for (const PortRecord &port : outputs->outputs)
      results.push_back(port.type);
  Function *canonical = replaceFunction(
      source, parameters, StructType::get(source.getContext(), results));
  if (canonical->hasAvailableExternallyLinkage())
    canonical->setLinkage(GlobalValue::LinkOnceODRLinkage);
  canonical->setCallingConv(CallingConv::C);
  canonical->removeFnAttr(Attribute::OptimizeNone);
  canonical->removeFnAttr(Attribute::NoInline);
  if (graphCall)
    canonical->addFnAttr(openResultsAttribute);
  return canonical;
}

void NodeLowering::describePorts(Function &canonical) {
  for (auto [port, argument] : zip(node.parameters, canonical.args())) {
    Value *local = canonical.getValueSymbolTable()->lookup(port.name);
    if (local && local != &argument)
      local->setName(port.name + ".local");
    argument.setName(port.name);
    AttrBuilder attributes(canonical.getContext());
    if (port.isInput)
      attributes.addAttribute("hpvm.in");
    if (port.isOutput)
      attributes.addAttribute("hpvm.out");
    if (port.isRestrict && port.type->isPointerTy())
      attributes.addAttribute(Attribute::NoAlias);
    argument.addAttrs(attributes);
  }
  if (!outputs || none_of(outputs->outputs, [](const PortRecord &port) {
        return !port.name.empty();
      }))
    return;
  SmallVector<StringRef> names;
  for (const PortRecord &port : outputs->outputs)
    names.push_back(port.name);
  canonical.addFnAttr("hpvm.outputs", join(names, ","));
}

void NodeLowering::moveBody(Function &canonical) {
  for (auto [from, to] : zip(source.args(), canonical.args())) {
    to.takeName(&from);
    from.replaceAllUsesWith(&to);
  }
  canonical.splice(canonical.end(), &source);
  source.eraseFromParent();
}

void NodeLowering::mergeBodies(Function &canonical) {
  BasicBlock *entry =
      BasicBlock::Create(canonical.getContext(), "entry", &canonical);
  IRBuilder<> builder(entry);
  SmallVector<AllocaInst *> ports;
  for (auto [port, argument] : zip(node.parameters, canonical.args())) {
    AllocaInst *memory =
        builder.CreateAlloca(port.type, nullptr, Twine(port.name) + ".port");
    memory->setAlignment(std::max(port.alignment, memory->getAlign()));
    ports.push_back(memory);
  }
  for (auto [port, argument] : zip(ports, canonical.args()))
    builder.CreateAlignedStore(&argument, port, port->getAlign());

  // The adapter up to its call of the node function.
  for (auto [parameter, port] : zip(adapter->args(), ports))
    parameter.replaceAllUsesWith(port);
  BasicBlock &outer = adapter->getEntryBlock();
  auto isCall = [&](Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->getCalledOperand() == &canonical;
  };
  auto call = find_if(outer, isCall);
  assert(call != outer.end() && "an adapter calls its node function");
  entry->splice(entry->end(), &outer, outer.begin(), call);
  for (auto [parameter, argument] :
       zip(source.args(), cast<CallBase>(*call).args()))
    parameter.replaceAllUsesWith(argument);

  // The body. Its entry block is merged into the new entry block, so that its
  // allocas stay where passes expect them.
  BasicBlock *inner = &source.getEntryBlock();
  entry->splice(entry->end(), inner);
  entry->replaceSuccessorsPhiUsesWith(inner, entry);
  inner->replaceAllUsesWith(entry);
  canonical.splice(canonical.end(), &source);
  inner->eraseFromParent();
  adapter->eraseFromParent();
  source.eraseFromParent();
}

void NodeLowering::writeOutputs(Function &canonical) {
  auto *type = cast<StructType>(canonical.getReturnType());
  BasicBlock &entry = canonical.getEntryBlock();
  IRBuilder<> builder(&entry, entry.begin());
  // Each output has its own memory, since large ones stay in memory.
  SmallVector<AllocaInst *> memory;
  for (Type *output : type->elements()) {
    memory.push_back(builder.CreateAlloca(output, nullptr, "outputs"));
    builder.CreateStore(Constant::getNullValue(output), memory.back());
  }
  for (CallBase *call : returns) {
    const CallRecord *record = recordOf(*call, unit);
    builder.SetInsertPoint(call);
    for (auto [index, port] : enumerate(record->outputs)) {
      if (index + 1 >= call->arg_size() || index >= type->getNumElements() ||
          type->getElementType(index) != port.type)
        break;
      Value *value = call->getArgOperand(index + 1);
      if (!record->passesValues)
        value = builder.CreateAlignedLoad(port.type, value, port.alignment,
                                          port.name);
      builder.CreateStore(value, memory[index]);
    }
    call->eraseFromParent();
  }
  for (BasicBlock &block : canonical) {
    auto *old = dyn_cast<ReturnInst>(block.getTerminator());
    if (!old)
      continue;
    builder.SetInsertPoint(old);
    Value *results = memory.empty()
                         ? cast<Constant>(ConstantAggregateZero::get(type))
                         : PoisonValue::get(type);
    for (auto [index, output] : enumerate(memory))
      results = builder.CreateInsertValue(
          results, builder.CreateLoad(output->getAllocatedType(), output),
          index);
    builder.CreateRet(results);
    old->eraseFromParent();
  }
}

void NodeLowering::addHint(Function &canonical) {
  if (node.hint.empty()) {
    // Files for HPVM's own compiler have no adapter.
    if (!node.adapter.empty())
      canonical.addFnAttr(noHintAttribute);
    return;
  }
  Module &module = *canonical.getParent();
  module.getOrInsertNamedMetadata(node.hint)->addOperand(
      MDNode::get(module.getContext(), ValueAsMetadata::get(&canonical)));
}

Function &NodeLowering::run() {
  findCalls();
  agreeOnOutputs();
  checkPaths();
  Function *canonical = createCanonical();
  if (adapter)
    mergeBodies(*canonical);
  else
    moveBody(*canonical);
  describePorts(*canonical);
  writeOutputs(*canonical);
  addHint(*canonical);
  return *canonical;
}

//===----------------------------------------------------------------------===//
// Registers instead of memory
//===----------------------------------------------------------------------===//

/// Promotes the memory through which ports and outputs passed.
static void promote(Function &function, PassAnalyses &analyses) {
  {
    const HiddenLargeValues hidden(function);
    SROAPass(SROAOptions::PreserveCFG).run(function, analyses.functions);
  }
  readLargeParameters(function);
  analyses.functions.clear();
}

//===----------------------------------------------------------------------===//
// All node functions of a unit
//===----------------------------------------------------------------------===//

/// True if something besides its adapter calls the function.
static bool isCalledDirectly(const Function &function,
                             const Function *adapter) {
  return any_of(function.uses(), [&](const Use &use) {
    const auto *call = dyn_cast<CallBase>(use.getUser());
    return call && call->isCallee(&use) && call->getFunction() != adapter;
  });
}

void sluice::lowerNodeFunctions(CompiledUnit &unit, Diagnostics &diagnostics) {
  PassAnalyses analyses;
  for (const NodeRecord &node : unit.nodes) {
    Function *source = unit.module->getFunction(node.symbol);
    Function *adapter =
        node.adapter.empty() ? nullptr : unit.module->getFunction(node.adapter);
    // An auxiliary function or host code keeps its form; the rules report its
    // invalid calls.
    if (!source || source->isDeclaration() ||
        (!node.isCertain && isCalledDirectly(*source, adapter))) {
      if (adapter)
        adapter->eraseFromParent();
      continue;
    }
    NodeLowering lowering(node, *source, adapter, unit, diagnostics);
    promote(lowering.run(), analyses);
  }
}
