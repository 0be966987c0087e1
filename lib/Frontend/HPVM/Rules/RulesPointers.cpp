//===- RulesPointers.cpp - Pointers and where they may travel -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A memory object is a pointer and its size; it comes from the host through
// binds, or from a leaf's own malloc. Rules H31 to H36 of docs/hpvm-rules.md.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportProgram.h"
#include "sluice/Analysis/AddressFlow.h"
#include "sluice/Analysis/LeafAtomics.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

namespace {
class PointerPortCheck {
public:
  PointerPortCheck(const NodeFunction &node, Diagnostics &diagnostics)
      : node(node), diagnostics(diagnostics), place(placeOf(*node.function)) {}

  void run() {
    for (unsigned i = 0, e = node.numInputs(); i != e; ++i)
      checkInput(i);
    for (unsigned i = 0, e = node.numOutputs(); i != e; ++i)
      checkOutput(i);
  }

private:
  void checkInput(unsigned index);
  void checkOutput(unsigned index);

  const NodeFunction &node;
  Diagnostics &diagnostics;
  SourcePlace place;
};
} // namespace

/// "is the last one", or what follows instead of an i64.
static std::string describeNext(Type *next) {
  return next ? "is followed by " + spellType(next) : "is the last one";
}

/// [H31], [H32] and [H34] for an input.
void PointerPortCheck::checkInput(unsigned index) {
  Type *type = node.inputType(index);
  std::string port = node.describeInput(index);
  bool hasAccess = node.access(index) != dfg::Access::None;
  if (!type->isPointerTy()) {
    if (hasAccess)
      diagnostics.error(place,
                        port + " is marked in or out, but has type " +
                            spellType(type) +
                            "; only pointers are, so remove the mark",
                        "H32");
    if (holdsPointer(type))
      diagnostics.error(place,
                        port + " has type " + spellType(type) +
                            ", which holds a pointer; pass the pointer as an "
                            "argument of its own, followed by its size",
                        "H34");
    return;
  }
  if (!hasAccess)
    diagnostics.error(place,
                      port + " is a pointer without in or out; say how it is "
                             "used: in for reading, out for writing, or both",
                      "H32");
  Type *next =
      index + 1 < node.numInputs() ? node.inputType(index + 1) : nullptr;
  if (node.function->hasFnAttribute(unsizedAttribute))
    return;
  if (!next || !next->isIntegerTy(64))
    diagnostics.error(place,
                      port +
                          " is a pointer and must be followed by its size "
                          "in bytes as i64, but it " +
                          describeNext(next) +
                          "; add the size as the next parameter",
                      "H31");
}

/// [H31], [H34] and [H35] for an output.
void PointerPortCheck::checkOutput(unsigned index) {
  Type *type = node.outputType(index);
  if (!holdsPointer(type))
    return;
  std::string port = node.describeOutput(index);
  if (node.isRoot()) {
    diagnostics.error(place,
                      port + " has type " + spellType(type) +
                          ", but a root returns no pointers: memory that "
                          "leaves allocate ends with the launch; let the host "
                          "allocate it and pass it as an argument",
                      "H35");
    return;
  }
  if (!type->isPointerTy()) {
    diagnostics.error(place,
                      port + " has type " + spellType(type) +
                          ", which holds a pointer; return the pointer as an "
                          "output of its own, followed by its size",
                      "H34");
    return;
  }
  Type *next =
      index + 1 < node.numOutputs() ? node.outputType(index + 1) : nullptr;
  if (!next || !next->isIntegerTy(64))
    diagnostics.error(place,
                      port +
                          " is a pointer and must be followed by its size "
                          "in bytes as i64, but it " +
                          describeNext(next) +
                          "; return the size as the next output",
                      "H31");
}

//===----------------------------------------------------------------------===//
// Provenance
//===----------------------------------------------------------------------===//

namespace {
/// The possible origins of a pointer that a leaf returns.
struct Sources {
  SmallSetVector<unsigned, 4> arguments;
  /// A value that is neither malloc's, nor an argument, nor null.
  const Value *unknown = nullptr;
};

/// Follows pointers through leaves and graphs, back to where they are made.
///   1. In a leaf: from the returned field through phis, selects and offsets
///      to mallocs and arguments.
///   2. In a graph: from an argument of a child to what feeds it, a sibling's
///      output or an input of the graph.
///   3. From an input of a graph to what feeds it wherever the graph is used;
///      an input of a root comes from the host.
class Provenance {
public:
  /// Why an output is no leaf's own memory; empty message: it is.
  struct Reason {
    std::string message;
    SourcePlace place;
  };

  Reason findReason(const NodeFunction &graph, unsigned child,
                    unsigned output) {
    visited.clear();
    Reason reason;
    followOutput(graph, child, output, reason);
    return reason;
  }

private:
  void followOutput(const NodeFunction &graph, unsigned child, unsigned output,
                    Reason &reason);
  void followInput(const NodeFunction &graph, unsigned child, unsigned input,
                   Reason &reason);
  const Sources &sourcesOf(const NodeFunction &leaf, unsigned output);

