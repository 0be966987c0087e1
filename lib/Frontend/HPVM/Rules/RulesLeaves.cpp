//===- RulesLeaves.cpp - Queries and barriers of leaves -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf may occur at several places of the hierarchy. Its queries about itself
// and its ancestors must be valid at each of them. Rules H27 to H30 of
// docs/hpvm-rules.md.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportProgram.h"
#include "sluice/Analysis/BarrierCheck.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

namespace {
/// A node that may be an ancestor of a leaf: a child of `parent`, or the root
/// `root`, which no node creates.
struct Position {
  NodeFunction *parent = nullptr;
  unsigned child = 0;
  NodeFunction *root = nullptr;

  unsigned numDimensions() const {
    return root ? 0 : parent->children[child].extents.size();
  }
  std::string name() const {
    return root ? root->name() : parent->children[child].name;
  }
  SourcePlace place() const {
    return root ? placeOf(*root->function)
                : placeOf(*parent->children[child].call);
  }
};

class LeafCheck {
public:
  LeafCheck(NodeFunction &leaf, Diagnostics &diagnostics)
      : leaf(leaf), diagnostics(diagnostics) {
    levels.emplace_back();
    for (const NodeUse &use : leaf.uses)
      if (!use.parent->isMisplaced)
        levels[0].push_back({use.parent, use.child, nullptr});
  }

  void run() {
    for (CallBase *call : intrinsicCalls(*leaf.function))
      switch (calledIntrinsic(*call)->kind) {
      case IntrinsicKind::GetNode:
        checkHandleUses(*call);
        break;
      case IntrinsicKind::GetParentNode:
        checkParent(*call);
        checkHandleUses(*call);
        break;
      case IntrinsicKind::GetNumDims:
        depthOf(*call);
        break;
      case IntrinsicKind::GetNodeInstanceID:
      case IntrinsicKind::GetNumNodeInstances:
        checkDimension(*call);
        break;
      default:
        break;
      }
  }

private:
  std::optional<unsigned> depthOf(CallBase &query);
  const SmallVector<Position> &positionsAt(unsigned depth);
  void checkParent(CallBase &query);
  void checkDimension(CallBase &query);
  void checkHandleUses(CallBase &query);

  NodeFunction &leaf;
  Diagnostics &diagnostics;
  /// The positions of the leaf's ancestors, by distance.
  std::vector<SmallVector<Position>> levels;
};
} // namespace

/// The number of levels from the leaf up to the queried node; reports [H29] if
/// unknown.
std::optional<unsigned> LeafCheck::depthOf(CallBase &query) {
  unsigned depth = 0;
  Value *handle = lookThrough(query.getArgOperand(0));
  SmallPtrSet<Value *, 8> seen;
  while (seen.insert(handle).second) {
    auto *call = dyn_cast<CallBase>(handle);
    const HPVMIntrinsic *intrinsic = call ? calledIntrinsic(*call) : nullptr;
    if (intrinsic && intrinsic->kind == IntrinsicKind::GetNode)
      return depth;
    if (!intrinsic || intrinsic->kind != IntrinsicKind::GetParentNode)
      break;
    ++depth;
    handle = lookThrough(call->getArgOperand(0));
  }
  std::string what = isa<PHINode, SelectInst>(handle)
                         ? "depends on a condition"
                         : "is " + describeValue(handle);
  diagnostics.error(placeOf(query),
                    quoted(calledIntrinsic(query)->name) +
                        " asks about a node whose handle " + what +
                        ", but handles must be known at compile time; use "
                        "what 'getNode' or 'getParentNode' returned in " +
                        quoted(leaf.name()),
                    "H29");
  return std::nullopt;
}

const SmallVector<Position> &LeafCheck::positionsAt(unsigned depth) {
  while (levels.size() <= depth) {
    SmallVector<Position> next;
    SmallPtrSet<NodeFunction *, 8> seen;
    for (const Position &position : levels.back()) {
      NodeFunction *graph = position.parent;
      if (!graph || !seen.insert(graph).second)
        continue;
      if (graph->isRoot())
        next.push_back({nullptr, 0, graph});
      for (const NodeUse &use : graph->uses)
        if (!use.parent->isMisplaced)
          next.push_back({use.parent, use.child, nullptr});
    }
    levels.push_back(std::move(next));
  }
  return levels[depth];
}

