//===- HeteroWalk.h - Following the code between nodes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HeteroWalk.cpp follows plain code, HeteroValues.cpp says what it computes,
// HeteroNodes.cpp adds nodes, and HeteroDimensions.cpp turns loops into
// dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HETERO_HETEROWALK_H
#define SLUICE_LIB_FRONTEND_HETERO_HETEROWALK_H

#include "HeteroGraph.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sluice::hetero {

/// An output of a node that the expression uses; null if there is none.
const Expr *findOutput(const Expr *expr);

/// Follows the code of one graph.
class Walker {
public:
  Walker(Graph &graph, const Region &region, Context &context)
      : graph(graph), region(region), context(context),
        function(*region.entry->getParent()), dominators(function),
        loops(dominators) {}

  bool run();

private:
  bool step(llvm::Instruction &instruction);
  bool store(llvm::StoreInst &store);
  bool transfer(llvm::MemIntrinsic &transfer);

  // What is computed between nodes.
  const Expr *evaluate(llvm::Value *value);
  const Expr *evaluateLoad(llvm::LoadInst &load);
  const Expr *evaluateAddress(llvm::GetElementPtrInst &address);
  const Expr *read(const Expr *address, llvm::Type *type);
  const Expr *readConstant(llvm::Constant &address, llvm::Type *type);
  bool write(const Expr *address, const Expr *value);
  /// What a function of the program gives that only computes; null if it does
  /// anything else.
  const Expr *evaluateCall(llvm::CallBase &call);
  bool compute(llvm::Instruction &instruction);
  /// Sets the phis of a block that is entered from another one; false if they
  /// are not known.
  bool enter(llvm::BasicBlock &block, const llvm::BasicBlock *before);
  /// Pays for work; false if the graph's code is too long to be followed.
  bool spend(size_t work = 1);
  llvm::BasicBlock *follow(llvm::BasicBlock *block, llvm::BasicBlock *before,
                           const llvm::BasicBlock *end);
  /// Where a branch leads to, whose phis are set; null if that is not known.
  llvm::BasicBlock *takeBranch(llvm::BranchInst &branch);
  llvm::BasicBlock *choose(llvm::BranchInst &branch, const Expr *condition);
  const Expr *unknown(llvm::Type *type, std::string reason) {
    return context.expressions.unknown(type, std::move(reason));
  }
  llvm::Instruction *endOfPrologue();
  bool refuse(const llvm::Instruction &at, std::string message,
              llvm::StringRef rule = "hetero-section") {
    context.error(at, std::move(message), rule);
    return false;
  }

  // Nodes. Each returns where the code goes on, also after an error; null if
  // that is not known.
  llvm::BasicBlock *addTask(llvm::CallInst &call);
  llvm::BasicBlock *addLoop(llvm::Loop &loop);
  bool addDimensions(Node &node, const HeteroCall &record,
                     llvm::CallInst &marker);
  /// Leaves out a node after an error: nothing more is said about what it
  /// leaves in variables.
  void skip(llvm::ArrayRef<llvm::BasicBlock *> code);
  bool holdsBroken(const Region &code) const;
  bool choosesNodes(const llvm::Instruction &branch) const;
  llvm::CallInst *markerOf(llvm::Loop &loop);
  bool findLoopRegion(llvm::Loop &inner, llvm::CallInst &marker, Region &found);
  bool bindItems(Node &node, const HeteroCall &record, llvm::CallInst &call);
  bool bindItem(Node &node, const HeteroItem &item, llvm::CallInst &call);
  bool finishNode(Node &node, const HeteroCall &record, llvm::CallInst &call);
  bool finishLeaf(Node &node, const HeteroCall &record, llvm::CallInst &call);
  bool finishGraph(Node &node, llvm::CallInst &call);
  llvm::SetVector<llvm::Value *> privateVariables(const Region &code,
                                                  Node &node);
  std::string hintIn(const Region &code);
  bool readOrder(Node &node, const HeteroCall &record);
  unsigned portFor(Node &node, const Expr *source, llvm::StringRef name);
  const Expr *inNode(Node &node, const Expr *expr);
  const Expr *inGraph(const Node &node, const Expr *expr);
  /// The expression with its inputs and outputs replaced.
  const Expr *
  replaceLeaves(const Expr *expr,
                llvm::function_ref<const Expr *(const Expr *)> replacement);

  Graph &graph;
  const Region &region;
  Context &context;
  llvm::Function &function;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::DenseMap<llvm::Value *, const Expr *> values;
  unsigned depth = 0;
  /// The function, and those whose calls are followed, one in the other.
  llvm::SmallVector<llvm::Function *, 4> followed = {&function};
  /// Branches whose ways are followed.
  unsigned numChoices = 0;
  /// What has been spent.
  size_t spent = 0;
  /// No error so far.
  bool isSound = true;
};

} // namespace sluice::hetero

#endif // SLUICE_LIB_FRONTEND_HETERO_HETEROWALK_H