  std::set<std::tuple<const NodeFunction *, unsigned, unsigned, bool>> visited;
  std::map<std::pair<const NodeFunction *, unsigned>, Sources> leaves;
};
} // namespace

/// Adds what `value` may point to.
static void collectSources(Value *value, Sources &sources,
                           SmallPtrSetImpl<Value *> &seen) {
  value = value->stripPointerCasts();
  if (!seen.insert(value).second)
    return;
  if (auto *argument = dyn_cast<Argument>(value)) {
    sources.arguments.insert(argument->getArgNo());
    return;
  }
  if (isa<ConstantPointerNull, UndefValue>(value))
    return;
  if (auto *offset = dyn_cast<GEPOperator>(value))
    return collectSources(offset->getPointerOperand(), sources, seen);
  if (auto *freeze = dyn_cast<FreezeInst>(value))
    return collectSources(freeze->getOperand(0), sources, seen);
  if (auto *phi = dyn_cast<PHINode>(value)) {
    for (Value *incoming : phi->incoming_values())
      collectSources(incoming, sources, seen);
    return;
  }
  if (auto *select = dyn_cast<SelectInst>(value)) {
    collectSources(select->getTrueValue(), sources, seen);
    return collectSources(select->getFalseValue(), sources, seen);
  }
  if (auto *call = dyn_cast<CallBase>(value)) {
    const HPVMIntrinsic *intrinsic = calledIntrinsic(*call);
    if (intrinsic && intrinsic->kind == IntrinsicKind::Malloc)
      return;
  }
  if (!sources.unknown)
    sources.unknown = value;
}

/// Adds the sources of field `index` of a returned struct.
static void collectField(Value *structure, unsigned index, Sources &sources,
                         SmallPtrSetImpl<Value *> &seen) {
  if (auto *insert = dyn_cast<InsertValueInst>(structure)) {
    if (insert->getIndices() == ArrayRef(index))
      return collectSources(insert->getInsertedValueOperand(), sources, seen);
    if (insert->getIndices()[0] != index)
      return collectField(insert->getAggregateOperand(), index, sources, seen);
  }
  if (auto *constant = dyn_cast<Constant>(structure))
    if (Constant *field = constant->getAggregateElement(index))
      return collectSources(field, sources, seen);
  bool isNew = seen.insert(structure).second;
  if (auto *phi = dyn_cast<PHINode>(structure)) {
    if (isNew)
      for (Value *incoming : phi->incoming_values())
        collectField(incoming, index, sources, seen);
    return;
  }
  if (auto *select = dyn_cast<SelectInst>(structure)) {
    collectField(select->getTrueValue(), index, sources, seen);
    return collectField(select->getFalseValue(), index, sources, seen);
  }
  if (!sources.unknown)
    sources.unknown = structure;
}

const Sources &Provenance::sourcesOf(const NodeFunction &leaf,
                                     unsigned output) {
  auto [it, isNew] = leaves.insert({{&leaf, output}, Sources()});
  Sources &sources = it->second;
  if (!isNew)
    return sources;
  SmallPtrSet<Value *, 8> seen;
  for (BasicBlock &block : *leaf.function)
    if (auto *result = dyn_cast<ReturnInst>(block.getTerminator()))
      collectField(result->getReturnValue(), output, sources, seen);
  return sources;
}

void Provenance::followOutput(const NodeFunction &graph, unsigned child,
                              unsigned output, Reason &reason) {
  if (!visited.insert({&graph, child, output, true}).second ||
      !reason.message.empty())
    return;
  const NodeFunction &callee = *graph.children[child].callee;
  if (callee.isInternal) {
    for (const OutputBind &bind : callee.outputBinds)
      if (bind.outer == output)
        followOutput(callee, bind.child, bind.inner, reason);
    return;
  }
  if (callee.function->isDeclaration() || output >= callee.numOutputs() ||
      !callee.outputType(output)->isPointerTy())
    return;
  const Sources &sources = sourcesOf(callee, output);
  if (sources.unknown) {
    auto *instruction = dyn_cast<Instruction>(sources.unknown);
    reason = {quoted(callee.name()) + " may return " +
                  describeValue(sources.unknown) +
                  ", which is not provably what its own 'malloc' gave",
              instruction ? placeOf(*instruction) : placeOf(*callee.function)};
    return;
  }
  for (unsigned argument : sources.arguments)
    followInput(graph, child, argument, reason);
}

