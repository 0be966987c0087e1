//===- KernelBody.h - State of one kernel while it is emitted -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that the sources of KernelEmitter share while they emit a kernel:
// values, levels with a fixed instance, and the two insertion points for code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_KERNELBODY_H
#define SLUICE_LIB_CODEGEN_KERNELBODY_H

#include "KernelEmitter.h"

namespace sluice::codegen {

/// The memory that a pointer points to, as far as known.
struct KernelEmitter::Origin {
  /// The root's argument that the value equals.
  std::optional<unsigned> argument;
  /// Memory that a leaf of the same kernel allocates.
  bool isAllocated = false;
};

/// A value in a kernel: known, in a stack slot, or in an array (for each
/// instance of a level). A node's output may have both a slot and an array:
/// all-to-all users read the slot, one-to-one users the array.
struct KernelEmitter::Flow {
  llvm::Type *type = nullptr;
  llvm::Value *value = nullptr;
  llvm::Value *slot = nullptr;
  llvm::Value *array = nullptr;
  unsigned level = 0;
  Origin origin;
};

/// A level whose current instance is known.
struct KernelEmitter::FixedLevel {
  Triple ids;
  Triple extents;
  InstanceLevel description;
};

/// The position of a leaf, for checks.
struct KernelEmitter::LeafPlace {
  std::string name;
  mlir::Location location;
  /// The nodes from below the plan's node down to the leaf.
  llvm::ArrayRef<dfg::NodeOp> path;
  std::vector<Triple> ids;     ///< of the fixed levels
  std::vector<Triple> extents; ///< of all levels
};

struct KernelEmitter::Body {
  explicit Body(llvm::Function *function)
      : function(function), entry(llvm::BasicBlock::Create(
                                function->getContext(), "entry", function)),
        start(llvm::BasicBlock::Create(function->getContext(), "start",
                                       function)),
        builder(start), invocation(function->getArg(0)),
        begin(function->getArg(1)), end(function->getArg(2)) {
    invocation->setName("invocation");
    begin->setName("begin");
    end->setName("end");
    static_assert(offsetof(SluiceInvocation, frame) == 0);
    frame = entry.CreateLoad(entry.getPtrTy(), invocation, "frame");
  }

  llvm::Function *function;
  /// Inserts stack slots and loads from the frame.
  llvm::IRBuilder<> entry;
  llvm::BasicBlock *start;
  /// Places everything else.
  llvm::IRBuilder<> builder;
  llvm::Value *invocation, *begin, *end, *frame;
  std::string name;
  /// The plan's node.
  const FlatNode *node = nullptr;
  /// The children of compound nodes around the code being emitted, outermost
  /// first.
  llvm::SmallVector<dfg::NodeOp> path;
  /// Extents of all levels of the node.
  std::vector<Triple> extents;
  std::optional<std::vector<int64_t>> constantExtents;
  /// Values of the frame, by offset, that are constants in this variant.
  llvm::DenseMap<uint64_t, uint64_t> knownValues;
  /// Memory to free at the end of the current graph instance.
  llvm::SmallVector<llvm::Value *> scratch;
};

/// A loop `for (i = 0; i < count; ++i)` in a kernel; `finish` closes it.
class UnitLoop {
public:
  UnitLoop(llvm::IRBuilder<> &builder, llvm::Value *first, llvm::Value *limit)
      : builder(builder) {
    llvm::LLVMContext &context = builder.getContext();
    llvm::Function *function = builder.GetInsertBlock()->getParent();
    llvm::BasicBlock *before = builder.GetInsertBlock();
    header = llvm::BasicBlock::Create(context, "loop", function);
    auto *body = llvm::BasicBlock::Create(context, "body", function);
    after = llvm::BasicBlock::Create(context, "after", function);
    builder.CreateBr(header);
    builder.SetInsertPoint(header);
    index = builder.CreatePHI(builder.getInt64Ty(), 2, "index");
    index->addIncoming(first, before);
    builder.CreateCondBr(builder.CreateICmpULT(index, limit), body, after);
    builder.SetInsertPoint(body);
  }

  /// The next round is that of `next`, which is greater; by default, of
  /// index + 1.
  void finish(llvm::Value *next = nullptr) {
    if (!next)
      next = builder.CreateAdd(index, builder.getInt64(1), "next",
                               /*HasNUW=*/true);
    index->addIncoming(next, builder.GetInsertBlock());
    builder.CreateBr(header);
    builder.SetInsertPoint(after);
  }

  llvm::PHINode *index;

private:
  llvm::IRBuilder<> &builder;
  llvm::BasicBlock *header, *after;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_KERNELBODY_H
