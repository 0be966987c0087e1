//===- ImportDiscover.cpp - From calls to the importer's model ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the functions that are nodes, and reads the calls in internal nodes.
// Only checks the conditions for reading a call: handles, functions, ports and
// flags must be known at compile time.
//
//===----------------------------------------------------------------------===//

#include "ImportProgram.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

namespace {
class Discovery {
public:
  explicit Discovery(CanonicalProgram &program)
      : program(program), diagnostics(program.diagnostics) {}

  void run() {
    collectCallers();
    readLaunches();
    for (Function *function : describers)
      getOrCreate(*function).isInternal = true;
    // Reading a graph may add functions.
    for (size_t i = 0; i != program.functions.size(); ++i)
      if (program.functions[i]->isInternal)
        readGraph(*program.functions[i]);
    for (Function *function : callers)
      if (!program.lookUp(function))
        program.otherFunctions.push_back(function);
  }

private:
  void collectCallers();
  void readLaunches();
  NodeFunction &getOrCreate(Function &function);

  void readGraph(NodeFunction &graph);
  void readNode(NodeFunction &graph, CallBase &call, unsigned dimensions);
  void readEdge(NodeFunction &graph, CallBase &call);
  void readInputBind(NodeFunction &graph, CallBase &call);
  void readOrder(NodeFunction &graph, CallBase &call);
  void readTemporary(NodeFunction &graph, CallBase &call);
  void readOutputBind(NodeFunction &graph, CallBase &call);
  void nameChildren(NodeFunction &graph);

  /// The operand as a constant; reports [H13] if it is not constant.
  std::optional<uint64_t> readConstant(NodeFunction &graph, CallBase &call,
                                       unsigned operand, StringRef what);
  /// The child of a handle; reports [H02] or [H13] if there is none.
  std::optional<unsigned> readHandle(NodeFunction &graph, CallBase &call,
                                     unsigned operand);

  CanonicalProgram &program;
  Diagnostics &diagnostics;
  SetVector<Function *> callers;
  SetVector<Function *> describers;
  DenseMap<const Value *, unsigned> children;
};
} // namespace

void Discovery::collectCallers() {
  for (Function &function : program.module)
    for (CallBase *call : intrinsicCalls(function)) {
      callers.insert(&function);
      if (calledIntrinsic(*call)->place == IntrinsicPlace::Internal)
        describers.insert(&function);
    }
}

NodeFunction &Discovery::getOrCreate(Function &function) {
  NodeFunction *&entry = program.byFunction[&function];
  if (!entry) {
    program.functions.push_back(std::make_unique<NodeFunction>());
    entry = program.functions.back().get();
    entry->function = &function;
    entry->isInternal = describers.contains(&function);
  }
  return *entry;
}

