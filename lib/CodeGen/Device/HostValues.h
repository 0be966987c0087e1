//===- HostValues.h - Group values known before the launch ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host computes the sizes of groups and of their memory before a kernel is
// launched, using the program's own code: leaves that run once per group are
// cloned into the host function, without their accesses to memory. Stand-ins
// replace values that the host cannot know yet (numbers of groups, contents of
// memory, results of devices). If the optimised function still uses a stand-in,
// it is rejected.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_HOSTVALUES_H
#define SLUICE_LIB_CODEGEN_DEVICE_HOSTVALUES_H

#include "KernelBuilder.h"

namespace sluice::codegen {

class HostValues {
public:
  using Values = llvm::DenseMap<mlir::Value, llvm::Value *>;
  using Levels = llvm::SmallVector<PlacedLevel>;
  /// Receives the extents of each child once they are known, and the sizes of a
  /// leaf's allocations as they are computed.
  struct Visitor {
    llvm::function_ref<void(dfg::NodeOp, const ValueTriple &)> child;
    llvm::function_ref<void(llvm::IRBuilderBase &, dfg::NodeOp, unsigned,
                            llvm::Value *)>
        allocation;
  };

  /// `b` inserts into a SluiceDeviceGroup function of the program's module.
  HostValues(llvm::IRBuilder<> &b, const PlanModel &model, const FlatNode &node,
             llvm::ArrayRef<DeviceNode> known, const Visitor &visitor);

  /// Emits the children of a graph.
  llvm::Error emit(dfg::GraphOp graph);
  /// Optimises the function and rejects values that depend on stand-ins.
  llvm::Error finish();

private:
  llvm::IRBuilder<> &b;
  llvm::Function *function;
  llvm::Module &module;
  const PlanModel &model;
  const FlatNode &node;
  llvm::ArrayRef<DeviceNode> known;
  const Visitor &visitor;
  mlir::LLVM::TypeToLLVMIRTranslator types;

  llvm::Value *unknown(llvm::IRBuilderBase &at, llvm::Type *type,
                       llvm::StringRef reason);
  llvm::Value *nodeInput(unsigned index, llvm::Type *type);
  ValueTriple extentsOf(unsigned level);
  PlacedLevel somewhere(unsigned numDims, const ValueTriple &extents);
  llvm::Error emitGraph(dfg::GraphOp graph, Values &values, Levels &levels);
  llvm::Error emitChild(dfg::NodeOp child, Values &values, Levels &levels);
  llvm::Error emitLeaf(dfg::NodeOp child, dfg::KernelOp kernel, Values &values,
                       Levels &levels);
  llvm::Error emitInner(dfg::NodeOp child, dfg::GraphOp graph, Values &values,
                        Levels &levels, const ValueTriple &extents);
  void forgetMemory(llvm::Function &leaf);
  void markAllocations(llvm::Function &leaf);
  void reportAllocations(dfg::NodeOp child);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_HOSTVALUES_H