void Provenance::followInput(const NodeFunction &graph, unsigned child,
                             unsigned input, Reason &reason) {
  if (!visited.insert({&graph, child, input, false}).second ||
      !reason.message.empty())
    return;
  for (const EdgeCall &edge : graph.edges)
    if (edge.sink == child && edge.input == input)
      followOutput(graph, edge.source, edge.output, reason);
  for (const InputBind &bind : graph.inputBinds) {
    if (bind.child != child || bind.inner != input || !reason.message.empty() ||
        bind.outer >= graph.numInputs())
      continue;
    if (graph.isRoot())
      reason = {"the pointer is " + graph.describeInput(bind.outer) +
                    ", which the host passes",
                placeOf(*bind.call)};
    for (const NodeUse &use : graph.uses)
      followInput(*use.parent, use.child, bind.outer, reason);
  }
}

//===----------------------------------------------------------------------===//
// Edges and binds
//===----------------------------------------------------------------------===//

namespace {
class PointerFlowCheck {
public:
  explicit PointerFlowCheck(CanonicalProgram &program)
      : program(program), diagnostics(program.diagnostics) {}

  void run() {
    for (const auto &graph : program.functions) {
      if (!graph->isInternal)
        continue;
      for (const EdgeCall &edge : graph->edges)
        checkOutput(*graph, edge.call, edge.source, edge.output, "edge");
      for (const OutputBind &bind : graph->outputBinds)
        checkOutput(*graph, bind.call, bind.child, bind.inner, "output bind");
      for (const InputBind &bind : graph->inputBinds)
        checkAccess(*graph, bind);
    }
  }

private:
  void checkOutput(const NodeFunction &graph, CallBase *call, unsigned child,
                   unsigned output, const char *kind);
  void checkAccess(const NodeFunction &graph, const InputBind &bind);

  CanonicalProgram &program;
  Diagnostics &diagnostics;
  Provenance provenance;
};
} // namespace

/// [H33].
void PointerFlowCheck::checkOutput(const NodeFunction &graph, CallBase *call,
                                   unsigned child, unsigned output,
                                   const char *kind) {
  const NodeFunction &callee = *graph.children[child].callee;
  if (output >= callee.numOutputs() ||
      !callee.outputType(output)->isPointerTy())
    return;
  Provenance::Reason reason = provenance.findReason(graph, child, output);
  if (reason.message.empty())
    return;
  diagnostics
      .error(placeOf(*call),
             "this " + std::string(kind) + " carries the pointer " +
                 callee.describeOutput(output) +
                 ", but only memory from a leaf's own 'malloc' may travel so; "
                 "bind the pointer from the common parent instead",
             "H33")
      .note(reason.place, reason.message);
}

/// [H36].
void PointerFlowCheck::checkAccess(const NodeFunction &graph,
                                   const InputBind &bind) {
  const NodeFunction &child = *graph.children[bind.child].callee;
  if (bind.outer >= graph.numInputs() || bind.inner >= child.numInputs() ||
      !child.inputType(bind.inner)->isPointerTy() ||
      graph.access(bind.outer) == dfg::Access::None ||
      dfg::writes(graph.access(bind.outer)) ||
      !dfg::writes(child.access(bind.inner)))
    return;
  diagnostics
      .warning(placeOf(*bind.call),
               graph.describeInput(bind.outer) +
                   " is marked in, but the child writes it as " +
                   child.describeInput(bind.inner) +
                   "; mark it out as well, so that the host sees the result",
               "H36")
      .note(placeOf(*graph.function), quoted(graph.name()) + " is defined here")
      .note(placeOf(*child.function),
            quoted(child.name()) + " is defined here");
}

/// Atomic operations are intrinsics here.
static bool writesByIntrinsic(const Use &use) {
  std::optional<HPVMAtomic> atomic = hpvmAtomicOf(*use.getUser());
  return atomic && atomic->isWritten && atomic->address == use.get();
}

/// [H36] for a leaf: a write through each pointer marked in only, also in
/// functions that it is given to.
static void checkWrites(const NodeFunction &leaf, Diagnostics &diagnostics) {
  for (const Argument &argument : leaf.function->args()) {
    if (leaf.access(argument.getArgNo()) != dfg::Access::In)
      continue;
    AddressFlow flow(/*mayBeLost=*/true, writesByIntrinsic);
    flow.checkAll(argument);
    if (!flow.getWrite())
      continue;
    diagnostics
        .warning(placeOf(*flow.getWrite()),
                 leaf.describeInput(argument.getArgNo()) +
                     " is marked in, but written here; mark it out as well, "
                     "so that the host sees the result",
                 "H36")
        .note(placeOf(*leaf.function),
              quoted(leaf.name()) + " is defined here");
  }
}

void sluice::hpvm::checkPointers(CanonicalProgram &program) {
  for (const auto &node : program.functions)
    if (!node->isMisplaced && !node->function->isDeclaration())
      PointerPortCheck(*node, program.diagnostics).run();
  for (const auto &node : program.functions)
    if (!node->isInternal)
      checkWrites(*node, program.diagnostics);
  PointerFlowCheck(program).run();
}