void Discovery::readLaunches() {
  for (Function *function : callers)
    for (CallBase *call : intrinsicCalls(*function)) {
      if (calledIntrinsic(*call)->kind != IntrinsicKind::Launch)
        continue;
      Value *rootValue = lookThrough(call->getArgOperand(0));
      auto *root = dyn_cast<Function>(rootValue);
      auto *mode = dyn_cast<ConstantInt>(call->getArgOperand(2));
      if (!root)
        diagnostics.error(
            placeOf(*call),
            "the root that is launched here is " + describeValue(rootValue) +
                ", but it must be known at compile time; name the root node "
                "function in the call, and use one launch for each root",
            "H40");
      if (!mode)
        diagnostics.error(placeOf(*call),
                          "whether this launch is streaming must be known at "
                          "compile time; use one launch for each mode",
                          "H40");
      if (!root || !mode)
        continue;
      NodeFunction &node = getOrCreate(*root);
      node.isInternal = true;
      node.isLaunched = true;
      program.launches.push_back({call, &node, mode->isOne()});
    }
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void Discovery::readGraph(NodeFunction &graph) {
  children.clear();
  SmallVector<CallBase *> calls = intrinsicCalls(*graph.function);
  for (CallBase *call : calls) {
    const HPVMIntrinsic *intrinsic = calledIntrinsic(*call);
    if (intrinsic->kind == IntrinsicKind::CreateNode)
      readNode(graph, *call, intrinsic->dimension);
  }
  nameChildren(graph);
  for (CallBase *call : calls) {
    IntrinsicKind kind = calledIntrinsic(*call)->kind;
    if (kind == IntrinsicKind::CreateEdge)
      readEdge(graph, *call);
    else if (kind == IntrinsicKind::Ordered)
      readOrder(graph, *call);
    else if (kind == IntrinsicKind::Temporary)
      readTemporary(graph, *call);
    else if (kind == IntrinsicKind::BindInput)
      readInputBind(graph, *call);
    else if (kind == IntrinsicKind::BindOutput)
      readOutputBind(graph, *call);
  }
}

void Discovery::readNode(NodeFunction &graph, CallBase &call,
                         unsigned dimensions) {
  Value *operand = lookThrough(call.getArgOperand(0));
  auto *function = dyn_cast<Function>(operand);
  if (!function) {
    diagnostics.error(placeOf(call),
                      "the function of this node is " + describeValue(operand) +
                          ", but the structure of a graph must be known at "
                          "compile time; name the node function in the call",
                      "H13");
    graph.isIncomplete = true;
    return;
  }
  ChildNode child;
  child.call = &call;
  child.callee = &getOrCreate(*function);
  for (unsigned i = 0; i != dimensions; ++i)
    child.extents.push_back(call.getArgOperand(1 + i));
  unsigned index = graph.children.size();
  children[&call] = index;
  child.callee->uses.push_back({&graph, index});
  graph.children.push_back(std::move(child));
}

void Discovery::nameChildren(NodeFunction &graph) {
  DenseMap<NodeFunction *, unsigned> count, number;
  for (ChildNode &child : graph.children)
    ++count[child.callee];
  for (ChildNode &child : graph.children) {
    child.name = child.callee->name();
    if (count[child.callee] == 1)
      continue;
    std::string variable = variableName(child.call);
    child.name += variable.empty()
                      ? "." + std::to_string(++number[child.callee])
                      : "." + variable;
  }
}

std::optional<uint64_t> Discovery::readConstant(NodeFunction &graph,
                                                CallBase &call,
                                                unsigned operand,
                                                StringRef what) {
  Value *value = call.getArgOperand(operand);
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return constant->getZExtValue();
  diagnostics.error(placeOf(call),
                    (what + " is " + describeValue(value) +
                     ", but the structure of a graph must be known at compile "
                     "time; write a constant")
                        .str(),
                    "H13");
  graph.isIncomplete = true;
  return std::nullopt;
}

std::optional<unsigned>
Discovery::readHandle(NodeFunction &graph, CallBase &call, unsigned operand) {
  Value *handle = lookThrough(call.getArgOperand(operand));
  if (auto it = children.find(handle); it != children.end())
    return it->second;
  graph.isIncomplete = true;
  auto *source = dyn_cast<CallBase>(handle);
  const HPVMIntrinsic *intrinsic = source ? calledIntrinsic(*source) : nullptr;
  // A node with an unknown function was reported where it is created.
  if (intrinsic && intrinsic->kind == IntrinsicKind::CreateNode)
    return std::nullopt;
  std::string name = quoted(displayName(*graph.function));
  if (intrinsic && intrinsic->kind == IntrinsicKind::CreateEdge) {
    diagnostics
        .error(placeOf(call),
               "a node's handle is expected, but this is the handle of an "
               "edge; pass what 'createNode' returned",
               "H02")
        .note(placeOf(*source), "the edge is created here");
    return std::nullopt;
  }
  if (isa<SelectInst, PHINode>(handle)) {
    diagnostics.error(placeOf(call),
                      "which node this handle names depends on a condition, "
                      "but the structure of a graph must be known at compile "
                      "time; name the node directly",
                      "H13");
    return std::nullopt;
  }
  diagnostics.error(
      placeOf(call),
      "the handle is " + describeValue(handle) +
          ", but edges and binds join only nodes that the same internal node "
          "creates; use a handle that 'createNode' returned in " +
          name,
      "H02");
  return std::nullopt;
}

void Discovery::readEdge(NodeFunction &graph, CallBase &call) {
  auto source = readHandle(graph, call, 0);
  auto sink = readHandle(graph, call, 1);
  auto replication = readConstant(graph, call, 2, "the replication type");
  auto output = readConstant(graph, call, 3, "the output port");
  auto input = readConstant(graph, call, 4, "the input port");
  auto stream = readConstant(graph, call, 5, "the stream flag");
  if (source && sink && replication && output && input && stream)
    graph.edges.push_back(
        {&call, *source, *sink, static_cast<unsigned>(*output),
         static_cast<unsigned>(*input), *replication == 0, *stream != 0});
}

void Discovery::readInputBind(NodeFunction &graph, CallBase &call) {
  auto child = readHandle(graph, call, 0);
  auto outer = readConstant(graph, call, 1, "the parent's input port");
  auto inner = readConstant(graph, call, 2, "the child's input port");
  auto stream = readConstant(graph, call, 3, "the stream flag");
  if (child && outer && inner && stream)
    graph.inputBinds.push_back({&call, *child, static_cast<unsigned>(*outer),
                                static_cast<unsigned>(*inner), *stream != 0});
}

void Discovery::readOrder(NodeFunction &graph, CallBase &call) {
  auto child = readHandle(graph, call, 0);
  auto dims = readConstant(graph, call, 1, "the set of ordered dimensions");
  if (!child || !dims)
    return;
  ChildNode &node = graph.children[*child];
  if (node.order)
    diagnostics
        .error(placeOf(call),
               "node " + quoted(node.name) +
                   " has ordered dimensions already; name all of them in one "
                   "call of 'sluice_ordered'",
               "ordered")
        .note(placeOf(*node.order), "they are named here");
  else if (*dims == 0 || *dims >> node.extents.size() != 0)
    diagnostics.error(
        placeOf(call),
        "the set of ordered dimensions is " + std::to_string(*dims) +
            ", but node " + quoted(node.name) + " has " +
            std::to_string(node.extents.size()) +
            (node.extents.size() == 1 ? " dimension" : " dimensions") +
            "; use SLUICE_X, SLUICE_Y and SLUICE_Z for those it has",
        "ordered");
  node.order = &call;
  node.orderedDims = static_cast<unsigned>(*dims);
}

void Discovery::readTemporary(NodeFunction &graph, CallBase &call) {
  Value *memory = lookThrough(call.getArgOperand(0));
  auto *argument = dyn_cast<Argument>(memory);
  if (!argument) {
    diagnostics.error(placeOf(call),
                      "what is temporary is " + describeValue(memory) +
                          ", but it must be a pointer that " +
                          quoted(graph.name()) +
                          " takes; name that in the call",
                      "temporary");
    return;
  }
  graph.temporaries.insert(argument->getArgNo());
}

void Discovery::readOutputBind(NodeFunction &graph, CallBase &call) {
  auto child = readHandle(graph, call, 0);
  auto inner = readConstant(graph, call, 1, "the child's output port");
  auto outer = readConstant(graph, call, 2, "the parent's output port");
  auto stream = readConstant(graph, call, 3, "the stream flag");
  if (child && outer && inner && stream)
    graph.outputBinds.push_back({&call, *child, static_cast<unsigned>(*inner),
                                 static_cast<unsigned>(*outer), *stream != 0});
}

void sluice::hpvm::discoverProgram(CanonicalProgram &program) {
  Discovery(program).run();
}