/// [H28].
void LeafCheck::checkParent(CallBase &query) {
  std::optional<unsigned> depth = depthOf(query);
  if (!depth)
    return;
  for (const Position &position : positionsAt(*depth)) {
    if (!position.root)
      continue;
    diagnostics
        .error(placeOf(query),
               "'getParentNode' asks for the parent of the root " +
                   quoted(position.name()) + ", which has none; " +
                   quoted(leaf.name()) + " stands " + std::to_string(*depth) +
                   " level" + (*depth == 1 ? "" : "s") +
                   " below it, so call 'getParentNode' less often",
               "H28")
        .note(position.place(), quoted(position.name()) + " is defined here")
        .note(levels[0].front().place(),
              quoted(leaf.name()) + " becomes a node here");
  }
}

/// [H27].
void LeafCheck::checkDimension(CallBase &query) {
  std::optional<unsigned> depth = depthOf(query);
  if (!depth)
    return;
  const HPVMIntrinsic &intrinsic = *calledIntrinsic(query);
  for (const Position &position : positionsAt(*depth)) {
    unsigned count = position.numDimensions();
    if (intrinsic.dimension < count)
      continue;
    std::string has = position.root ? "is the root and is not replicated"
                      : count == 0
                          ? "is not replicated"
                          : "is replicated in " + std::to_string(count) +
                                (count == 1 ? " dimension" : " dimensions");
    std::string remedy = position.root
                             ? "; ask about a node below it"
                             : "; create it with 'createNode" +
                                   std::to_string(intrinsic.dimension + 1) +
                                   "D', or do not ask for that dimension";
    diagnostics
        .error(placeOf(query),
               quoted(intrinsic.name) + " asks for dimension " +
                   "xyz"[intrinsic.dimension] + " of " +
                   quoted(position.name()) + ", but that node " + has + remedy,
               "H27")
        .note(position.place(),
              quoted(position.name()) +
                  (position.root ? " is defined here" : " is created here"));
  }
}

/// [H29]: only queries may use handles, in the leaf itself.
void LeafCheck::checkHandleUses(CallBase &query) {
  SmallVector<Value *> worklist = {&query};
  SmallPtrSet<Value *, 8> seen;
  while (!worklist.empty()) {
    Value *handle = worklist.pop_back_val();
    if (!seen.insert(handle).second)
      continue;
    for (User *user : handle->users()) {
      auto *instruction = cast<Instruction>(user);
      if (isa<PHINode, SelectInst, FreezeInst>(instruction)) {
        worklist.push_back(instruction);
        continue;
      }
      auto *call = dyn_cast<CallBase>(instruction);
      const HPVMIntrinsic *intrinsic = call ? calledIntrinsic(*call) : nullptr;
      if ((intrinsic && intrinsic->place == IntrinsicPlace::Leaf) ||
          isInstructionTriviallyDead(instruction))
        continue;
      diagnostics
          .error(placeOf(*instruction),
                 "a node's handle leaves " + quoted(leaf.name()) +
                     " or is used as a value here, but handles exist at "
                     "compile time only; pass what is asked of the node "
                     "instead",
                 "H29")
          .note(placeOf(query), "the handle comes from here");
    }
  }
}

void sluice::hpvm::checkQueries(CanonicalProgram &program) {
  for (const auto &node : program.functions)
    if (!node->isInternal)
      LeafCheck(*node, program.diagnostics).run();
}

/// Inputs that differ between the instances of a work-group, at one of the
/// places where the leaf occurs.
static SmallVector<unsigned> divergentInputs(const NodeFunction &leaf) {
  SmallSetVector<unsigned, 4> inputs;
  SmallSetVector<const NodeFunction *, 4> parents;
  DenseSet<std::pair<const NodeFunction *, unsigned>> replicated;
  for (const NodeUse &use : leaf.uses) {
    parents.insert(use.parent);
    if (!use.node().extents.empty())
      replicated.insert({use.parent, use.child});
  }
  for (const NodeFunction *parent : parents)
    for (const EdgeCall &edge : parent->edges)
      if (edge.isOneToOne && edge.input < leaf.numInputs() &&
          replicated.contains({parent, edge.sink}))
        inputs.insert(edge.input);
  return inputs.takeVector();
}

/// [H30].
void sluice::hpvm::checkBarriers(CanonicalProgram &program) {
  for (const auto &node : program.functions) {
    if (node->isInternal || node->function->isDeclaration())
      continue;
    for (const DivergentBarrier &found :
         findDivergentBarriers(*node->function, divergentInputs(*node))) {
      // Barriers in auxiliary functions are reported separately.
      if (found.barrier->getFunction() != node->function)
        continue;
      program.diagnostics
          .error(placeOf(*found.barrier),
                 "not every instance of " + quoted(node->name()) +
                     " reaches this barrier equally often; move it out of "
                     "the branch or loop, and guard the work around it "
                     "instead",
                 "H30")
          .note(placeOf(*found.branch),
                "instances of one work-group may take this branch "
                "differently");
    }
  }
}
