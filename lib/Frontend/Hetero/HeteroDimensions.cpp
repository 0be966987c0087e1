//===- HeteroDimensions.cpp - Turning loops into dimensions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of a parallel loop nest become extents, which are computed before
// the node starts. Their variables follow from the instance's ids.
//
//===----------------------------------------------------------------------===//

#include "HeteroWalk.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

static std::string quote(const Twine &name) { return ("'" + name + "'").str(); }

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

CallInst *Walker::markerOf(Loop &loop) {
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (calledHetero(instruction) == HeteroFunction::ParallelLoop) {
        auto &call = cast<CallInst>(instruction);
        const HeteroCall *record = heteroRecordOf(call, context.unit);
        Loop *outermost = loops.getLoopFor(block);
        for (unsigned i = 1; record && outermost && i < record->loops.size();
             ++i)
          outermost = outermost->getParentLoop();
        // In a broken nest, not all loops are known.
        if (record && (outermost == &loop || record->isBroken))
          return &call;
      }
  return nullptr;
}

/// The body of the innermost loop.
bool Walker::findLoopRegion(Loop &inner, CallInst &marker, CodeRegion &found) {
  auto *branch = dyn_cast<BranchInst>(inner.getHeader()->getTerminator());
  found.begin = &marker;
  found.exit = inner.getLoopLatch();
  if (branch && branch->isConditional() && found.exit)
    for (BasicBlock *next : successors(branch))
      if (inner.contains(next))
        found.entry = next;
  if (!found.entry || found.entry == found.exit)
    return refuse(marker,
                  "this loop has another form than "
                  "'for (i = a; i < b; i += s)'",
                  "hetero-loop");
  SmallVector<BasicBlock *> work = {found.entry};
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    if (block == found.exit || !found.blocks.insert(block))
      continue;
    if (isa<ReturnInst>(block->getTerminator()))
      return refuse(marker,
                    "this parallel loop can be left before its end; no "
                    "return, break or goto may leave it",
                    "hetero-loop");
    for (BasicBlock *next : successors(block)) {
      if (inner.contains(block) && !inner.contains(next) && !next->isEHPad() &&
          !isa<UnreachableInst>(next->getTerminator()))
        return refuse(*block->getTerminator(),
                      "a parallel loop is left here before its end; no "
                      "return, break or goto may leave it",
                      "hetero-loop");
      work.push_back(next);
    }
  }
  return true;
}

/// The block where a loop continues when its condition fails.
static BasicBlock *exitOf(const Loop &loop) {
  for (BasicBlock *next : successors(loop.getHeader()))
    if (!loop.contains(next))
      return next;
  return nullptr;
}

bool Walker::addDimensions(HeteroNode &node, const HeteroCall &record,
                           CallInst &marker) {
  for (const HeteroLoop &counted : reverse(record.loops)) {
    const Expr *values[4];
    for (unsigned i = 0; i != 4; ++i) {
      Value *operand = marker.getArgOperand(counted.argument + 1 + i);
      values[i] = evaluate(operand);
      const Expr *reason = findUnknown(values[i]);
      if (reason && reason->reason.empty() && !isSound)
        return false; // said already
      if (reason)
        return refuse(
            marker,
            "the bounds of the loop over " + quote(counted.variable.name) +
                " must be known before it starts, but what they use " +
                (reason->reason.empty() ? "has no value" : reason->reason) +
                "; use inputs of the graph that are numbers, or members of "
                "structures passed by value, and arithmetic on them",
            "hetero-loop");
      if (i != 0 && findOutput(values[i]))
        return refuse(
            marker,
            "the bounds of the loop over " + quote(counted.variable.name) +
                " come from another task of the section; put the loop into a "
                "section of a task that takes them as inputs",
            "hetero-loop");
    }
    node.extents.push_back({.start = values[1],
                            .bound = values[2],
                            .step = values[3],
                            .isDown = counted.isDown,
                            .isInclusive = counted.isInclusive,
                            .isUnsigned = counted.isUnsigned});
    node.dimensions.push_back(
        {.variable = marker.getArgOperand(counted.argument),
         .type = counted.variable.type,
         .start = inNode(node, values[0]),
         .step = inNode(node, values[3]),
         .isDown = counted.isDown,
         .hasSign = counted.hasSign});
  }
  // Only the graph needs the values from which the bounds are computed.
  for (unsigned i = 1; i < marker.arg_size(); ++i) {
    Value *operand = marker.getArgOperand(i);
    if (isa<Constant, AllocaInst>(operand))
      continue;
    marker.setArgOperand(i, PoisonValue::get(operand->getType()));
  }
  return true;
}

BasicBlock *Walker::addLoop(Loop &loop) {
  BasicBlock *exit = exitOf(loop);
  CallInst *marker = markerOf(loop);
  const HeteroCall *record =
      marker ? heteroRecordOf(*marker, context.unit) : nullptr;
  CodeRegion code;
  bool isFound = false;
  if (!record) {
    Instruction *at = loop.getHeader()->getTerminator();
    if (at->getDebugLoc() && at->getDebugLoc().getLine() == 0)
      at = &*loop.getHeader()->getFirstNonPHIIt();
    bool holdsNodes = any_of(loop.blocks(), [](const BasicBlock *block) {
      return any_of(*block, isNodeMarker);
    });
    refuse(*at, holdsNodes
                    ? "this loop stands around nodes of a section, but a graph "
                      "runs each of its nodes once; launch the section in a "
                      "loop of the host"
                    : "this loop stands between the nodes of a section; make "
                      "it a parallel loop, or put it into a task");
  } else if (depth == 0) {
    refuse(*marker,
           "this parallel loop stands in no section; begin one before it");
  } else if (!record->isBroken) {
    isFound =
        findLoopRegion(*loops.getLoopFor(marker->getParent()), *marker, code) &&
        !holdsBroken(code);
  }
  if (!isFound) {
    skip(loop.getBlocks());
    return exit;
  }
  HeteroNode &node = graph.nodes.emplace_back();
  node.region = std::move(code);
  node.name = !record->name.empty()
                  ? record->name
                  : graph.name + ".loop" + std::to_string(graph.nodes.size());
  node.place = record->place;
  for (const HeteroLoop &counted : record->loops)
    graph.variables[marker->getArgOperand(counted.argument)] = unknown(
        counted.variable.type, "is the variable of a parallel loop around it");
  if (!bindItems(node, *record, *marker) ||
      !addDimensions(node, *record, *marker) ||
      !finishNode(node, *record, *marker))
    skip(loop.getBlocks());
  return exit;
}
