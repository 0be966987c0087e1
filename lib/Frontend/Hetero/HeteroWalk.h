//===- HeteroWalk.h - Following the code between nodes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HeteroWalk.cpp follows plain code, HeteroValues.cpp tracks its values,
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
  Walker(HeteroGraph &graph, const CodeRegion &region, HeteroContext &context)
      : graph(graph), region(region), context(context),
        function(*region.entry->getParent()), dominators(function),
        loops(dominators) {}

  bool run();

private:
  bool step(llvm::Instruction &instruction);
  bool store(llvm::StoreInst &store);
  bool transfer(llvm::MemIntrinsic &transfer);

  // The value of code between nodes.
  const Expr *evaluate(llvm::Value *value);
  const Expr *evaluateLoad(llvm::LoadInst &load);
  const Expr *evaluateAddress(llvm::GetElementPtrInst &address);
  const Expr *read(const Expr *address, llvm::Type *type);
  const Expr *readConstant(llvm::Constant &address, llvm::Type *type);
  bool write(const Expr *address, const Expr *value);
  /// The result of a function of the program that only computes; null if it has
  /// other effects.
  const Expr *evaluateCall(llvm::CallBase &call);
  bool compute(llvm::Instruction &instruction);
  /// Sets the phis of a block that is entered from another one; false if their
  /// values are not known.
  bool enter(llvm::BasicBlock &block, const llvm::BasicBlock *before);
  /// Charges for work; false if the graph's code is too long to be followed.
  bool spend(size_t work = 1);
  llvm::BasicBlock *follow(llvm::BasicBlock *block, llvm::BasicBlock *before,
                           const llvm::BasicBlock *end);
  /// The target of a branch, with its phis set; null if unknown.
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

  // Nodes. Each function returns the block where the code continues, also after
  // an error; null if unknown.
  llvm::BasicBlock *addTask(llvm::CallInst &call);
  llvm::BasicBlock *addLoop(llvm::Loop &loop);
  bool addDimensions(HeteroNode &node, const HeteroCall &record,
                     llvm::CallInst &marker);
  /// Skips a node after an error: no more errors are reported about its effects
  /// on variables.
  void skip(llvm::ArrayRef<llvm::BasicBlock *> code);
  bool holdsBroken(const CodeRegion &code) const;
  bool choosesNodes(const llvm::Instruction &branch) const;
  llvm::CallInst *markerOf(llvm::Loop &loop);
  bool findLoopRegion(llvm::Loop &inner, llvm::CallInst &marker,
                      CodeRegion &found);
  bool bindItems(HeteroNode &node, const HeteroCall &record,
                 llvm::CallInst &call);
  bool bindItem(HeteroNode &node, const HeteroItem &item, llvm::CallInst &call);
  bool finishNode(HeteroNode &node, const HeteroCall &record,
                  llvm::CallInst &call);
  bool finishLeaf(HeteroNode &node, const HeteroCall &record,
                  llvm::CallInst &call);
  bool finishGraph(HeteroNode &node, llvm::CallInst &call);
  llvm::SetVector<llvm::Value *> privateVariables(const CodeRegion &code,
                                                  HeteroNode &node);
  std::string hintIn(const CodeRegion &code);
  bool readOrder(HeteroNode &node, const HeteroCall &record);
  unsigned portFor(HeteroNode &node, const Expr *source, llvm::StringRef name);
  const Expr *inNode(HeteroNode &node, const Expr *expr);
  const Expr *inGraph(const HeteroNode &node, const Expr *expr);
  /// The expression with its inputs and outputs replaced.
  const Expr *
  replaceLeaves(const Expr *expr,
                llvm::function_ref<const Expr *(const Expr *)> replacement);

  HeteroGraph &graph;
  const CodeRegion &region;
  HeteroContext &context;
  llvm::Function &function;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::DenseMap<llvm::Value *, const Expr *> values;
  unsigned depth = 0;
  /// The function, and the nested calls that are being followed.
  llvm::SmallVector<llvm::Function *, 4> followed = {&function};
  /// The number of branches whose sides are followed.
  unsigned numChoices = 0;
  /// The work done so far.
  size_t spent = 0;
  /// No error so far.
  bool isSound = true;
};

} // namespace sluice::hetero

#endif // SLUICE_LIB_FRONTEND_HETERO_HETEROWALK_H
