//===- RulesStreams.cpp - Streaming edges and binds -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph streams if a bind of its root streams. Rule H46 of
// docs/hpvm-rules.md.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportProgram.h"

#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

/// A call of the graph that is marked as streaming, null if there is none.
static CallBase *firstStreamingCall(const NodeFunction &graph) {
  for (const InputBind &bind : graph.inputBinds)
    if (bind.isStream)
      return bind.call;
  for (const OutputBind &bind : graph.outputBinds)
    if (bind.isStream)
      return bind.call;
  for (const EdgeCall &edge : graph.edges)
    if (edge.isStream)
      return edge.call;
  return nullptr;
}

CallBase *sluice::hpvm::streamingBind(const NodeFunction &root) {
  for (const InputBind &bind : root.inputBinds)
    if (bind.isStream)
      return bind.call;
  for (const OutputBind &bind : root.outputBinds)
    if (bind.isStream)
      return bind.call;
  return nullptr;
}

namespace {
class StreamCheck {
public:
  explicit StreamCheck(CanonicalProgram &program)
      : program(program), diagnostics(program.diagnostics) {}

  void run() {
    for (const auto &graph : program.functions) {
      if (!graph->isInternal)
        continue;
      checkInputs(*graph);
      checkNested(*graph);
      checkUnmarkedEdges(*graph);
      if (graph->isRoot())
        checkRoot(*graph);
    }
  }

private:
  void checkInputs(const NodeFunction &graph);
  void checkNested(const NodeFunction &graph);
  void checkUnmarkedEdges(const NodeFunction &graph);
  void checkRoot(const NodeFunction &root);

  CanonicalProgram &program;
  Diagnostics &diagnostics;
};
} // namespace

/// Binds of one input must agree.
void StreamCheck::checkInputs(const NodeFunction &graph) {
  // Not a DenseMap: a port number of a wrong program may be any integer.
  std::map<unsigned, const InputBind *> first;
  for (const InputBind &bind : graph.inputBinds) {
    const InputBind *&known = first[bind.outer];
    if (!known)
      known = &bind;
    if (known->isStream == bind.isStream)
      continue;
    diagnostics
        .error(placeOf(*bind.call),
               graph.describeInput(bind.outer) + " is bound " +
                   (bind.isStream ? "as a stream" : "without a stream") +
                   " here, and " + (bind.isStream ? "without" : "as") +
                   " one elsewhere; bind it the same way everywhere",
               "H46")
        .note(placeOf(*known->call), "the other bind is here");
  }
}

/// An input that a nested graph takes as a stream must be fed by one.
void StreamCheck::checkNested(const NodeFunction &graph) {
  auto check = [&](CallBase *call, unsigned child, unsigned input) {
    const NodeFunction &callee = *graph.children[child].callee;
    for (const InputBind &bind : callee.inputBinds)
      if (bind.isStream && bind.outer == input)
        diagnostics
            .error(placeOf(*call),
                   callee.describeInput(input) +
                       " is a stream inside, but what feeds it here is not "
                       "marked as one; set the stream flag of this call, or "
                       "clear that of the bind inside",
                   "H46")
            .note(placeOf(*bind.call), "the streaming bind is here");
  };
  for (const EdgeCall &edge : graph.edges)
    if (!edge.isStream)
      check(edge.call, edge.sink, edge.input);
  for (const InputBind &bind : graph.inputBinds)
    if (!bind.isStream)
      check(bind.call, bind.child, bind.inner);
}

/// The outputs of a streaming node are streams.
void StreamCheck::checkUnmarkedEdges(const NodeFunction &graph) {
  SmallVector<bool> streams(graph.children.size(), false);
  for (const InputBind &bind : graph.inputBinds)
    streams[bind.child] |= bind.isStream;
  for (const EdgeCall &edge : graph.edges)
    streams[edge.sink] |= edge.isStream;
  for (const EdgeCall &edge : graph.edges)
    if (streams[edge.source] && !edge.isStream)
      diagnostics
          .warning(placeOf(*edge.call),
                   quoted(graph.children[edge.source].name) +
                       " runs once for each item of a stream, so this edge "
                       "carries a stream although it is not marked as one; "
                       "set its stream flag",
                   "H46")
          .note(placeOf(*graph.children[edge.source].call),
                quoted(graph.children[edge.source].name) + " is created here");
}

/// A root without a streaming bind has no streams below it.
void StreamCheck::checkRoot(const NodeFunction &root) {
  if (root.isIncomplete || streamingBind(root))
    return;
  SmallVector<const NodeFunction *> worklist = {&root};
  SmallPtrSet<const NodeFunction *, 8> seen;
  while (!worklist.empty()) {
    const NodeFunction *graph = worklist.pop_back_val();
    if (!seen.insert(graph).second)
      continue;
    if (CallBase *call = firstStreamingCall(*graph))
      diagnostics
          .error(placeOf(*call),
                 "this is marked as a stream, but no bind of the root " +
                     quoted(root.name()) +
                     " is, so nothing streams; clear the flag, or mark the "
                     "root's binds as well",
                 "H46")
          .note(placeOf(*root.function),
                quoted(root.name()) + " is defined here");
    for (const ChildNode &child : graph->children)
      worklist.push_back(child.callee);
  }
}

void sluice::hpvm::checkStreams(CanonicalProgram &program) {
  StreamCheck(program).run();
}
