//===- HeteroEmit.cpp - Edges, and graphs as HPVM intrinsics --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node waits for the nodes before it in the program that
//   * give the value of a variable it takes: an edge carries the value;
//   * write a buffer it reads or writes, or read a buffer it writes: an edge
//     carries nothing of interest, but orders the two.
// Orders that follow from others get no edge.
//
//===----------------------------------------------------------------------===//

#include "HeteroGraph.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

namespace {
/// The nodes that used a buffer last.
struct LastUses {
  std::optional<unsigned> writer;
  SmallVector<unsigned> readers;
};
} // namespace

static void addValueEdges(HeteroGraph &graph, std::vector<BitVector> &before) {
  for (auto [number, node] : enumerate(graph.nodes))
    for (auto [index, port] : enumerate(node.ports)) {
      if (port.source->kind != Expr::Kind::Output)
        continue;
      unsigned source = port.source->index;
      unsigned output = graph.nodes[source].addOutput(port.source->variable);
      node.edges.push_back({source, output, unsigned(index)});
      before[number].set(source);
      before[number] |= before[source];
    }
}

static void addOrder(HeteroGraph &graph) {
  unsigned count = graph.nodes.size();
  // The nodes that are certain to have ended before a node starts.
  std::vector<BitVector> before(count, BitVector(count));
  addValueEdges(graph, before);
  DenseMap<unsigned, LastUses> buffers;
  for (unsigned number = 0; number != count; ++number) {
    HeteroNode &node = graph.nodes[number];
    for (const InEdge &edge : node.edges)
      before[number] |= before[edge.source];
    BitVector needed(count);
    for (auto [buffer, access] : node.buffers) {
      LastUses &last = buffers[buffer];
      if (last.writer)
        needed.set(*last.writer);
      if (access.writes) {
        for (unsigned reader : last.readers)
          needed.set(reader);
        last.readers.clear();
        last.writer = number;
      } else {
        last.readers.push_back(number);
      }
    }
    // The latest first: it may imply the others.
    for (int source = needed.find_last(); source >= 0;
         source = needed.find_prev(source)) {
      if (before[number].test(source))
        continue;
      unsigned output = graph.nodes[source].addOutput(nullptr);
      node.edges.push_back({unsigned(source), output, std::nullopt});
      before[number].set(source);
      before[number] |= before[source];
    }
  }
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

StringRef sluice::hetero::hintOfHetero(int64_t target) {
  switch (target) {
  case 1:
    return "hpvm_hint_cpu";
  case 2:
    return "hpvm_hint_gpu";
  case 3:
    return "hpvm_hint_cudnn";
  case 4:
    return "hpvm_hint_promise";
  case 5:
    return "hpvm_hint_cpu_gpu";
  case 6:
  case 101:
    return "hpvm_hint_cpu_spir";
  case 100:
    return "hpvm_hint_spir";
  case 102:
    return "hpvm_hint_promise";
  default:
    return {};
  }
}

void sluice::hetero::addHint(Function &function, StringRef hint) {
  if (hint.empty())
    return;
  Module &module = *function.getParent();
  module.getOrInsertNamedMetadata(hint)->addOperand(
      MDNode::get(module.getContext(), ValueAsMetadata::get(&function)));
}

void sluice::hetero::describeFunction(Function &function, StringRef name,
                                      const SourcePlace &place,
                                      DISubprogram *model) {
  if (!model)
    return;
  DISubprogram *subprogram = function.getSubprogram();
  if (!subprogram) {
    subprogram = MDNode::replaceWithDistinct(model->clone());
    // The variables of the model are its own.
    subprogram->replaceRetainedNodes(MDTuple::get(function.getContext(), {}));
    function.setSubprogram(subprogram);
  }
  LLVMContext &context = function.getContext();
  subprogram->replaceOperandWith(2, MDString::get(context, name));
  subprogram->replaceOperandWith(3, MDString::get(context, function.getName()));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
class GraphEmitter {
public:
  GraphEmitter(HeteroGraph &graph, ArrayRef<VariableOutput> outputs,
               unsigned numTokens, HeteroContext &context, Module &module)
      : graph(graph), outputs(outputs), numTokens(numTokens), context(context),
        module(module), builder(module.getContext()) {}

  Function *run();

private:
  struct OutputBind {
    unsigned node = 0, output = 0;
  };
  void addOutputs();
  Function *createFunction();
  void createNode(HeteroNode &node);
  Value *extentOf(const LoopExtent &extent);
  void bindInputs(HeteroNode &node, unsigned number);
  Value *call(StringRef name, Type *type, ArrayRef<Value *> arguments);

  HeteroGraph &graph;
  ArrayRef<VariableOutput> outputs;
  unsigned numTokens;
  HeteroContext &context;
  Module &module;
  IRBuilder<> builder;
  SmallVector<OutputBind> outputBinds;
  SmallVector<Value *> inputs, handles;
};
} // namespace

Value *GraphEmitter::call(StringRef name, Type *type,
                          ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  return builder.CreateCall(
      module.getOrInsertFunction(("llvm.hpvm." + name).str(),
                                 FunctionType::get(type, types, false)),
      arguments);
}

/// Outputs of a graph are those of its nodes.
void GraphEmitter::addOutputs() {
  for (const VariableOutput &output : outputs) {
    unsigned node = graph.nodes.size() - 1;
    Value *variable = nullptr;
    if (output.variable) {
      const Expr *held = graph.variables.lookup(output.variable);
      node = held->index;
      variable = held->variable;
    }
    outputBinds.push_back({node, graph.nodes[node].addOutput(variable)});
  }
}

Function *GraphEmitter::createFunction() {
  SmallVector<Type *> parameters, results;
  for (const Port &port : graph.ports)
    parameters.push_back(port.type);
  parameters.append(numTokens, builder.getInt8Ty());
  for (OutputBind bind : outputBinds)
    results.push_back(
        cast<StructType>(graph.nodes[bind.node].function->getReturnType())
            ->getElementType(bind.output));
  auto *type = FunctionType::get(StructType::get(module.getContext(), results),
                                 parameters, false);
  Function *function = module.getFunction(graph.symbol);
  if (function && function->isDeclaration() &&
      function->getFunctionType() == type)
    function->setLinkage(graph.linkage);
  else
    function = Function::Create(type, graph.linkage, graph.symbol, &module);
  for (auto [argument, port] : zip(function->args(), graph.ports)) {
    argument.setName(port.name);
    AttrBuilder attributes(module.getContext());
    if (port.type->isPointerTy()) {
      if (port.access.reads || !port.access.writes)
        attributes.addAttribute("hpvm.in");
      if (port.access.writes)
        attributes.addAttribute("hpvm.out");
      if (port.isRestrict)
        attributes.addAttribute(Attribute::NoAlias);
    }
    argument.addAttrs(attributes);
  }
  return function;
}

/// The number of turns: 0 where the first comparison fails, else the distance
/// divided by the step, rounded up.
Value *GraphEmitter::extentOf(const LoopExtent &extent) {
  Value *start = emit(extent.start, builder, inputs);
  Value *bound = emit(extent.bound, builder, inputs);
  Value *step = emit(extent.step, builder, inputs);
  Value *low = extent.isDown ? bound : start;
  Value *high = extent.isDown ? start : bound;
  Value *one = builder.getInt64(1), *zero = builder.getInt64(0);
  Value *distance = builder.CreateSub(high, low);
  if (!extent.isInclusive)
    distance = builder.CreateSub(distance, one);
  // distance / step + 1, where distance >= 0.
  Value *turns = builder.CreateAdd(builder.CreateUDiv(distance, step), one);
  CmpInst::Predicate runs =
      extent.isInclusive
          ? (extent.isUnsigned ? CmpInst::ICMP_ULE : CmpInst::ICMP_SLE)
          : (extent.isUnsigned ? CmpInst::ICMP_ULT : CmpInst::ICMP_SLT);
  return builder.CreateSelect(builder.CreateICmp(runs, low, high), turns, zero);
}

void GraphEmitter::createNode(HeteroNode &node) {
  static constexpr StringRef names[] = {"createNode", "createNode1D",
                                        "createNode2D", "createNode3D"};
  SmallVector<Value *> arguments = {node.function};
  for (const LoopExtent &extent : node.extents)
    arguments.push_back(extentOf(extent));
  handles.push_back(
      call(names[node.extents.size()], builder.getPtrTy(), arguments));
  if (node.orderedDims)
    call("ordered", builder.getVoidTy(),
         {handles.back(), builder.getInt32(node.orderedDims)});
}

void GraphEmitter::bindInputs(HeteroNode &node, unsigned number) {
  Value *no = builder.getFalse();
  for (auto [index, port] : enumerate(node.ports))
    if (port.source->kind == Expr::Kind::Input)
      call("bind.input", builder.getVoidTy(),
           {handles[number], builder.getInt32(port.source->index),
            builder.getInt32(index), no});
  unsigned token = node.ports.size();
  for (const InEdge &edge : node.edges)
    call("createEdge", builder.getPtrTy(),
         {handles[edge.source], handles[number], builder.getTrue(),
          builder.getInt32(edge.output),
          builder.getInt32(edge.port ? *edge.port : token++), no});
}

Function *GraphEmitter::run() {
  addOrder(graph);
  addOutputs();
  for (HeteroNode &node : graph.nodes) {
    unsigned tokens = count_if(
        node.edges, [](const InEdge &edge) { return !edge.port.has_value(); });
    if (node.graph)
      node.function = emitGraph(*node.graph, node.outputs, tokens, context);
    else if (!node.function)
      node.function = extractLeaf(node, graph, context);
    for (const Port &port : node.ports)
      if (port.source->kind == Expr::Kind::Input) {
        PortAccess &access = graph.ports[port.source->index].access;
        access.reads |= port.access.reads;
        access.writes |= port.access.writes;
      }
  }
  Function *function = createFunction();
  describeFunction(*function, graph.name, graph.place, graph.subprogram);
  addHint(*function, graph.hint);
  builder.SetInsertPoint(
      BasicBlock::Create(module.getContext(), "entry", function));
  for (Argument &argument : function->args())
    inputs.push_back(&argument);
  auto setPlace = [&](const SourcePlace &place) {
    if (DISubprogram *subprogram = function->getSubprogram())
      builder.SetCurrentDebugLocation(DILocation::get(
          module.getContext(), place.line, place.column, subprogram));
  };
  setPlace(graph.place);
  for (unsigned port : graph.temporaries)
    call("temporary", builder.getVoidTy(), {inputs[port]});
  for (HeteroNode &node : graph.nodes) {
    setPlace(node.place);
    createNode(node);
  }
  for (auto [number, node] : enumerate(graph.nodes)) {
    setPlace(node.place);
    bindInputs(node, number);
  }
  for (auto [index, bind] : enumerate(outputBinds))
    call("bind.output", builder.getVoidTy(),
         {handles[bind.node], builder.getInt32(bind.output),
          builder.getInt32(index), builder.getFalse()});
  builder.CreateRet(PoisonValue::get(function->getReturnType()));
  return function;
}

Function *sluice::hetero::emitGraph(HeteroGraph &graph,
                                    ArrayRef<VariableOutput> outputs,
                                    unsigned numTokens,
                                    HeteroContext &context) {
  return GraphEmitter(graph, outputs, numTokens, context, *context.unit.module)
      .run();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

CallInst *sluice::hetero::emitLaunch(IRBuilder<> &builder, Function &root,
                                     ArrayRef<Value *> arguments) {
  Function &host = *builder.GetInsertBlock()->getParent();
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  auto *type = StructType::get(host.getContext(), types, /*isPacked=*/true);
  IRBuilder<> entry(&host.getEntryBlock(), host.getEntryBlock().begin());
  AllocaInst *memory = entry.CreateAlloca(type, nullptr, "hetero.arguments");
  for (auto [index, argument] : enumerate(arguments))
    builder.CreateAlignedStore(
        argument, builder.CreateStructGEP(type, memory, index), Align(1));
  Type *pointer = builder.getPtrTy();
  return builder.CreateCall(
      host.getParent()->getOrInsertFunction(
          "llvm.hpvm.launch", pointer, pointer, pointer, builder.getInt1Ty()),
      {&root, memory, builder.getFalse()});
}

void sluice::hetero::emitWait(IRBuilder<> &builder, Value *handle) {
  builder.CreateCall(
      builder.GetInsertBlock()->getModule()->getOrInsertFunction(
          "llvm.hpvm.wait", builder.getVoidTy(), builder.getPtrTy()),
      {handle});
}
