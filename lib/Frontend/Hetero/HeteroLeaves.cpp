//===- HeteroLeaves.cpp - Turning regions into functions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf starts as a copy of the whole function, in which only its region is
// reachable: it starts with the variables' values at the region's start, and
// returns at the region's end.
//
//===----------------------------------------------------------------------===//

#include "HeteroGraph.h"
#include "sluice/Analysis/LargeValues.h"
#include "sluice/Analysis/Leaf/PassAnalyses.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

//===----------------------------------------------------------------------===//
// Extraction
//===----------------------------------------------------------------------===//

namespace {
class Extraction {
public:
  Extraction(HeteroNode &node, const HeteroGraph &graph)
      : node(node), original(*node.region.entry->getParent()),
        name(graph.name + "." + node.name) {}

  Function *run();

private:
  void createFunction();
  void copyBody();
  void writeStart();
  void writeDimensions(IRBuilder<> &builder, ArrayRef<Value *> inputs);
  void writeEnd();
  Value *copyOf(Value *variable) { return map.lookup(variable); }

  HeteroNode &node;
  Function &original;
  std::string name;
  Function *leaf = nullptr;
  ValueToValueMapTy map;
};
} // namespace

void Extraction::createFunction() {
  LLVMContext &llvm = original.getContext();
  SmallVector<Type *> inputs, outputs;
  for (const Port &port : node.ports)
    inputs.push_back(port.type);
  for (const InEdge &edge : node.edges)
    if (!edge.port)
      inputs.push_back(Type::getInt8Ty(llvm));
  for (const VariableOutput &output : node.outputs)
    outputs.push_back(output.variable ? node.results.lookup(output.variable)
                                      : Type::getInt8Ty(llvm));
  auto *type = FunctionType::get(StructType::get(llvm, outputs), inputs, false);
  leaf = Function::Create(type, GlobalValue::InternalLinkage, name,
                          original.getParent());
}

void Extraction::copyBody() {
  for (Argument &argument : original.args())
    map[&argument] = PoisonValue::get(argument.getType());
  SmallVector<ReturnInst *> returns;
  CloneFunctionInto(leaf, &original, map,
                    CloneFunctionChangeType::LocalChangesOnly, returns);
  AttributeList attributes = leaf->getAttributes();
  leaf->setAttributes(AttributeList::get(
      leaf->getContext(), attributes.getFnAttrs(), AttributeSet(), {}));
  for (Attribute::AttrKind kind :
       {Attribute::OptimizeNone, Attribute::NoInline, Attribute::NoReturn})
    leaf->removeFnAttr(kind);
  leaf->setLinkage(GlobalValue::InternalLinkage);
  leaf->setVisibility(GlobalValue::DefaultVisibility);
  leaf->setDSOLocal(true);
  leaf->setComdat(nullptr);
}

/// Writes the variables of parallel loops: start + id * step.
void Extraction::writeDimensions(IRBuilder<> &builder,
                                 ArrayRef<Value *> inputs) {
  if (node.dimensions.empty())
    return;
  Module &module = *leaf->getParent();
  Type *pointer = builder.getPtrTy(), *i64 = builder.getInt64Ty();
  Value *self = builder.CreateCall(
      module.getOrInsertFunction("llvm.hpvm.getNode", pointer));
  for (auto [index, dimension] : enumerate(node.dimensions)) {
    std::string query =
        std::string("llvm.hpvm.getNodeInstanceID.") + "xyz"[index];
    Value *id = builder.CreateCall(
        module.getOrInsertFunction(query, i64, pointer), {self});
    Value *offset =
        builder.CreateMul(id, emit(dimension.step, builder, inputs), "",
                          /*HasNUW=*/false, /*HasNSW=*/true);
    Value *start = emit(dimension.start, builder, inputs);
    Value *value = dimension.isDown ? builder.CreateNSWSub(start, offset)
                                    : builder.CreateNSWAdd(start, offset);
    // A variable with a sign does not wrap around.
    bool isCut = dimension.hasSign && dimension.type->isIntegerTy(32);
    value = isCut ? builder.CreateTrunc(value, dimension.type, "",
                                        /*IsNUW=*/false, /*IsNSW=*/true)
                  : builder.CreateIntCast(value, dimension.type, true);
    builder.CreateStore(value, copyOf(dimension.variable));
  }
}

