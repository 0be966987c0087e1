//===- LaneEmitter.h - Code for all lanes -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the body of a loop over instances into code that runs a vector of
// them: what only some lanes do is done under masks, one way after another,
// and loops go on until no lane is left in them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LANEEMITTER_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LANEEMITTER_H

#include "LaneValues.h"

namespace sluice::codegen {

/// 1. A block follows the one that dominates it; where several ways join, the
///    masks of the ways choose between values.
/// 2. Where some lanes go one way, that way is skipped if none does, should it
///    be long or contain what an active lane must run. Where all go the same
///    way, it is a branch.
/// 3. A loop that lanes leave in different rounds keeps a mask of those in it,
///    and what each of them takes along when it leaves.
class LaneEmitter {
public:
  /// The builder stands in an empty block.
  LaneEmitter(llvm::IRBuilder<> &builder, const LaneRegions &regions,
              const LaneShapes &shapes, const LaneRows &rows,
              const llvm::TargetTransformInfo &target, unsigned numLanes);

  /// Memory for all lanes of each private variable.
  void setVariables(llvm::ArrayRef<llvm::AllocaInst *> own) {
    values.setVariables(own);
  }
  /// Says what a phi of the outer loop's header is in the first lane.
  void setFirst(const llvm::PHINode &phi, llvm::Value *value) {
    values.set(&phi, value);
  }
  /// Emits one round of the outer loop; the builder is then at its end.
  void emit(llvm::Value *mask);

private:
  /// The lanes that reach a block.
  struct State {
    llvm::Value *mask;  ///< null: all lanes
    llvm::Value *taken; ///< a bit: they all do, or none; null: some may
  };
  /// A way to a block that has not been emitted yet.
  struct Edge {
    llvm::BasicBlock *from, *to;
    llvm::Value *mask, *taken;
    llvm::Value *inside; ///< the mask once it is known that it is taken
    /// The values of the phis; null where all edges agree.
    llvm::SmallVector<llvm::Value *, 4> values;
  };
  /// Where lanes that have left a loop go, and what they take along.
  struct Exit {
    llvm::BasicBlock *to;
    llvm::PHINode *mask = nullptr; ///< null: all lanes come out here
    llvm::SmallVector<llvm::PHINode *, 4> values;
  };
  /// Code that runs only if a condition holds.
  struct Guard {
    llvm::BasicBlock *before, *last, *end;
    unsigned numBlocks;
    size_t numEdges;
  };

  llvm::IRBuilder<> &builder;
  const LaneRegions &regions;
  const LaneShapes &shapes;
  LaneValues values;
  llvm::SmallVector<Edge, 8> edges;
  llvm::DenseMap<llvm::Loop *, Edge> entries;

  llvm::SmallVector<Edge, 4> takeEdges(llvm::BasicBlock *to,
                                       const llvm::Loop *from);
  void addEdge(llvm::BasicBlock *from, llvm::BasicBlock *to, State state,
               llvm::Value *inside);
  void emitEdges(llvm::BasicBlock *block, State state);
  void emitTree(llvm::BasicBlock *node, llvm::Loop *region, State state);
  void emitChild(llvm::BasicBlock *node, llvm::BasicBlock *parent,
                 llvm::Loop *region, State state);
  void emitPhis(llvm::BasicBlock *block, llvm::ArrayRef<Edge> incoming);
  void emitBlock(llvm::BasicBlock *block, State state);
  void emitLoop(llvm::Loop &loop, State state);
  void emitUniformLoop(llvm::Loop &loop, State state);
  void emitDivergentLoop(llvm::Loop &loop, State state);
  void beginHeader(llvm::Loop &loop, llvm::BasicBlock *header);
  void endHeader(llvm::Loop &loop, llvm::BasicBlock *header, const Edge &back);
  llvm::SmallVector<Exit> beginExits(llvm::Loop &loop,
                                     llvm::BasicBlock *header);
  void updateExit(Exit &exit, llvm::ArrayRef<Edge> leaving, Edge &merged);
  Guard beginGuard(llvm::Value *condition);
  void endGuard(Guard &guard);
  llvm::Value *afterGuard(const Guard &guard, llvm::Value *inside,
                          llvm::Value *outside);
  bool needsGuard(llvm::BasicBlock *node, const llvm::Loop *region) const;
  unsigned length(llvm::BasicBlock *node, const llvm::Loop *region) const;

  llvm::Value *both(llvm::Value *mask, llvm::Value *condition);
  llvm::Value *either(llvm::Value *a, llvm::Value *b);
  llvm::Value *any(llvm::Value *mask);
  llvm::Value *conditionOf(llvm::BasicBlock *block, llvm::BasicBlock *to,
                           bool isVector);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LANEEMITTER_H
