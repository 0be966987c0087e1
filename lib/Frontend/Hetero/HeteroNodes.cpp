//===- HeteroNodes.cpp - Tasks and their ports ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node takes the inputs of the graph and the outputs of other nodes that its
// variables depend on, each once.
//
//===----------------------------------------------------------------------===//

#include "HeteroWalk.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

static std::string quote(const Twine &name) { return ("'" + name + "'").str(); }

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

/// The port of a node for an input or output of the graph; the size of a buffer
/// follows its pointer.
unsigned Walker::portFor(HeteroNode &node, const Expr *source, StringRef name) {
  for (auto [index, port] : enumerate(node.ports))
    if (port.source->kind == source->kind &&
        port.source->index == source->index &&
        port.source->variable == source->variable)
      return index;
  auto add = [&](const Expr *from, std::string portName, bool isRestrict) {
    node.ports.push_back({.type = from->type,
                          .name = std::move(portName),
                          .isRestrict = isRestrict,
                          .source = from});
    return node.ports.size() - 1;
  };
  if (source->kind == Expr::Kind::Output)
    return add(source, name.str(), false);
  const Port &port = graph.ports[source->index];
  unsigned result = add(source, port.name, port.isRestrict);
  if (port.type->isPointerTy())
    add(context.expressions.input(source->index + 1,
                                  graph.ports[source->index + 1].type),
        graph.ports[source->index + 1].name, false);
  return result;
}

const Expr *
Walker::replaceLeaves(const Expr *expr,
                      function_ref<const Expr *(const Expr *)> replacement) {
  DenseMap<const Expr *, const Expr *> replaced;
  auto replace = [&](const auto &self, const Expr *part) -> const Expr * {
    if (part->kind == Expr::Kind::Input || part->kind == Expr::Kind::Output)
      return replacement(part);
    if (part->operands.empty())
      return part;
    if (const Expr *known = replaced.lookup(part))
      return known;
    Expr copy = *part;
    for (const Expr *&operand : copy.operands)
      operand = self(self, operand);
    const Expr *result = context.expressions.add(std::move(copy));
    replaced[part] = result;
    return result;
  };
  return replace(replace, expr);
}

/// An expression of the graph from the node's perspective.
const Expr *Walker::inNode(HeteroNode &node, const Expr *expr) {
  return replaceLeaves(expr, [&](const Expr *leaf) {
    std::string name = leaf->variable ? nameOfVariable(*leaf->variable) : "";
    return context.expressions.input(portFor(node, leaf, name), leaf->type);
  });
}

/// The reverse, for values that a nested graph leaves behind.
const Expr *Walker::inGraph(const HeteroNode &node, const Expr *expr) {
  return replaceLeaves(expr, [&](const Expr *leaf) {
    return leaf->kind == Expr::Kind::Input ? node.ports[leaf->index].source
                                           : leaf;
  });
}

bool Walker::bindItem(HeteroNode &node, const HeteroItem &item,
                      CallInst &call) {
  auto *variable = dyn_cast<AllocaInst>(
      call.getArgOperand(item.argument)->stripPointerCasts());
  std::string name = quote(item.variable.name);
  if (!variable)
    return refuse(call, name + " is no variable of this function",
                  "hetero-list");
  const Expr *held = nullptr;
  auto memory = graph.memory.find(variable);
  bool isMemory = memory != graph.memory.end();
  if (isMemory) {
    held = memory->second;
  } else if (auto found = graph.variables.find(variable);
             found != graph.variables.end()) {
    held = found->second;
  } else {
    held = unknown(item.variable.type,
                   region.begin && !isDeclaredIn(*variable, region)
                       ? "is in neither list of the region around it"
                       : "");
  }
  bool isBuffer =
      isMemory || (item.variable.type->isPointerTy() && !item.isSize);
  if (!isBuffer) {
    if (item.isSize && node.variables.contains(variable))
      return true;
    node.variables[variable] = inNode(node, held);
    return true;
  }
  const Expr *base = baseOf(held);
  if (!base) {
    const Expr *reason = findUnknown(held);
    return refuse(call,
                  name + " is no buffer of this graph" +
                      (reason && !reason->reason.empty()
                           ? ": it " + reason->reason
                           : "") +
                      "; list a pointer that the graph takes as an input",
                  "hetero-list");
  }
  (isMemory ? node.memory : node.variables)[variable] = inNode(node, held);
  Port &port = node.ports[portFor(node, base, "")];
  PortAccess &access = node.buffers[base->index];
  (item.isOutput ? port.access.writes : port.access.reads) = true;
  (item.isOutput ? access.writes : access.reads) = true;
  return true;
}