void Extraction::writeStart() {
  BasicBlock *entry = BasicBlock::Create(leaf->getContext(), "entry", leaf,
                                         &leaf->getEntryBlock());
  SmallVector<AllocaInst *> variables;
  for (Instruction &instruction : instructions(*leaf))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction);
        variable && isa<ConstantInt>(variable->getArraySize()) &&
        !variable->isUsedWithInAlloca() &&
        variable->getParent() == entry->getNextNode())
      variables.push_back(variable);
  // Declarations of variables may be outside of the region.
  SmallVector<DbgVariableRecord *> declarations;
  for (AllocaInst *variable : variables) {
    variable->moveBefore(*entry, entry->end());
    append_range(declarations, findDVRDeclares(variable));
  }

  IRBuilder<> builder(entry);
  builder.SetCurrentDebugLocation(DebugLoc());
  SmallVector<Value *> inputs;
  for (auto [argument, port] : zip(leaf->args(), node.ports)) {
    argument.setName(port.name);
    inputs.push_back(&argument);
  }
  for (Argument &token : drop_begin(leaf->args(), node.ports.size()))
    token.setName("after");
  for (auto [variable, held] : node.memory) {
    Value *address = emit(held, builder, inputs);
    copyOf(variable)->replaceAllUsesWith(address);
    map[variable] = address;
  }
  for (auto [variable, held] : node.variables)
    if (!findUnknown(held))
      builder.CreateStore(emit(held, builder, inputs), copyOf(variable));
  writeDimensions(builder, inputs);
  Instruction *end =
      builder.CreateBr(cast<BasicBlock>(map.lookup(node.region.entry)));
  for (DbgVariableRecord *declaration : declarations) {
    declaration->removeFromParent();
    entry->insertDbgRecordBefore(declaration, end->getIterator());
  }
}

void Extraction::writeEnd() {
  auto *end = cast<BasicBlock>(map.lookup(node.region.exit));
  for (BasicBlock *next : successors(end))
    next->removePredecessor(end);
  while (!end->empty()) {
    Instruction &last = end->back();
    if (!last.use_empty())
      last.replaceAllUsesWith(PoisonValue::get(last.getType()));
    last.eraseFromParent();
  }
  IRBuilder<> builder(end);
  auto *type = cast<StructType>(leaf->getReturnType());
  Value *result = ConstantAggregateZero::get(type);
  for (auto [index, output] : enumerate(node.outputs))
    if (output.variable)
      result = builder.CreateInsertValue(
          result,
          builder.CreateLoad(type->getElementType(index),
                             copyOf(output.variable)),
          index);
  builder.CreateRet(result);
}

/// Promotes the memory through which variables passed.
static void promote(Function &function) {
  PassAnalyses analyses;
  {
    const HiddenLargeValues hidden(function);
    SROAPass(SROAOptions::PreserveCFG).run(function, analyses.functions);
  }
  readLargeParameters(function);
}

Function *Extraction::run() {
  createFunction();
  copyBody();
  writeStart();
  writeEnd();
  removeUnreachableBlocks(*leaf);
  for (Instruction &instruction : make_early_inc_range(instructions(*leaf))) {
    auto *call = dyn_cast<CallBase>(&instruction);
    bool isMarker = calledHetero(instruction) != HeteroFunction::None ||
                    (call && calledHPVM(*call) == "hint");
    if (!isMarker)
      continue;
    if (!instruction.use_empty())
      instruction.replaceAllUsesWith(
          Constant::getNullValue(instruction.getType()));
    instruction.eraseFromParent();
  }
  promote(*leaf);
  SmallVector<TruncInst *> counters;
  for (Instruction &instruction : instructions(*leaf))
    if (auto *cut = dyn_cast<TruncInst>(&instruction);
        cut && cut->hasNoSignedWrap())
      counters.push_back(cut);
  for (TruncInst *counter : counters)
    widenPlaces(*leaf, *counter);
  for (auto [argument, port] : zip(leaf->args(), node.ports)) {
    if (!port.type->isPointerTy())
      continue;
    AttrBuilder attributes(leaf->getContext());
    if (port.access.reads)
      attributes.addAttribute("hpvm.in");
    if (port.access.writes)
      attributes.addAttribute("hpvm.out");
    if (port.isRestrict)
      attributes.addAttribute(Attribute::NoAlias);
    argument.addAttrs(attributes);
  }
  SmallVector<std::string> names;
  for (const VariableOutput &output : node.outputs)
    names.push_back(output.variable ? nameOfVariable(*output.variable)
                                    : "done");
  if (!names.empty())
    leaf->addFnAttr("hpvm.outputs", join(names, ","));
  describeFunction(*leaf, node.name, node.place, leaf->getSubprogram());
  addHint(*leaf, node.hint);
  return leaf;
}

//===----------------------------------------------------------------------===//
// Lists and code agree
//===----------------------------------------------------------------------===//

static void checkWrites(const Function &leaf, const HeteroNode &node,
                        HeteroContext &context) {
  for (auto [argument, port] : zip(leaf.args(), node.ports)) {
    if (!port.type->isPointerTy() || port.access.writes)
      continue;
    if (const Instruction *write = findWrite(argument))
      context.error(*write,
                    "buffer '" + port.name + "' is written in '" + node.name +
                        "', which does not list it as an output; list it, so "
                        "that other nodes wait",
                    "hetero-list");
  }
}

Function *sluice::hetero::extractLeaf(HeteroNode &node,
                                      const HeteroGraph &graph,
                                      HeteroContext &context) {
  Function *leaf = Extraction(node, graph).run();
  checkWrites(*leaf, node, context);
  return leaf;
}
