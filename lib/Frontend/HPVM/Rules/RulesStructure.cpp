//===- RulesStructure.cpp - Nodes, edges and binds ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the rules of docs/hpvm-rules.md about the shape of one graph: H01 to
// H12 and H16.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportExtents.h"
#include "../Import/ImportProgram.h"
#include "CallFixes.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

static std::string counted(unsigned count, const char *noun) {
  if (count == 0)
    return "no " + std::string(noun) + "s";
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

namespace {
/// Checks one graph. A call that breaks a rule about its own operands is
/// excluded from the rules about the whole graph.
class GraphCheck {
public:
  GraphCheck(NodeFunction &graph, Diagnostics &diagnostics)
      : graph(graph), diagnostics(diagnostics) {}

  void run() {
    for (const EdgeCall &edge : graph.edges)
      checkEdge(edge);
    for (const InputBind &bind : graph.inputBinds)
      checkInputBind(bind);
    for (const OutputBind &bind : graph.outputBinds)
      checkOutputBind(bind);
    checkEdgeSources();
    checkFeeders();
    checkOutputBinds();
    checkCycles();
    for (const ChildNode &child : graph.children)
      checkExtents(child);
  }

private:
  void checkEdge(const EdgeCall &edge);
  void checkInputBind(const InputBind &bind);
  void checkOutputBind(const OutputBind &bind);
  void checkGrids(const EdgeCall &edge);
  void checkEdgeSources();
  void checkFeeders();
  void checkUnfed(unsigned child, unsigned input);
  std::optional<Fix> bindOfSameName(unsigned child, unsigned input) const;
  void checkOutputBinds();
  void checkCycles();
  void checkExtents(const ChildNode &child);

  const ChildNode &node(unsigned index) const { return graph.children[index]; }
  std::string inputOf(unsigned child, unsigned port) const {
    return node(child).callee->describeInput(port);
  }
  std::string outputOf(unsigned child, unsigned port) const {
    return node(child).callee->describeOutput(port);
  }
  SourcePlace placeOfNode(unsigned index) const {
    return placeOf(*node(index).call);
  }
  bool checkInputRange(CallBase &call, const NodeFunction &function,
                       unsigned port);
  bool checkOutputRange(CallBase &call, const NodeFunction &function,
                        unsigned port);
  bool checkTypes(CallBase &call, Type *from, const std::string &fromName,
                  const NodeFunction &fromFunction, Type *to,
                  const std::string &toName, const NodeFunction &toFunction);

  NodeFunction &graph;
  Diagnostics &diagnostics;
};
} // namespace

//===----------------------------------------------------------------------===//
// One edge or bind
//===----------------------------------------------------------------------===//

/// [H06], inputs.
bool GraphCheck::checkInputRange(CallBase &call, const NodeFunction &function,
                                 unsigned port) {
  if (port < function.numInputs())
    return true;
  graph.isIncomplete = true;
  // A mere declaration is not in canonical form; it is reported separately.
  if (function.function->isDeclaration())
    return false;
  diagnostics
      .error(placeOf(call),
             "input port " + std::to_string(static_cast<int>(port)) +
                 " is out of range: " + quoted(function.name()) + " has " +
                 counted(function.numInputs(), "input") +
                 "; ports are numbered from 0 in the order of the parameters",
             "H06")
      .note(placeOf(*function.function),
            quoted(function.name()) + " is defined here");
  return false;
}

/// [H06], outputs.
bool GraphCheck::checkOutputRange(CallBase &call, const NodeFunction &function,
                                  unsigned port) {
  if (port < function.numOutputs())
    return true;
  graph.isIncomplete = true;
  // A function that does not return a struct is reported separately.
  if (function.function->isDeclaration() ||
      !function.function->getReturnType()->isStructTy())
    return false;
  diagnostics
      .error(placeOf(call),
             "output port " + std::to_string(static_cast<int>(port)) +
                 " is out of range: " + quoted(function.name()) + " has " +
                 counted(function.numOutputs(), "output") +
                 "; ports are numbered from 0 in the order of the returned "
                 "fields",
             "H06")
      .note(placeOf(*function.function),
            quoted(function.name()) + " is defined here");
  return false;
}

/// [H07].
bool GraphCheck::checkTypes(CallBase &call, Type *from,
                            const std::string &fromName,
                            const NodeFunction &fromFunction, Type *to,
                            const std::string &toName,
                            const NodeFunction &toFunction) {
  if (structuralType(from) == structuralType(to) ||
      fromFunction.function->isDeclaration() ||
      toFunction.function->isDeclaration())
    return true;
  auto &error = diagnostics.error(
      placeOf(call),
      fromName + " has type " + spellType(from) + ", but " + toName +
          " has type " + spellType(to) +
          "; both ends must have the same type, so change one of the "
          "functions or the port number",
      "H07");
  error.note(placeOf(*fromFunction.function),
             quoted(fromFunction.name()) + " is defined here");
  error.note(placeOf(*toFunction.function),
             quoted(toFunction.name()) + " is defined here");
  return false;
}

void GraphCheck::checkEdge(const EdgeCall &edge) {
  const NodeFunction &source = *node(edge.source).callee;
  const NodeFunction &sink = *node(edge.sink).callee;
  bool hasOutput = checkOutputRange(*edge.call, source, edge.output);
  bool hasInput = checkInputRange(*edge.call, sink, edge.input);
  if (hasOutput && hasInput)
    checkTypes(*edge.call, source.outputType(edge.output),
               source.describeOutput(edge.output), source,
               sink.inputType(edge.input), sink.describeInput(edge.input),
               sink);
  if (edge.isOneToOne)
    checkGrids(edge);
}

void GraphCheck::checkInputBind(const InputBind &bind) {
  const NodeFunction &child = *node(bind.child).callee;
  bool hasOuter = checkInputRange(*bind.call, graph, bind.outer);
  bool hasInner = checkInputRange(*bind.call, child, bind.inner);
  if (hasOuter && hasInner)
    checkTypes(*bind.call, graph.inputType(bind.outer),
               graph.describeInput(bind.outer), graph,
               child.inputType(bind.inner), child.describeInput(bind.inner),
               child);
}

void GraphCheck::checkOutputBind(const OutputBind &bind) {
  const NodeFunction &child = *node(bind.child).callee;
  bool hasInner = checkOutputRange(*bind.call, child, bind.inner);
  bool hasOuter = checkOutputRange(*bind.call, graph, bind.outer);
  if (hasOuter && hasInner)
    checkTypes(*bind.call, child.outputType(bind.inner),
               child.describeOutput(bind.inner), child,
               graph.outputType(bind.outer), graph.describeOutput(bind.outer),
               graph);
}

static std::optional<Fix> allToAll(const EdgeCall &edge) {
  return replaceArgument(placeOf(*edge.call), /*index=*/2, "1",
                         "make the edge all-to-all");
}

/// [H10].
void GraphCheck::checkGrids(const EdgeCall &edge) {
  const ChildNode &source = node(edge.source), &sink = node(edge.sink);
  std::string difference;
  if (source.extents.size() != sink.extents.size()) {
    difference = quoted(source.name) + " has " +
                 counted(source.extents.size(), "dimension") + " and " +
                 quoted(sink.name) + " has " +
                 counted(sink.extents.size(), "dimension");
  } else {
    for (unsigned i = 0, e = source.extents.size(); i != e; ++i) {
      auto *a = dyn_cast<ConstantInt>(source.extents[i]);
      auto *b = dyn_cast<ConstantInt>(sink.extents[i]);
      if (a && b && a != b) {
        difference = "in dimension " + std::string(1, "xyz"[i]) + " " +
                     quoted(source.name) + " has extent " +
                     std::to_string(a->getSExtValue()) + " and " +
                     quoted(sink.name) + " has extent " +
                     std::to_string(b->getSExtValue());
        break;
      }
    }
  }
  for (const ChildNode *child : {&source, &sink})
    if (child->orderedDims) {
      diagnostics
          .error(placeOf(*edge.call),
                 "a one-to-one edge joins instances that run at any time, but "
                 "those of " +
                     quoted(child->name) +
                     " run in order; use an all-to-all edge (replication type "
                     "1)",
                 "H10")
          .fix = allToAll(edge);
      return;
    }
  if (difference.empty())
    return;
  Diagnostic &error = diagnostics.error(
      placeOf(*edge.call),
      "a one-to-one edge joins nodes with equal grids, but " + difference +
          "; use an all-to-all edge (replication type 1) or equal extents",
      "H10");
  error.fix = allToAll(edge);
  error.note(placeOf(*source.call), quoted(source.name) + " is created here")
      .note(placeOf(*sink.call), quoted(sink.name) + " is created here");
}

//===----------------------------------------------------------------------===//
// Uniqueness and completeness
//===----------------------------------------------------------------------===//

using Port = std::pair<unsigned, unsigned>;

/// [H03].
void GraphCheck::checkEdgeSources() {
  std::map<Port, const EdgeCall *> first;
  if (graph.isIncomplete)
    return;
  for (const EdgeCall &edge : graph.edges) {
    auto [it, isNew] = first.insert({{edge.source, edge.output}, &edge});
    if (isNew)
      continue;
    diagnostics
        .error(placeOf(*edge.call),
               outputOf(edge.source, edge.output) +
                   " already feeds another edge; let the leaf return the value "
                   "a second time, and use that output here",
               "H03")
        .note(placeOf(*it->second->call), "the first edge is here")
        .note(placeOfNode(edge.source),
              quoted(node(edge.source).name) + " is created here");
  }
}

/// [H04] and [H08].
void GraphCheck::checkFeeders() {
  if (graph.isIncomplete)
    return;
  std::map<Port, std::pair<CallBase *, const char *>> first;
  auto feed = [&](CallBase *call, Port sink, const char *kind) {
    auto [it, isNew] = first.insert({sink, {call, kind}});
    if (isNew)
      return;
    Diagnostic &error = diagnostics.error(
        placeOf(*call),
        inputOf(sink.first, sink.second) +
            " is fed twice; every input has exactly one edge or bind, so "
            "remove one of them or correct the port number",
        "H04");
    error.fix = removeCall(placeOf(*call), std::string("remove this ") + kind);
    error
        .note(placeOf(*it->second.first),
              std::string("the other ") + it->second.second + " is here")
        .note(placeOfNode(sink.first),
              quoted(node(sink.first).name) + " is created here");
  };
  for (const EdgeCall &edge : graph.edges)
    feed(edge.call, {edge.sink, edge.input}, "edge");
  for (const InputBind &bind : graph.inputBinds)
    feed(bind.call, {bind.child, bind.inner}, "bind");
  for (unsigned child = 0, e = graph.children.size(); child != e; ++child)
    for (unsigned i = 0, n = node(child).callee->numInputs(); i != n; ++i)
      if (!first.count({child, i}))
        checkUnfed(child, i);
}

/// Usually, a child's input is the parent's input with the same name.
std::optional<Fix> GraphCheck::bindOfSameName(unsigned child,
                                              unsigned input) const {
  const NodeFunction &callee = *node(child).callee;
  StringRef name = callee.function->getArg(input)->getName();
  std::string handle = assignedVariable(placeOfNode(child));
  if (name.empty() || handle.empty())
    return std::nullopt;
  bool isStream = any_of(graph.inputBinds,
                         [](const InputBind &bind) { return bind.isStream; });
  for (unsigned outer = 0; outer != graph.numInputs(); ++outer)
    if (graph.function->getArg(outer)->getName() == name &&
        structuralType(graph.inputType(outer)) ==
            structuralType(callee.inputType(input)))
      return addBehind(
          placeOfNode(child),
          "__hpvm__bindIn(" + handle + ", " + std::to_string(outer) + ", " +
              std::to_string(input) + ", " + std::to_string(isStream) + ");",
          "bind " + graph.describeInput(outer) + " to it");
  return std::nullopt;
}

void GraphCheck::checkUnfed(unsigned child, unsigned input) {
  if (node(child).callee->function->isDeclaration())
    return;
  Diagnostic &error = diagnostics.error(
      placeOfNode(child),
      inputOf(child, input) +
          " is fed by nothing; add an edge from a sibling or a bind of an "
          "input of " +
          quoted(graph.name()),
      "H08");
  error.fix = bindOfSameName(child, input);
  error.note(placeOf(*node(child).callee->function),
             quoted(node(child).callee->name()) + " is defined here");
}

/// [H05] and [H09].
void GraphCheck::checkOutputBinds() {
  if (graph.isIncomplete)
    return;
  std::map<Port, const OutputBind *> sources;
  std::map<unsigned, const OutputBind *> sinks;
  for (const OutputBind &bind : graph.outputBinds) {
    auto [source, isNewSource] =
        sources.insert({{bind.child, bind.inner}, &bind});
    if (!isNewSource)
      diagnostics
          .error(placeOf(*bind.call),
                 outputOf(bind.child, bind.inner) +
                     " is bound to two outputs of the parent; let the leaf "
                     "return the value a second time, and bind that output",
                 "H05")
          .note(placeOf(*source->second->call), "the first bind is here");
    auto [sink, isNewSink] = sinks.insert({bind.outer, &bind});
    if (isNewSink)
      continue;
    Diagnostic &error = diagnostics.error(
        placeOf(*bind.call),
        graph.describeOutput(bind.outer) +
            " is bound twice; every output has exactly one bind, so remove one "
            "or correct the port number",
        "H05");
    error.fix = removeCall(placeOf(*bind.call), "remove this bind");
    error.note(placeOf(*sink->second->call), "the other bind is here");
  }
  for (unsigned i = 0, e = graph.numOutputs(); i != e; ++i)
    if (!sinks.count(i))
      diagnostics.error(placeOf(*graph.function),
                        graph.describeOutput(i) +
                            " is bound by nothing; add a bind of a child's "
                            "output to it, or do not declare it",
                        "H09");
}

/// [H01].
void GraphCheck::checkCycles() {
  unsigned count = graph.children.size();
  std::vector<SmallVector<const EdgeCall *, 4>> leaving(count);
  for (const EdgeCall &edge : graph.edges)
    leaving[edge.source].push_back(&edge);
  // Depth first, with the path on an explicit stack: graphs may be long.
  enum State : char { Unseen, OnPath, Done };
  std::vector<State> state(count, Unseen);
  for (unsigned start = 0; start != count; ++start) {
    if (state[start] != Unseen)
      continue;
    SmallVector<std::pair<unsigned, unsigned>> path = {{start, 0}};
    state[start] = OnPath;
    while (!path.empty()) {
      auto &[current, next] = path.back();
      if (next == leaving[current].size()) {
        state[current] = Done;
        path.pop_back();
        continue;
      }
      const EdgeCall *edge = leaving[current][next++];
      if (state[edge->sink] == Unseen) {
        state[edge->sink] = OnPath;
        path.push_back({edge->sink, 0});
        continue;
      }
      if (state[edge->sink] == Done)
        continue;
      auto &error = diagnostics.error(
          placeOf(*edge->call),
          "this edge from " + quoted(node(edge->source).name) + " to " +
              quoted(node(edge->sink).name) +
              " closes a cycle; a graph is acyclic, so remove an edge of the "
              "cycle or pass the value through memory in the next launch",
          "H01");
      auto onCycle = llvm::find_if(
          path, [&](const auto &entry) { return entry.first == edge->sink; });
      for (; onCycle + 1 != path.end(); ++onCycle) {
        const EdgeCall *step = leaving[onCycle->first][onCycle->second - 1];
        error.note(placeOf(*step->call),
                   quoted(node(step->source).name) + " feeds " +
                       quoted(node(step->sink).name) + " here");
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// [H12].
void GraphCheck::checkExtents(const ChildNode &child) {
  SourcePlace place = placeOf(*child.call);
  uint64_t product = 1;
  bool overflows = false, isConstant = true;
  for (unsigned i = 0, e = child.extents.size(); i != e; ++i) {
    Value *extent = child.extents[i];
    std::string what =
        "the extent of " + quoted(child.name) + " in dimension " + "xyz"[i];
    if (auto *constant = dyn_cast<ConstantInt>(extent)) {
      if (constant->isNegative()) {
        diagnostics.error(place,
                          what + " is " +
                              std::to_string(constant->getSExtValue()) +
                              "; extents are 0 or more",
                          "H12");
        isConstant = false;
      } else {
        bool overflow = false;
        product =
            SaturatingMultiply(product, constant->getZExtValue(), &overflow);
        overflows |= overflow;
      }
      continue;
    }
    isConstant = false;
    const Value *illegal = findIllegalOperand(extent);
    // Invalid instructions in an internal node are reported there.
    if (illegal && !isa<Instruction>(illegal))
      diagnostics.error(place,
                        what + " depends on " + describeValue(illegal) + " (" +
                            spellType(illegal->getType()) +
                            "); extents are integer arithmetic on constants "
                            "and arguments",
                        "H12");
  }
  if (isConstant && (overflows || product > INT64_MAX))
    diagnostics.error(place,
                      quoted(child.name) +
                          " has more than 2^63 - 1 instances; the product of "
                          "the extents must fit a signed 64-bit integer",
                      "H12");
}

//===----------------------------------------------------------------------===//
// Recursion
//===----------------------------------------------------------------------===//

namespace {
/// Finds functions that contain themselves. Such graphs are marked incomplete
/// and lose the use that closes the cycle, so that later rules may traverse the
/// hierarchy.
class RecursionCheck {
public:
  explicit RecursionCheck(Diagnostics &diagnostics)
      : diagnostics(diagnostics) {}

  void visit(NodeFunction &function) {
    if (!done.insert(&function).second)
      return;
    path.push_back(&function);
    onPath.insert(&function);
    for (unsigned i = 0, e = function.children.size(); i != e; ++i) {
      NodeFunction *callee = function.children[i].callee;
      if (onPath.contains(callee))
        report(function, i);
      else
        visit(*callee);
    }
    path.pop_back();
    onPath.erase(&function);
  }

private:
  /// [H16].
  void report(NodeFunction &parent, unsigned child) {
    NodeFunction *callee = parent.children[child].callee;
    auto &error = diagnostics.error(
        placeOf(*parent.children[child].call),
        quoted(callee->name()) +
            " contains itself; a graph has a finite structure, so write one "
            "function for each level",
        "H16");
    auto begin = llvm::find(path, callee);
    for (auto it = begin; it + 1 < path.end(); ++it)
      for (const ChildNode &step : (*it)->children)
        if (step.callee == *(it + 1)) {
          error.note(placeOf(*step.call), quoted((*it)->name()) +
                                              " creates a node of " +
                                              quoted(step.callee->name()));
          break;
        }
    parent.isIncomplete = true;
    llvm::erase_if(callee->uses, [&](const NodeUse &use) {
      return use.parent == &parent && use.child == child;
    });
  }

  Diagnostics &diagnostics;
  SmallPtrSet<NodeFunction *, 16> done, onPath;
  SmallVector<NodeFunction *> path;
};
} // namespace

void sluice::hpvm::checkStructure(CanonicalProgram &program) {
  RecursionCheck recursion(program.diagnostics);
  for (const auto &function : program.functions)
    if (function->isRoot())
      recursion.visit(*function);
  for (const auto &function : program.functions)
    recursion.visit(*function);
  for (const auto &function : program.functions)
    if (function->isInternal)
      GraphCheck(*function, program.diagnostics).run();
}