bool Walker::bindItems(HeteroNode &node, const HeteroCall &record,
                       CallInst &call) {
  bool isGood = true;
  // Sizes last: the size of a buffer comes with the buffer.
  for (bool sizes : {false, true})
    for (const HeteroItem &item : record.items)
      if (item.isSize == sizes)
        isGood &= bindItem(node, item, call);
  return isGood;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

bool sluice::hetero::isNodeMarker(const Instruction &instruction) {
  switch (calledHetero(instruction)) {
  case HeteroFunction::TaskBegin:
  case HeteroFunction::ParallelLoop:
  case HeteroFunction::SectionBegin:
    return true;
  default:
    return false;
  }
}

static bool holdsGraph(const CodeRegion &code) {
  return any_of(code.blocks, [](const BasicBlock *block) {
    return any_of(*block, isNodeMarker);
  });
}

std::string Walker::hintIn(const CodeRegion &code) {
  std::string hint;
  for (BasicBlock *block : code.blocks)
    for (Instruction &instruction : *block) {
      auto *call = dyn_cast<CallBase>(&instruction);
      bool isOurs = calledHetero(instruction) == HeteroFunction::Hint;
      if (!call || (!isOurs && calledHPVM(*call) != "hint"))
        continue;
      auto *target = dyn_cast<ConstantInt>(call->getArgOperand(0));
      if (!target)
        continue;
      int64_t number = target->getSExtValue();
      hint = hintOfHetero(number).str();
      if (hint.empty() && number != 0)
        refuse(instruction,
               "integer " + std::to_string(number) +
                   " names no target this compiler has; use CPU, GPU, "
                   "CPU_OR_GPU or CPU_OR_SPIR",
               "hint");
    }
  return hint;
}

/// Finds the loops whose iterations run in order; false, with a message, if
/// that is unclear.
bool Walker::readOrder(HeteroNode &node, const HeteroCall &record) {
  for (BasicBlock *block : node.region.blocks)
    for (Instruction &instruction : *block) {
      if (calledHetero(instruction) != HeteroFunction::Ordered)
        continue;
      const auto *dims =
          dyn_cast<ConstantInt>(cast<CallBase>(instruction).getArgOperand(0));
      if (!dims)
        return false; // said already
      if (record.kind != HeteroCall::Kind::Loop)
        return refuse(instruction,
                      "'sluice_ordered_turns' stands in a task, which has no "
                      "turns; put it into the body of a parallel loop",
                      "hetero-loop");
      if (node.orderedDims)
        return refuse(instruction,
                      "the loops whose turns run in order are named already; "
                      "name all of them in one call",
                      "hetero-loop");
      if (dims->isZero() || dims->getValue().lshr(node.extents.size()) != 0)
        return refuse(instruction,
                      "the set of ordered loops is " +
                          std::to_string(dims->getZExtValue()) +
                          ", but the node has " +
                          std::to_string(node.extents.size()) +
                          "; use SLUICE_X for the innermost loop, SLUICE_Y for "
                          "the one around it, and SLUICE_Z",
                      "hetero-loop");
      node.orderedDims = static_cast<unsigned>(dims->getZExtValue());
    }
  return true;
}

BasicBlock *Walker::addTask(CallInst &call) {
  const HeteroCall *record = heteroRecordOf(call, context.unit);
  std::optional<CodeRegion> found = findRegion(call, context);
  if (!record || !found)
    return nullptr;
  BasicBlock *exit = found->exit;
  bool isBroken = record->isBroken || holdsBroken(*found);
  if (depth == 0)
    isBroken = !refuse(call, "this task stands in no section; begin one before "
                             "it");
  if (isBroken) {
    skip(found->blocks.getArrayRef());
    return exit;
  }
  HeteroNode &node = graph.nodes.emplace_back();
  node.region = std::move(*found);
  node.name = !record->name.empty()
                  ? record->name
                  : graph.name + ".task" + std::to_string(graph.nodes.size());
  node.place = record->place;
  if (!bindItems(node, *record, call) || !finishNode(node, *record, call))
    skip(node.region.blocks.getArrayRef());
  return exit;
}

bool Walker::finishNode(HeteroNode &node, const HeteroCall &record,
                        CallInst &call) {
  if (record.kind == HeteroCall::Kind::Task && holdsGraph(node.region))
    return finishGraph(node, call);
  node.hint = hintIn(node.region);
  return readOrder(node, record) && finishLeaf(node, record, call);
}

bool Walker::finishGraph(HeteroNode &node, CallInst &call) {
  node.graph = std::make_unique<HeteroGraph>();
  HeteroGraph &inner = *node.graph;
  inner.name = node.name;
  inner.symbol = graph.name + "." + node.name;
  inner.place = node.place;
  inner.subprogram = graph.subprogram;
  inner.ports = node.ports;
  inner.variables = node.variables;
  inner.memory = node.memory;
  if (!walkGraph(inner, node.region, context))
    return false;
  node.hint = inner.hint;
  if (inner.nodes.empty())
    return refuse(call, "the section in this task has no nodes; put its code "
                        "into tasks, or remove the section");
  unsigned number = graph.nodes.size() - 1;
  for (auto [variable, held] : inner.variables) {
    auto before = node.variables.find(variable);
    if (before == node.variables.end() ? isDeclaredIn(*variable, node.region)
                                       : held == before->second)
      continue;
    if (findUnknown(held)) {
      graph.variables[variable] = held;
    } else if (findOutput(held)) {
      if (held->kind != Expr::Kind::Output)
        return refuse(call,
                      quote(nameOfVariable(*variable)) +
                          " leaves this task as arithmetic on what its nodes "
                          "give; compute it in a task");
      node.results[variable] = held->type;
      graph.variables[variable] =
          context.expressions.output(number, variable, held->type);
    } else {
      graph.variables[variable] = inGraph(node, held);
    }
  }
  // The accesses of the nested nodes are accesses of the node.
  for (const HeteroNode &child : inner.nodes)
    for (auto [input, access] : child.buffers) {
      const Port &port = node.ports[input];
      PortAccess &known = node.buffers[port.source->index];
      if (access.writes && !port.access.writes)
        return refuse(call,
                      "buffer " + quote(port.name) + " is written by " +
                          quote(child.name) +
                          " in this task, which does not list it as an "
                          "output; list it, so that other tasks wait",
                      "hetero-list");
      known.reads |= access.reads;
      node.ports[input].access.reads |= access.reads;
    }
  return true;
}

SetVector<Value *> Walker::privateVariables(const CodeRegion &code,
                                            HeteroNode &node) {
  SetVector<Value *> variables;
  for (BasicBlock *block : code.blocks)
    for (Instruction &instruction : *block) {
      if (calledHetero(instruction) != HeteroFunction::Private)
        continue;
      auto &call = cast<CallBase>(instruction);
      const HeteroCall *record = heteroRecordOf(call, context.unit);
      for (const HeteroItem &item :
           record ? record->items : std::vector<HeteroItem>()) {
        auto *variable = dyn_cast<AllocaInst>(
            call.getArgOperand(item.argument)->stripPointerCasts());
        if (!variable || item.isSize)
          continue;
        if (item.variable.type->isPointerTy() && !item.isMemory) {
          refuse(instruction,
                 quote(item.variable.name) +
                     " is a pointer, and what it points to cannot be made "
                     "private; declare an array in the node instead",
                 "hetero-list");
          continue;
        }
        variables.insert(variable);
      }
    }
  return variables;
}

bool Walker::finishLeaf(HeteroNode &node, const HeteroCall &record,
                        CallInst &call) {
  bool isLoop = record.kind == HeteroCall::Kind::Loop;
  std::string what = isLoop ? "this parallel loop" : "this task";
  MapVector<Value *, VariableUse> uses;
  if (!findUses(node.region, what, context, uses))
    return false;
  SetVector<Value *> isPrivate = privateVariables(node.region, node);
  SmallPtrSet<Value *, 4> counters;
  for (const LoopDimension &dimension : node.dimensions)
    counters.insert(dimension.variable);
  unsigned number = graph.nodes.size() - 1;
  bool isGood = true;
  for (auto [variable, use] : uses) {
    std::string name = quote(nameOfVariable(*variable));
    if (node.memory.contains(variable))
      continue;
    bool isCounter = counters.contains(variable);
    if (isCounter && (use.writes || use.escapes)) {
      isGood = refuse(*use.first,
                      name + " counts the turns of " + what +
                          ", which may change it; use a copy",
                      "hetero-loop");
      continue;
    }
    bool isOwn = isPrivate.contains(variable) || isCounter;
    auto bound = node.variables.find(variable);
    if (bound == node.variables.end()) {
      if (isCounter)
        continue;
      if (!isPrivate.contains(variable)) {
        isGood = refuse(*use.first,
                        name + " is used in " + what +
                            ", but is in neither of its lists; list it, or "
                            "declare it inside",
                        "hetero-list");
        continue;
      }
      auto held = graph.variables.find(variable);
      if (held != graph.variables.end() && !findUnknown(held->second))
        node.variables[variable] = inNode(node, held->second);
      continue;
    }
    const Expr *reason = findUnknown(bound->second);
    if (reason && !reason->reason.empty() && use.reads) {
      isGood =
          refuse(*use.first,
                 name + " is used in " + what + ", but it " + reason->reason +
                     "; compute it in a task, or pass "
                     "it to the graph as an input",
                 "hetero-list");
      continue;
    }
    if (isOwn || (!use.writes && !use.escapes))
      continue;
    Type *type = cast<AllocaInst>(variable)->getAllocatedType();
    if (type->isPointerTy()) {
      if (isUsedBeyond(*variable, node.region) || isLoop)
        isGood = refuse(*use.first,
                        name + " is a pointer that " + what +
                            " may change; change a copy that is declared "
                            "inside",
                        "hetero-list");
      continue;
    }
    if (isLoop) {
      isGood = refuse(*use.first,
                      name + " is declared outside of " + what +
                          ", whose turns all " +
                          (use.writes ? "write it" : "may write it") +
                          "; declare it inside, give each its own with "
                          "'__hetero_priv', or use an array",
                      "hetero-loop");
      continue;
    }
    node.results[variable] = type;
    graph.variables[variable] =
        context.expressions.output(number, variable, type);
  }
  for (Value *variable : isPrivate)
    graph.variables[variable] =
        unknown(cast<AllocaInst>(variable)->getAllocatedType(),
                "is private to a node before");
  return isGood;
}
